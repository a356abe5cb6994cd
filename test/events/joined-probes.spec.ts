import { describe, expect, it } from '@jest/globals';
import { EventEmitter, MisuseError } from '../../lib/index.js';
import type { CallProbe, ProbedCall } from '../../lib/events/call-probe.js';
import { joinProbes } from '../../lib/operation/join-probes.js';
import { gives, scene } from '../operation/support.js';

const emitterWith = (...probes: CallProbe[]) =>
  new EventEmitter({ sinks: probes.map((probe) => ({ emit: () => undefined, probe })) });

/** The probes of these emitters as one, and the warnings of it. */
function joined(...emitters: EventEmitter[]) {
  const warnings: string[] = [];
  const probe = joinProbes(emitters, (message) => void warnings.push(message)) as CallProbe;
  return { probe, warnings };
}

describe('probes of several sinks', () => {
  it('are none where no sink has one, and have only the methods that one of them has', () => {
    expect(joinProbes([new EventEmitter()], () => undefined)).toBeUndefined();
    const { probe } = joined(emitterWith({ end: () => undefined }));
    const { end, ...others } = probe;
    expect(end).toBeInstanceOf(Function);
    expect(Object.values(others).filter((method) => method !== undefined)).toEqual([]);
  });

  it('are told in their order, each once, with themselves as this', () => {
    const told: unknown[] = [];
    const first = { ask: (breaker: { name: string }) => told.push(['first', breaker.name]) };
    const second = {
      ask(breaker: { name: string }) {
        told.push(['second', breaker.name, this === second]);
      },
      note: (call: unknown, attempt: unknown) => told.push([call, attempt]),
    };
    const { probe } = joined(emitterWith(first), emitterWith(second, first));
    probe.ask?.({ name: 'payments' });
    probe.note?.('call' as never, 'attempt' as never);
    expect(told).toEqual([
      ['first', 'payments'],
      ['second', 'payments', true],
      ['call', 'attempt'],
    ]);
  });

  it.each(['launch', 'invoke'] as const)('surround a call, the first outermost: %s', (name) => {
    const order: string[] = [];
    const around = (who: string) => ({
      [name]: (call: string, run: () => string) => {
        order.push(`${who} before ${call}`);
        const result = run();
        order.push(`${who} after`);
        return `${who}(${result})`;
      },
    });
    const { probe } = joined(emitterWith(around('a'), around('b'), around('c')));
    const run = () => {
      order.push('run');
      return 'done';
    };
    expect(probe[name]?.('op' as never, run as never)).toBe('a(b(c(done)))');
    expect(order).toEqual([
      'a before op',
      'b before op',
      'c before op',
      'run',
      'c after',
      'b after',
      'a after',
    ]);
  });

  it('surround a call, if there are only two of them', () => {
    const around = (who: string) => ({
      invoke: (_: unknown, run: () => unknown) => `${who}(${String(run())})`,
    });
    const { probe } = joined(emitterWith(around('a')), emitterWith(around('b')));
    expect(probe.invoke?.('op' as never, () => 'done')).toBe('a(b(done))');
  });

  it('that throw are warned of once, and harm neither the call nor the others', () => {
    const ended: unknown[] = [];
    const broken: CallProbe = {
      end: () => {
        throw new RangeError('secret');
      },
    };
    const { probe, warnings } = joined(emitterWith(broken, { end: (call) => void ended.push(call) }));
    probe.end?.('one' as never);
    probe.end?.('two' as never);
    expect(ended).toEqual(['one', 'two']);
    expect(warnings).toEqual(['what watches calls failed with RangeError']);
  });
});

describe('a call that a probe sees', () => {
  it('runs, as its method does, within what surrounds it, and gives what that gives', async () => {
    const order: string[] = [];
    const around = (what: string) => (_: ProbedCall, run: () => any) => {
      order.push(`${what} begins`);
      const outcome: unknown = run();
      order.push(`${what} has begun`);
      return outcome;
    };
    const probe = { launch: around('call'), invoke: around('method') } as CallProbe;
    const { result } = scene(
      () => {
        order.push('method');
        return Promise.resolve('good');
      },
      { events: emitterWith(probe) },
    );
    expect((await result()).value).toBe('good');
    expect(order).toEqual(['call begins', 'method begins', 'method', 'method has begun', 'call has begun']);
  });

  it('has a report once it has ended, and not before', async () => {
    const seen: unknown[] = [];
    const look = (call: ProbedCall): void => {
      try {
        seen.push(call.report.status);
      } catch (error) {
        seen.push(error);
      }
    };
    const probe: CallProbe = { succeed: look, end: look };
    const { result } = scene(gives('good'), { events: emitterWith(probe) });
    await result();
    expect(seen).toEqual([
      new MisuseError('op: the call has not ended yet, so there is no report'),
      'succeeded',
    ]);
    expect(seen[0]).toBeInstanceOf(MisuseError);
  });
});
