import { createServer, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

/** One execution, as the upstream has seen it. */
export interface Execution {
  readonly key: string;
  readonly by: string;
  readonly pid: number;
  readonly atMs: number;
}

/** What the work of several processes comes to, and where they meet before they begin together. */
export class WorkPlace {
  readonly executions: Execution[] = [];
  /** What the work gives, when it is done. */
  answer: (execution: Execution) => Promise<string> = ({ by }) => Promise.resolve(`value of ${by}`);
  /** How many processes meet before each round. */
  crew = 1;
  private readonly met = new Map<string, ServerResponse[]>();

  private constructor(private readonly server: Server) {}

  static async open(): Promise<WorkPlace> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const place = new WorkPlace(server);
    server.on('request', ({ url = '' }, response) => {
      const { pathname, searchParams } = new URL(url, place.url);
      const [, kind, what = ''] = pathname.split('/');
      if (kind === 'meet') place.meet(what, response);
      else void place.work(what, searchParams, response);
    });
    return place;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  reset(crew: number): void {
    this.crew = crew;
    this.executions.length = 0;
    this.met.clear();
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private meet(round: string, response: ServerResponse): void {
    const waiting = this.met.get(round) ?? [];
    this.met.set(round, [...waiting, response]);
    if (waiting.length + 1 < this.crew) return;
    for (const each of [...waiting, response]) each.end();
  }

  private async work(key: string, search: URLSearchParams, response: ServerResponse): Promise<void> {
    const execution: Execution = {
      key: decodeURIComponent(key),
      by: search.get('by') ?? '',
      pid: Number(search.get('pid')),
      atMs: performance.now(),
    };
    this.executions.push(execution);
    response.end(await this.answer(execution));
  }
}
