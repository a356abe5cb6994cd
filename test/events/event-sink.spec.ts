import { describe, expect, it } from '@jest/globals';
import { InMemoryEventSink, NoopEventSink } from '../../lib/index.js';
import { event, numberOf } from './support.js';

describe('the in-memory sink', () => {
  it('keeps the order [R248]', () => {
    const sink = new InMemoryEventSink();
    const told = [event(3), event(1), event(2)];
    for (const one of told) sink.emit(one);
    expect(sink.events()).toEqual(told);
    expect(sink.events().map(numberOf)).toEqual([3, 1, 2]);
  });

  it('gives a list that later events do not change, and that nobody can change', () => {
    const sink = new InMemoryEventSink();
    sink.emit(event(1));
    const before = sink.events();
    sink.emit(event(2));
    expect(before.map(numberOf)).toEqual([1]);
    expect(() => (before as unknown[]).push(event(3))).toThrow(TypeError);
    expect(sink.events().map(numberOf)).toEqual([1, 2]);
  });

  it('is empty after clear() and fills again [R249]', () => {
    const sink = new InMemoryEventSink();
    sink.emit(event(1));
    const before = sink.events();
    sink.clear();
    expect(sink.events()).toEqual([]);
    expect(before).toHaveLength(1);
    sink.emit(event(2));
    expect(sink.events().map(numberOf)).toEqual([2]);
  });

  it('gives the types of all events or of one operation', () => {
    const sink = new InMemoryEventSink();
    sink.emit(event(1));
    sink.emit(event(2, 'refund'));
    expect(sink.sequence()).toEqual(['attempt.started', 'attempt.started']);
    expect(sink.sequence('refund')).toEqual(['attempt.started']);
    expect(sink.sequence('nobody')).toEqual([]);
  });
});

describe('the no-op sink', () => {
  it('takes everything [R250]', () => {
    expect(new NoopEventSink().emit(event())).toBeUndefined();
  });
});
