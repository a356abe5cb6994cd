import { describe, expect, it } from '@jest/globals';
import { EventEmitter, InMemoryEventSink } from '../../lib/index.js';
import { EventTap } from '../../lib/operation/event-tap.js';
import type { Plan } from '../../lib/operation/plan.js';

const emitterOf = () => new EventEmitter({ sinks: [new InMemoryEventSink()] });
const planWith = (...emitters: EventEmitter[]) =>
  ({ emitters: emitters.length === 0 ? undefined : emitters }) as unknown as Plan;

describe('a tap on the events of plans', () => {
  it('lets an emitter hear all plans, those that come later too, beside who hears them anyway', () => {
    const [own, listener] = [emitterOf(), emitterOf()];
    const [plain, heard, late] = [planWith(), planWith(own), planWith()];
    const tap = new EventTap();
    tap.add(plain);
    tap.add(heard);
    expect([plain.emitters, tap.emitter]).toEqual([undefined, undefined]);
    tap.open(listener);
    tap.add(late);
    expect(tap.emitter).toBe(listener);
    expect(plain.emitters).toEqual([listener]);
    expect(heard.emitters).toEqual([own, listener]);
    expect(late.emitters).toEqual([listener]);
  });

  it('leaves the plans as they were when it is closed', () => {
    const own = emitterOf();
    const [plain, heard] = [planWith(), planWith(own)];
    const tap = new EventTap();
    tap.add(plain);
    tap.add(heard);
    tap.open(emitterOf());
    tap.close();
    tap.close();
    expect([plain.emitters, tap.emitter]).toEqual([undefined, undefined]);
    expect(heard.emitters).toEqual([own]);
  });

  it('has one listener at a time', () => {
    const [first, second] = [emitterOf(), emitterOf()];
    const plan = planWith();
    const tap = new EventTap();
    tap.add(plan);
    tap.open(first);
    tap.open(second);
    expect(plan.emitters).toEqual([second]);
  });
});
