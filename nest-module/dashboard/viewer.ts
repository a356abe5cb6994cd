import type { ServerResponse } from 'node:http';
import { writeHead } from './answers.js';

/** How many frames in a row a browser may miss before it counts as gone. */
const MOST_MISSED = 15;
/** Frames that one connection lives: the guard is asked again from time to time. */
const MOST_FRAMES = 600;

/**
 * A browser that watches, over one connection. What it does not take is left out: no more than one frame ever waits
 * for it.
 */
export class Viewer {
  private isBlocked = false;
  private missed = 0;
  private frames = 0;

  constructor(private readonly response: ServerResponse) {
    writeHead(response, 200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      // For proxies that would wait until there is more.
      'X-Accel-Buffering': 'no',
      // A server that closes waits for connections that it would keep. HTTP/2 has no such header.
      ...(response.req.httpVersionMajor === 1 && { Connection: 'close' }),
    });
  }

  /** Calls back once, when the connection has ended, whoever ended it. */
  onGone(listener: () => void): void {
    this.response.once('close', listener);
    // What goes wrong on a connection closes it, too.
    this.response.on('error', () => undefined);
  }

  /** Sends an event, unless the one before is still on its way. */
  send(event: string): void {
    if (this.response.destroyed || this.response.writableEnded) return;
    if (this.isBlocked) {
      this.missed += 1;
      if (this.missed >= MOST_MISSED) this.response.destroy();
      return;
    }
    this.missed = 0;
    this.frames += 1;
    this.isBlocked = !this.response.write(event);
    if (this.isBlocked) this.response.once('drain', () => (this.isBlocked = false));
    if (this.frames >= MOST_FRAMES) this.end();
  }

  /** What it has been sent and has not taken. */
  get waitingBytes(): number {
    return this.response.writableLength;
  }

  /** Node's server closes a connection whose answer has ended, whether the browser has taken it or not. */
  end(): void {
    this.response.end();
  }
}
