import 'reflect-metadata';
import { get } from 'node:http';
import { expect, it } from '@jest/globals';
import { faultOf, inRound } from '../../samples/outage/fault-schedule.js';
import { faults } from '../../samples/outage/faults.js';
import { watchOutages } from '../../samples/outage/watch-outages.js';

/** What the page of an application is told until something is in it. */
async function toldUntil(url: string, isThere: (frame: any) => boolean): Promise<any> {
  return await new Promise((resolve, reject) => {
    let rest = '';
    const request = get(url, { agent: false }, (response) => {
      response.setEncoding('utf8').on('data', (text: string) => {
        const parts = (rest + text).split('\n\n');
        rest = parts.pop() ?? '';
        for (const part of parts) {
          const [event, data = ''] = part.split('\n');
          if (event !== 'event: frame') continue;
          const frame = JSON.parse(data.slice('data: '.length)) as unknown;
          if (!isThere(frame)) continue;
          resolve(frame);
          request.destroy();
        }
      });
    }).once('error', reject);
  });
}

it('lets outages follow each other on the page of the application, until it is stopped', async () => {
  const stop = new AbortController();
  const printed: string[] = [];
  const watching = watchOutages({ port: 0, signal: stop.signal, print: (text) => void printed.push(text) });
  while (printed.length === 0) await new Promise((resolve) => void setImmediate(resolve));
  const url = /http:\/\/127\.0\.0\.1:\d+\/resilience/.exec(printed[0] ?? '')?.[0] ?? '';
  const page = await (await fetch(url, { headers: { connection: 'close' } })).text();
  expect(page).toContain('data-operable="true"');
  const { circuit_breakers, operations } = await toldUntil(`${url}/events`, ({ calls }) => calls >= 20);
  expect(circuit_breakers.map(({ name }: any) => name)).toEqual(['payments', 'shipping']);
  expect(operations.map(({ operation_name }: any) => operation_name).sort()).toEqual([
    'CatalogClient.find',
    'PaymentsClient.charge',
    'RatesClient.today',
    'ShippingClient.offer',
  ]);
  stop.abort();
  await watching;
}, 30_000);

it('begins a schedule of faults again after its last one', () => {
  const round = faults.rates.reduce((sum, { requests }) => sum + requests, 0);
  expect(inRound(faults.rates, round)).toBe(round);
  expect(inRound(faults.rates, round + 1)).toBe(1);
  expect(faultOf(faults.rates, inRound(faults.rates, round + 30))).toBe('status 429');
  expect(inRound([], 7)).toBe(7);
});
