import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, validate, type ValidationError, type ValidatorOptions } from 'class-validator';
import { checkName, checkOptions, refuse } from '../errors/check.js';
import { ConfigurationError } from '../errors/configuration-error.js';
import { shortReason } from '../policies/validation/short-reason.js';
import { ValidationResult } from '../policies/validation/validation-result.js';
import type { Validator } from '../policies/validation/validator.js';

export { CircuitBreakerConfiguration, PolicyConfiguration } from './class-validator-configuration.js';
export {
  ConcurrencyLimitConfiguration,
  ShieldConfiguration,
  type ConcurrencyQueueConfiguration,
} from './class-validator-guards.js';
export type {
  BudgetConfiguration,
  ProbesConfiguration,
  RecoveryConfiguration,
} from './class-validator-configuration.js';

/** A class whose properties have decorators of class-validator. */
export type ModelClass = new (...args: any[]) => object;

/** Options of {@link classValidator}: its own, and those of class-validator, such as `groups` and `whitelist`. */
export interface ClassValidatorOptions extends ValidatorOptions {
  /** Default: the name of the class. */
  readonly name?: string | undefined;
  /** The value is a list of such objects, as for `classValidator([ReceiptDto])`. Default false. */
  readonly each?: boolean | undefined;
}

const OPTIONS = [
  'name',
  'each',
  ...['enableDebugMessages', 'skipUndefinedProperties', 'skipNullProperties', 'skipMissingProperties'],
  ...['whitelist', 'forbidNonWhitelisted', 'groups', 'always', 'strictGroups', 'dismissDefaultMessages'],
  ...['validationError', 'forbidUnknownValues', 'stopAtFirstError'],
];

/**
 * A validator from a class of rules. What is judged is an instance made from the value; the value itself is returned
 * to the caller, unchanged. Reasons hold places and the names of rules, no values.
 * @throws {ConfigurationError} for a class that has no rules, or none of the given groups.
 */
export function classValidator(
  model: ModelClass | readonly [ModelClass],
  options: ClassValidatorOptions = {},
): Validator<unknown> {
  checkOptions('classValidator', options, OPTIONS);
  const { name: given, each = Array.isArray(model), ...rules } = options;
  if (typeof each !== 'boolean') refuse('each', each, 'give true or false');
  const rulesOf = checkModel(model, rules);
  const name = checkName('name', given ?? (each ? `${rulesOf.name}[]` : rulesOf.name));
  const judge = each ? problemsInList : problemsIn;
  return {
    name,
    validate: async (value) => {
      const problems = await judge(rulesOf, rules, value);
      return problems.length === 0
        ? ValidationResult.success(name)
        : ValidationResult.failure(name, shortReason(problems, String));
    },
  };
}

function checkModel(model: unknown, { always, strictGroups, groups }: ValidatorOptions): ModelClass {
  const rulesOf: unknown = Array.isArray(model) && model.length === 1 ? model[0] : model;
  if (typeof rulesOf !== 'function' || (rulesOf as { prototype?: unknown }).prototype === undefined)
    return refuse('model', rulesOf, 'give a class, or a list of one class');
  const found = getMetadataStorage().getTargetValidationMetadatas(
    rulesOf,
    '',
    always ?? false,
    strictGroups ?? false,
    groups,
  );
  if (found.length > 0) return rulesOf as ModelClass;
  const which = groups === undefined ? '' : ' in the given groups';
  throw new ConfigurationError({
    option: 'model',
    problem: `${rulesOf.name} has no rules${which}`,
    cure: 'put decorators of class-validator on its properties',
  });
}

async function problemsIn(
  model: ModelClass,
  rules: ValidatorOptions,
  value: unknown,
): Promise<readonly string[]> {
  return isModelled(value) ? judged(model, rules, value, []) : ['the value must be an object'];
}

async function problemsInList(
  model: ModelClass,
  rules: ValidatorOptions,
  value: unknown,
): Promise<readonly string[]> {
  if (!Array.isArray(value)) return ['the value must be a list'];
  const problems = Array.from(value, async (item: unknown, index) =>
    isModelled(item) ? judged(model, rules, item, [String(index)]) : [`${index} must be an object`],
  );
  return (await Promise.all(problems)).flat();
}

function isModelled(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

async function judged(
  model: ModelClass,
  rules: ValidatorOptions,
  value: object,
  path: readonly string[],
): Promise<readonly string[]> {
  const { groups } = rules;
  const settings = { enableCircularCheck: true, ...(groups !== undefined && { groups }) };
  const instance = plainToInstance(model, value, settings);
  return (await validate(instance, rules)).flatMap((error) => problemsAt(path, error));
}

/** Class-validator nests its errors as the value nests its objects. */
function problemsAt(path: readonly string[], error: ValidationError): readonly string[] {
  // An object without rules of its own has an error without a property.
  const here = (error.property as string | undefined) === undefined ? path : [...path, error.property];
  const place = here.length === 0 ? 'the value' : here.join('.');
  const broken = Object.keys(error.constraints ?? {});
  const own = broken.length === 0 ? [] : [`${place}: ${broken.join(', ')}`];
  return [...own, ...(error.children ?? []).flatMap((child) => problemsAt(here, child))];
}
