import { get, type IncomingMessage } from 'node:http';
import { until } from './support.js';

/** What the server has sent. */
export interface Told {
  readonly event: string;
  readonly data: any;
}

/** A browser that watches. */
export interface Watching {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly told: readonly Told[];
  readonly hasEnded: boolean;
  /** Waits for as many events as that. */
  expect(count: number): Promise<readonly Told[]>;
  /** Stops reading, as a browser that hangs. */
  stall(): void;
  /** Goes away without a word. */
  leave(): void;
}

export async function watchEvents(url: string): Promise<Watching> {
  const told: Told[] = [];
  let ended = false;
  let rest = '';
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { agent: false }, resolve).on('error', (error) => {
      ended = true;
      reject(error);
    });
  });
  response.setEncoding('utf8');
  response.on('data', (text: string) => {
    const parts = (rest + text).split('\n\n');
    rest = parts.pop() ?? '';
    for (const part of parts) told.push(read(part));
  });
  response.once('close', () => (ended = true)).on('error', () => (ended = true));
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    told,
    get hasEnded() {
      return ended;
    },
    expect: async (count) => {
      await until(() => told.length >= count);
      return told;
    },
    stall: () => void response.pause(),
    leave: () => void response.destroy(),
  };
}

function read(text: string): Told {
  const [event = '', data = ''] = text.split('\n');
  return {
    event: event.replace('event: ', ''),
    data: JSON.parse(data.replace('data: ', '')) as unknown,
  };
}
