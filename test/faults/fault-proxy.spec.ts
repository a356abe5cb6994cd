import { once } from 'node:events';
import { get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { until } from '../redis/support.js';
import { FaultProxy } from './fault-proxy.js';
import * as faults from './faults.js';
import { BODY, PATHS, Upstream } from './upstream.js';

const REQUEST = 'GET /sized HTTP/1.1\r\nhost: localhost\r\n\r\n';

let upstream: Upstream;
let proxy: FaultProxy;
beforeEach(async () => {
  upstream = await Upstream.start();
  proxy = await FaultProxy.to(upstream.port);
});
afterEach(async () => {
  await proxy.close();
  expect(proxy.open).toBe(0);
  await until(() => upstream.open === 0);
  await upstream.stop();
});

/** What a client hears that asks once. */
interface Heard {
  readonly socket: Socket;
  text: string;
  /** `FIN`, or the code of an error. */
  end: string;
}

function ask(text = REQUEST): Heard {
  const socket = connect(proxy.port, '127.0.0.1', () => socket.write(text));
  const heard: Heard = { socket, text: '', end: '' };
  socket.on('data', (data) => (heard.text += data.toString()));
  socket.on('end', () => (heard.end ||= 'FIN'));
  socket.on('error', (error: Error & { code?: string }) => (heard.end ||= error.code ?? ''));
  return heard;
}

/** Longer than anything takes that happens at once. */
const aMoment = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 60));

const BROKEN = expect.stringMatching(/^(ECONNRESET|EPIPE)$/);

describe('a fault proxy', () => {
  it('without a fault gives what the server says, whole', async () => {
    for (const path of PATHS.slice(0, 2)) {
      const said = await new Promise<string>((resolve) => {
        get(`http://127.0.0.1:${proxy.port}${path}`, (message) => {
          let text = '';
          message.on('data', (data: Buffer) => (text += data.toString())).on('end', () => resolve(text));
        });
      });
      expect(said).toBe(BODY);
    }
    expect(upstream.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /sized',
      'GET /chunked',
    ]);
  });

  it('refuses connections, cuts those that are there, and takes them again on the same port', async () => {
    const { port } = proxy;
    const before = ask();
    await until(() => before.text.includes(BODY));
    await proxy.refuse();
    await until(() => before.end === 'ECONNRESET');
    const during = ask();
    await until(() => during.end === 'ECONNREFUSED');
    await proxy.accept();
    const after = ask();
    await until(() => after.text.includes(BODY));
    expect([proxy.port, upstream.requests.length]).toEqual([port, 2]);
  });

  it.each([
    ['at the connection', faults.RESET_AT_CONNECT, faults.CLOSED_AT_CONNECT, 0],
    ['in the headers', faults.RESET_IN_HEADERS, faults.CLOSED_IN_HEADERS, 40],
    ['in the body', faults.RESET_IN_BODY, faults.CLOSED_IN_BODY, 500],
  ])('resets, or closes, %s', async (_place, resets, closes, bytes) => {
    proxy.will(resets, closes);
    const [reset, closed] = [ask(), ask()];
    await until(() => reset.end !== '' && closed.end !== '');
    const ends = new Map([reset, closed].map((heard) => [heard.end, heard.text.length]));
    expect([...ends].sort()).toEqual([
      [BROKEN, bytes],
      ['FIN', bytes],
    ]);
    expect(proxy.met).toEqual([resets, closes]);
    expect(upstream.requests).toHaveLength(bytes === 0 ? 0 : 2);
    expect(reset.text.includes('\r\n\r\n')).toBe(bytes === 500);
  });

  it('answers what is no HTTP', async () => {
    proxy.will(faults.GARBAGE);
    const heard = ask();
    await until(() => heard.end === 'FIN');
    expect([heard.text, upstream.requests]).toEqual([faults.GARBAGE.answer, []]);
  });

  it.each([
    ['from the beginning', faults.BLACK_HOLE, 0],
    ['from the beginning, as if it were not there', faults.GONE_AT_CONNECT, 0],
    ['in the body, as if it were not there', faults.GONE_IN_BODY, 500],
  ])('says nothing %s, and does not hang up', async (_when, fault, bytes) => {
    proxy.will(fault);
    const heard = ask();
    await until(() => proxy.met.length === 1 && heard.text.length === bytes);
    await aMoment();
    expect([heard.text.length, heard.end, proxy.open]).toEqual([bytes, '', 1]);
    heard.socket.destroy();
    if (fault === faults.BLACK_HOLE) await until(() => proxy.open === 0);
  });

  it('reads nothing where the other end is gone', async () => {
    proxy.will(faults.GONE_AT_CONNECT, faults.BLACK_HOLE);
    // More than the buffers of two sockets hold.
    const flood = 'x'.repeat(16_000_000);
    const gone = ask(flood);
    await until(() => proxy.met.length === 1);
    const hole = ask(flood);
    await until(() => hole.socket.connecting === false && hole.socket.writableLength === 0);
    expect(gone.socket.writableLength).toBeGreaterThan(0);
    gone.socket.destroy();
    hole.socket.destroy();
  });

  it('lets one request through on a connection, and resets it at the second', async () => {
    proxy.will(faults.STALE);
    const heard = ask();
    await until(() => heard.text.includes(BODY));
    heard.socket.write(REQUEST);
    await until(() => heard.end !== '');
    expect([heard.end, upstream.requests.length]).toEqual([BROKEN, 1]);
  });

  it('is late both ways, keeping the order', async () => {
    proxy.will(faults.late(50));
    const startMs = performance.now();
    const heard = ask();
    await until(() => upstream.requests.length === 1);
    expect(performance.now() - startMs).toBeGreaterThanOrEqual(49);
    await until(() => heard.text.endsWith(BODY));
    expect(performance.now() - startMs).toBeGreaterThanOrEqual(99);
  });

  it('gives 20 kB a second through a narrow line, and one byte a second through the narrowest', async () => {
    proxy.will(faults.NARROW, faults.ONE_BYTE_A_SECOND);
    const startMs = performance.now();
    const narrow = ask();
    await until(() => proxy.met.length === 1);
    const narrowest = ask();
    await until(() => narrow.text.endsWith(BODY));
    expect(performance.now() - startMs).toBeGreaterThanOrEqual((narrow.text.length / 200) * 10 - 10);
    await until(() => narrowest.text.length === 2);
    expect(performance.now() - startMs).toBeGreaterThanOrEqual(1_990);
    expect(narrowest.text).toBe('HT');
  });

  it('cuts what is open, with or without a word', async () => {
    const [told, untold] = [ask(), ask()];
    await until(() => told.text.includes(BODY) && untold.text.includes(BODY));
    proxy.cut('silence');
    untold.socket.write(REQUEST);
    await aMoment();
    expect([told.end, untold.end, upstream.requests.length]).toEqual(['', '', 2]);
    proxy.cut();
    await until(() => told.end === 'ECONNRESET' && untold.end === 'ECONNRESET');
  });

  it('lets a client go that ends first', async () => {
    const heard = ask();
    await until(() => heard.text.includes(BODY));
    heard.socket.end();
    await once(heard.socket, 'close');
    await until(() => proxy.open === 0 && upstream.open === 0);
    expect(heard.end).toBe('FIN');
  });
});
