import 'reflect-metadata';
import { Type } from 'class-transformer';
import {
  IsInt,
  IsNumber,
  IsOptional,
  IsPositive,
  IsString,
  MinLength,
  ValidateBy,
  ValidateNested,
} from 'class-validator';

export class ItemDto {
  @IsString()
  name!: string;

  @IsNumber()
  @IsPositive()
  price!: number;
}

export class ReceiptDto {
  @IsInt()
  total!: number;

  @IsOptional()
  @IsString()
  note?: string;

  @ValidateNested({ each: true })
  @Type(() => ItemDto)
  items!: ItemDto[];
}

export class GroupedDto {
  @MinLength(3, { groups: ['create'] })
  name!: string;

  @IsInt({ groups: ['update'] })
  id!: number;
}

/** A rule that answers later, as one that asks a database does. */
export class FreeNameDto {
  @ValidateBy({
    name: 'isFree',
    async: true,
    validator: {
      validate: async (name) => {
        await Promise.resolve();
        if (name === 'broken') throw new RangeError('cannot tell');
        return name !== 'taken';
      },
    },
  })
  name!: string;
}

export class NoRulesDto {
  name!: string;
}

export const receipt = () => ({ total: 5, items: [{ name: 'pen', price: 2.5 }] });
