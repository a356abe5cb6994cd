import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Change {
  readonly from: string;
  readonly to: string;
  readonly by: string;
  readonly openedBy: string | null;
  readonly atMs: number;
}

/** What a process says of itself, again and again. */
export interface Saying {
  readonly name: string;
  readonly breaker: string;
  readonly sharing: string;
  readonly replicas: number;
  readonly changes: readonly Change[];
}

/** One call, as the upstream sees it. */
export interface Asked {
  readonly by: string;
  /** The state of the breaker that let it through. */
  readonly state: string;
  readonly pid: number;
}

/** The upstream of several processes, and where they say how they are. */
export class ControlRoom {
  readonly sayings = new Map<string, Saying>();
  /** What a call is answered: 200 with this text, or 500 for `undefined`. */
  answer: (asked: Asked) => Promise<string | undefined> = () => Promise.resolve('fine');
  isOver = false;
  readonly probes: Asked[] = [];
  probing = 0;
  mostProbing = 0;

  private constructor(private readonly server: Server) {}

  static async open(): Promise<ControlRoom> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const room = new ControlRoom(server);
    server.on('request', (request, response) => {
      void room.respond(request).then((text) => {
        response.statusCode = text === undefined ? 500 : 200;
        response.end(text);
      });
    });
    return room;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  reset(): void {
    this.sayings.clear();
    this.probes.length = this.probing = this.mostProbing = 0;
    this.answer = () => Promise.resolve('fine');
    this.isOver = false;
  }

  is(name: string, expected: Partial<Saying>): boolean {
    const said = this.sayings.get(name);
    return Object.entries(expected).every(([key, value]) => said?.[key as keyof Saying] === value);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async respond(request: IncomingMessage): Promise<string | undefined> {
    const { pathname, searchParams } = new URL(request.url ?? '', this.url);
    if (pathname === '/say') return this.hear(request);
    const [by = '', state = ''] = [searchParams.get('by') ?? '', searchParams.get('state') ?? ''];
    const asked = { by, state, pid: Number(searchParams.get('pid')) };
    return state === 'half_open' ? this.probe(asked) : this.answer(asked);
  }

  private async probe(asked: Asked): Promise<string | undefined> {
    this.probes.push(asked);
    this.probing += 1;
    this.mostProbing = Math.max(this.mostProbing, this.probing);
    const text = await this.answer(asked);
    this.probing -= 1;
    return text;
  }

  private async hear(request: IncomingMessage): Promise<string> {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const said = JSON.parse(text) as Saying;
    this.sayings.set(said.name, said);
    return this.isOver ? 'end' : 'go on';
  }
}
