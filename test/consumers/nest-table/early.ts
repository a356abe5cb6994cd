// Defined before `relprim/nestjs` is loaded: the classes' own properties hide what their base class is offered later.
import { Inject, Injectable, Scope } from '@nestjs/common';
import { Resilient } from 'relprim';

export class Base {
  @Resilient()
  async call(): Promise<void> {}
}

@Injectable({ scope: Scope.REQUEST })
export class EarlyRequest extends Base {
  @Inject('own')
  readonly own!: string;
}

@Injectable({ scope: Scope.TRANSIENT })
export class EarlyTransient extends Base {
  @Inject('own')
  readonly own!: string;
}
