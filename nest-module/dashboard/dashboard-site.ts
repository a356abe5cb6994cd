import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { errorType } from '../../lib/container.js';
import { ConfigurationError, type Clock } from '../../lib/index.js';
import type { ResilienceState } from '../state/resilience-state.js';
import { rawRequest, takeResponse, type GivenRequest, type GivenResponse } from '../site/raw-http.js';
import { sendJson, writeHead } from './answers.js';
import { executionJson, readHistory, type DashboardHistory } from './dashboard-history.js';
import { LiveShow } from './live-show.js';
import { operate } from './operate.js';
import { OwnPage } from './own-page.js';
import { CLIENT, htmlOf, STYLE } from './page/page.js';
import { readBody } from './request-body.js';
import { Viewer } from './viewer.js';
import { Viewers } from './viewers.js';

/** What a site is made of. */
export interface SiteParts {
  readonly state: ResilienceState;
  readonly clock: Clock;
  readonly history: DashboardHistory | undefined;
  /** Whether anybody may operate circuit breakers. */
  readonly isOperable: boolean;
}

/** Answers the requests of the page, and the one for the page. Who may ask has been found out before. */
export class DashboardSite {
  private readonly own = new OwnPage();
  private readonly show: LiveShow;
  private readonly viewers: Viewers;

  constructor(private readonly parts: SiteParts) {
    this.show = new LiveShow(parts.state);
    this.viewers = new Viewers(parts.clock, this.show);
  }

  /** @internal How many browsers watch. */
  get viewerCount(): number {
    return this.viewers.count;
  }

  /** @internal What these have been sent and have not taken yet. */
  get waitingBytes(): number {
    return this.viewers.waitingBytes;
  }

  /** Before the server closes, which would wait for them. */
  end(): void {
    this.viewers.end();
  }

  page(given: GivenResponse): void {
    const response = takeResponse(given);
    const { history, isOperable } = this.parts;
    writeHead(response, 200, {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': POLICY,
      'Cross-Origin-Opener-Policy': 'same-origin',
    });
    response.end(htmlOf({ token: this.own.token, isOperable, hasHistory: history !== undefined }));
  }

  events(request: GivenRequest, given: GivenResponse): void {
    const response = takeResponse(given);
    if (!this.viewers.hasRoom) return sendJson(response, 503, { error: 'no more browsers can watch now' });
    const viewer = new Viewer(response);
    if (rawRequest(request).method === 'HEAD') viewer.end();
    else this.viewers.add(viewer);
  }

  /** `null` for a call that is no longer kept, which is no error of whoever asks. */
  execution(callId: string, given: GivenResponse): void {
    const report = this.show.execution(callId);
    sendJson(takeResponse(given), 200, {
      execution: report === undefined ? null : executionJson(report),
    });
  }

  async history(request: GivenRequest, given: GivenResponse): Promise<void> {
    const response = takeResponse(given);
    const { history } = this.parts;
    if (history === undefined) return sendJson(response, 404, { error: 'there is no history' });
    try {
      sendJson(response, 200, await readHistory(history, queryOf(rawRequest(request))));
    } catch (error) {
      sendJson(response, 503, { error: `the history cannot be read: ${errorType(error)}` });
    }
  }

  async operate(request: GivenRequest, given: GivenResponse): Promise<void> {
    const response = takeResponse(given);
    const refusal = this.own.refusalOf(rawRequest(request));
    if (refusal !== undefined) return sendJson(response, 403, { error: refusal });
    try {
      const breaker = operate(this.parts.state, (await readBody(request)) ?? {});
      sendJson(response, 200, { circuit_breaker: breaker });
    } catch (error) {
      // Its words are ours, and name what was asked for.
      if (error instanceof ConfigurationError) sendJson(response, 400, { error: error.message });
      else sendJson(response, 500, { error: errorType(error) });
    }
  }
}

function queryOf({ url = '' }: IncomingMessage): URLSearchParams {
  return new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?') + 1) : '');
}

/** Nothing but the script and the style of the page itself, and texts that never become code. */
const POLICY = [
  "default-src 'none'",
  `script-src '${hashOf(CLIENT)}'`,
  `style-src '${hashOf(STYLE)}'`,
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
