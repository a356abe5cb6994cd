const { ask, expected } = require('./doors.cjs');
const required = require('relprim');
const nestjs = require('relprim/nestjs');

test('both entry points load and understand each other', async () => {
  const imported = await import('relprim');
  const { RESILIENCE_CLOCK } = await import('relprim/nestjs');
  expect(await ask(imported, required, [RESILIENCE_CLOCK, nestjs.RESILIENCE_CLOCK])).toEqual(expected);
});
