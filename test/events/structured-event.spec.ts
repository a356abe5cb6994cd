import { describe, expect, it, jest } from '@jest/globals';
import { StructuredEvent, type StructuredEventFields } from '../../lib/index.js';
import { mistakeOf } from '../support/mistake-of.js';
import { event, timestamp } from './support.js';

type Started = StructuredEventFields<'attempt.started'>;

function started(fields: Partial<Started> = {}): StructuredEvent<'attempt.started'> {
  const payload = { attempt_number: 1, max_attempts: 3 };
  return new StructuredEvent({
    eventType: 'attempt.started',
    operationName: 'charge',
    timestamp,
    payload,
    ...fields,
  });
}

describe('an event', () => {
  it('has wire names in its JSON form [R244]', () => {
    expect(JSON.parse(JSON.stringify(started({ callId: 'c-1' })))).toEqual({
      event_type: 'attempt.started',
      operation_name: 'charge',
      timestamp: '2026-01-01T00:00:00.250Z',
      payload: { attempt_number: 1, max_attempts: 3 },
      call_id: 'c-1',
    });
    expect(started().toJSON().call_id).toBe('');
  });

  it.each(['', ' \t', undefined, null, 5])('refuses the operation name %p [R245]', (operationName) => {
    expect(mistakeOf(() => started({ operationName: operationName as string }))).toMatchObject({
      option: 'operationName',
      cure: 'give a text that is not blank',
    });
    expect(started({ operationName: ' charge ' }).operationName).toBe(' charge ');
  });

  it.each([new Date(NaN), '2026-01-01T00:00:00Z', 1_767_225_600_000, undefined, null])(
    'refuses a timestamp of %p',
    (moment) => {
      expect(mistakeOf(() => started({ timestamp: moment as Date }))).toMatchObject({
        option: 'timestamp',
        cure: 'give a valid Date',
      });
    },
  );

  it('has a payload that is frozen and apart from what it was made of [R247]', () => {
    const payload = { attempt_number: 1, max_attempts: 3 };
    const told = started({ payload });
    payload.attempt_number = 9;
    expect(told.payload).toEqual({ attempt_number: 1, max_attempts: 3 });
    expect(() => Object.assign(told.payload, { attempt_number: 9 })).toThrow(TypeError);
  });

  it('cannot be changed itself, nor by its date', () => {
    const given = new Date(timestamp);
    const told = started({ timestamp: given });
    given.setFullYear(1999);
    told.timestamp.setFullYear(1998);
    expect(told.timestamp).toEqual(timestamp);
    expect(() => Object.assign(told, { operationName: 'forged' })).toThrow(TypeError);
  });

  it('makes a payload and a call id that are given as functions once, when first read', () => {
    const payload = jest.fn(() => ({ attempt_number: 2, max_attempts: 3 }));
    const callId = jest.fn(() => 'c-2');
    const told = started({ payload, callId });
    expect([payload.mock.calls.length, callId.mock.calls.length]).toEqual([0, 0]);
    expect(told.payload).toBe(told.payload);
    expect([told.payload.attempt_number, told.callId, told.callId]).toEqual([2, 'c-2', 'c-2']);
    expect(Object.isFrozen(told.payload)).toBe(true);
    expect([payload.mock.calls.length, callId.mock.calls.length]).toEqual([1, 1]);
  });

  it('is told from events of other types by its type', () => {
    const told = event(7);
    if (told.eventType !== 'attempt.started') throw new Error('another type');
    const attempts: number = told.payload.max_attempts;
    expect(attempts).toBe(3);
  });
});
