import { describe, expect, it } from '@jest/globals';
import * as core from '../../lib/index.js';
import type { AnyEvent } from '../../lib/index.js';
import { POLICY_OPTIONS } from '../../lib/operation/options.js';
import { FakeClock } from '../../lib/testing/index.js';
import { EVENT_TYPES, STORIES } from '../operation/every-event.js';
import { build } from '../operation/support.js';
import { pages, read } from './fences.js';

/** What a page does not mention in code type. */
function missing(page: string, words: Iterable<string>): string[] {
  const text = read(page);
  return [...new Set(words)].filter((word) => !new RegExp(`\`${word}[\`:]`).test(text));
}

/** Every event, of calls in which each type happens. */
async function everyEvent(): Promise<readonly AnyEvent[]> {
  const sink = new core.InMemoryEventSink();
  const events = new core.EventEmitter({ sinks: [sink] });
  for (const story of new Set(Object.values(STORIES))) {
    const clock = new FakeClock();
    const { upstream, policies } = await story(clock);
    const operation = build(upstream.call, { ...policies, events }, clock);
    await clock.settle(operation.run().catch(() => undefined));
  }
  return sink.events();
}

/** What test/public-surface keeps a list of. */
function promised() {
  const text = read('test/public-surface/stable-names.txt');
  const linesOf = (heading: string): string[] => {
    const section = text.split(/^# /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
    return section.trim().split('\n').slice(1);
  };
  const nameOf = (line: string): string => line.split(':')[0] as string;
  const keysOf = (line: string): string[] => (line.split(': ')[1] ?? '').replaceAll('?', '').split(', ');
  return {
    events: linesOf('types of events, with the keys of their payloads').map(nameOf),
    metadata: linesOf('keys of metadata').flatMap(keysOf),
    codes: linesOf('codes and variables').filter((code) => !code.endsWith('_')),
    tools: linesOf('tools for agents, what they take and what they give').map(nameOf),
  };
}

describe('the documentation mentions', () => {
  it('every error class with its code', () => {
    const errors = Object.values(core).filter(
      (value) => typeof value === 'function' && value.prototype instanceof Error,
    );
    const words = errors.flatMap(({ name, prototype }) => [name, (prototype as { code: string }).code]);
    expect(words.length).toBeGreaterThan(10);
    for (const page of ['docs/concepts.md', 'docs/errors.md']) expect(missing(page, words)).toEqual([]);
  });

  it('every option', () => {
    expect(missing('README.md', [...POLICY_OPTIONS, 'name', 'throws', 'returns', 'use'])).toEqual([]);
  });

  it('every type of event, and every key of the payloads', async () => {
    const events = await everyEvent();
    expect(new Set(events.map(({ eventType }) => eventType))).toEqual(new Set(EVENT_TYPES));
    const keys = [...new Set(events.flatMap(({ payload }) => Object.keys(payload)))];
    const metadata = keys.filter((key) => missing('docs/events.md', [key]).length > 0);
    expect(missing('docs/concepts.md', metadata)).toEqual([]);
    expect(missing('docs/events.md', EVENT_TYPES)).toEqual([]);
  });

  it('every name on the wire that it promises to keep', () => {
    const { events, metadata, codes, tools } = promised();
    expect(events.length + metadata.length + codes.length + tools.length).toBeGreaterThan(100);
    expect(missing('docs/events.md', events)).toEqual([]);
    expect(missing('docs/mcp.md', tools)).toEqual([]);
    const everywhere = pages().map((page) => new Set(missing(page, [...metadata, ...codes])));
    const nowhere = [...metadata, ...codes].filter((name) => everywhere.every((page) => page.has(name)));
    expect(nowhere).toEqual([]);
  });
});
