import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { faultOf, type Fault, type Phase } from '../../samples/outage/fault-schedule.js';
import { faults } from '../../samples/outage/faults.js';
import { Upstream } from '../../samples/outage/upstream.js';

describe('the fault of a request', () => {
  const phases: Phase[] = [
    { requests: 2, fault: 'none' },
    { requests: 4, fault: 'reset', every: 2 },
    { requests: 2, fault: 'down' },
  ];
  const all = (numbers: number): Fault[] =>
    Array.from({ length: numbers }, (_, index) => faultOf(phases, index + 1));

  it('is that of its phase, and none after the last one', () => {
    expect(all(10)).toEqual([
      'none',
      'none',
      'none',
      'reset',
      'none',
      'reset',
      'down',
      'down',
      'none',
      'none',
    ]);
  });

  it('is none without a schedule', () => {
    expect(faultOf([], 1)).toBe('none');
  });

  it.each(Object.entries(faults))('is none in the end at %s, whatever went on', (_, schedule) => {
    expect(faultOf(schedule, 440)).toBe('none');
  });
});

describe('an upstream', () => {
  const script: Fault[] = [
    'none',
    'status 500',
    'status 429',
    'reset',
    'half body',
    'invalid JSON',
    'wrong value',
    'down',
    'slow',
  ];
  const upstream = new Upstream(
    'shop',
    script.map((fault) => ({ requests: 1, fault })),
    { sku: 'kettle' },
  );
  beforeAll(() => upstream.start());
  afterAll(() => upstream.stop());

  const ask = async (attempt: string, signal?: AbortSignal): Promise<unknown> => {
    const options: RequestInit = {
      method: 'POST',
      body: '{}',
      headers: { 'x-attempt': attempt },
      ...(signal && { signal }),
    };
    const response = await fetch(upstream.url, options);
    return response.ok ? response.json() : response.status;
  };

  it('does what the schedule says, in its order, and writes down every request', async () => {
    expect(await ask('a/1')).toEqual({ sku: 'kettle' });
    expect(await ask('a/2')).toBe(500);
    expect(await ask('a/3')).toBe(429);
    await expect(ask('a/4')).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
    await expect(ask('a/5')).rejects.toMatchObject({ message: 'terminated' });
    await expect(ask('a/6')).rejects.toMatchObject({ name: 'SyntaxError' });
    expect(await ask('a/7')).toEqual({});
    await expect(ask('a/8')).rejects.toMatchObject({ message: 'fetch failed' });
    expect(upstream.fault).toBe('down');
    const controller = new AbortController();
    const slow = ask('a/9', controller.signal);
    while (upstream.arrivals.length < script.length) await delay(5);
    controller.abort(new Error('enough'));
    await expect(slow).rejects.toThrow('enough');
    expect(upstream.arrivals).toEqual(script.map((_, index) => `a/${index + 1}`));
  });
});
