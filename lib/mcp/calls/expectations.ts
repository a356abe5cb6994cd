import { validator, type Validator } from '../../policies/validation/validator.js';
import { pointedAt } from '../breakers/pointer.js';
import type { HttpAnswer } from '../http/answer.js';
import { jsonOf } from './json-of.js';
import type { CallArguments } from './call-arguments.js';
import { StandIn } from './stand-in.js';

type Value = HttpAnswer | StandIn;

/** Whether a status is a failure by itself. Those that are none may still be unexpected. */
export function isFailure(status: number, expected: readonly number[] | undefined): boolean {
  return status >= 400 && expected?.includes(status) !== true;
}

/** What must be true of an answer, as validators. A value that stands in for one is as the agent gave it. */
export function expectationsOf({ expect }: CallArguments): readonly Validator<Value>[] {
  const { status, json = false, pointers = [] } = expect;
  const checks: Validator<Value>[] = [];
  const check = (name: string, message: string, isGood: (answer: HttpAnswer) => boolean): void =>
    void checks.push(
      validator<Value>(name, (value) => value instanceof StandIn || isGood(value), { message }),
    );
  if (status !== undefined)
    check('status', `the status is none of ${status.join(', ')}`, (answer) => status.includes(answer.status));
  if (json || pointers.length > 0)
    check('json', 'the body is no JSON, or was cut', (answer) => jsonOf(answer.body) !== undefined);
  for (const pointer of pointers)
    check(
      'pointer',
      `the JSON has nothing at ${pointer}`,
      (answer) => pointedAt(jsonOf(answer.body), pointer) !== undefined,
    );
  return checks;
}
