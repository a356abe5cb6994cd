import { createRequire } from 'node:module';
import * as imported from 'relprim';
import { RESILIENCE_CLOCK } from 'relprim/nestjs';
import { ask, expected } from './doors.cjs';

const load = createRequire(import.meta.url);

test('both entry points load and understand each other', async () => {
  // The Nest door is not required here, as Jest cannot require Nest 12; the CommonJS test does it with Nest 11.
  const tokens = [RESILIENCE_CLOCK, Symbol.for('relprim/clock')];
  expect(await ask(imported, load('relprim'), tokens)).toEqual(expected);
});
