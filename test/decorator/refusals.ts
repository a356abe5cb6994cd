import { expect, jest } from '@jest/globals';
import { resilient, Resilient, type ConfigurationError } from '../../lib/index.js';
import { mistakeOf, placeOf } from './support.js';

/** What must never be called. */
export const method = jest.fn(async () => 'charged');

/** The mistake that a decorator with these options is refused for. */
export function decoratorMistake(options: unknown): ConfigurationError {
  return mistakeOf(() => {
    class Client {
      @Resilient(options as object)
      async charge(): Promise<string> {
        return method();
      }
    }
    return Client;
  });
}

/** The mistake that a function with these options is refused for. */
export function functionMistake(options: unknown): ConfigurationError {
  return mistakeOf(() =>
    resilient(options as object, async function charge() {
      return method();
    }),
  );
}

/** Both ways in say the same of an option, each in its place. */
export function expectRefusal(options: object, message: string): void {
  expect(decoratorMistake(options).message).toBe(`${placeOf('Client', 'charge')}: ${message}`);
  expect(functionMistake(options).message).toBe(`charge: ${message}`);
  expect(method).not.toHaveBeenCalled();
}
