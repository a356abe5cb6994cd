import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Injectable, ValidationPipe, VersioningType, type CallHandler } from '@nestjs/common';
import { APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { map } from 'rxjs';
import { CLIENT, STYLE } from '../../nest-module/dashboard/page/page.js';
import { ANYBODY, HeaderGuard, PLATFORMS, scene } from './support.js';

const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

describe.each(PLATFORMS)('the page of a dashboard on %s', (platform) => {
  it('comes with a policy that lets its own script and style run, and nothing else', async () => {
    const { ask } = await scene(platform);
    const { status, headers, text } = await ask('/resilience');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers.get('content-security-policy')?.split('; ')).toEqual([
      "default-src 'none'",
      `script-src ${hash(CLIENT)}`,
      `style-src ${hash(STYLE)}`,
      "connect-src 'self'",
      'img-src data:',
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ]);
    expect(text).toContain(`<script>${CLIENT}</script>`);
    expect(text).toContain(`<style>${STYLE}</style>`);
    expect(text.match(/<(script|style|iframe|img)\b/g)).toEqual(['<style', '<script']);
    expect(text).not.toMatch(/https?:\/\/(?!www\.w3\.org\/2000\/svg)|\son[a-z]+=| style=|innerHTML/);
  });

  it('is kept by nobody, framed by nobody and guessed by nobody', async () => {
    const { ask, client } = await scene(platform);
    await client.charge();
    for (const path of ['/resilience', '/resilience/executions/none']) {
      const { headers } = await ask(path);
      expect(Object.fromEntries(headers)).toMatchObject({
        'cache-control': 'no-store, no-transform',
        'cross-origin-resource-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
      });
      expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; .*frame-ancestors 'none'/);
    }
  });

  it('holds nothing of the application, which comes as data', async () => {
    const { ask, client } = await scene(platform);
    await client.fails(2);
    const { text } = await ask('/resilience');
    expect(text).not.toMatch(/payments|PaymentsClient/);
    expect(text).toMatch(
      /<html lang="en" data-token="[\w-]{24}" data-operable="false" data-history="false">/,
    );
  });

  it('is guarded, and so is everything that it asks for', async () => {
    const guard = new HeaderGuard('x-admin');
    const { ask, watch } = await scene(platform, { dashboard: { guard } });
    const paths = ['/resilience', '/resilience/events', '/resilience/executions/x', '/resilience/history'];
    for (const path of paths) expect([path, (await ask(path)).status]).toEqual([path, 403]);
    expect(guard.asked).toEqual(paths.map((path) => `GET ${path}`));
    expect((await watch()).status).toBe(403);
    expect((await ask('/resilience', { headers: { 'x-admin': 'yes' } })).status).toBe(200);
  });

  it('is shown only when all of several guards agree', async () => {
    const guard = [new HeaderGuard('x-admin'), new HeaderGuard('x-network')];
    const { ask } = await scene(platform, { dashboard: { guard } });
    const status = async (headers: Record<string, string>) => (await ask('/resilience', { headers })).status;
    expect(await status({ 'x-admin': 'yes' })).toBe(403);
    expect(await status({ 'x-network': 'yes' })).toBe(403);
    expect(await status({ 'x-admin': 'yes', 'x-network': 'yes' })).toBe(200);
  });

  it('has guards that are classes, and what they need from other modules', async () => {
    @Injectable()
    class Sessions {
      readonly open = true;
    }
    @Injectable()
    class SessionGuard {
      constructor(readonly sessions: Sessions) {}
      canActivate(): boolean {
        return this.sessions.open;
      }
    }
    const imports = [{ module: class {}, providers: [Sessions], exports: [Sessions] }];
    const { ask, app } = await scene(platform, { dashboard: { guard: SessionGuard, imports } });
    expect((await ask('/resilience')).status).toBe(200);
    Object.assign(app.get(Sessions, { strict: false }), { open: false });
    expect((await ask('/resilience')).status).toBe(403);
  });

  it('is where it was put, below a global prefix and beside versions', async () => {
    const { ask } = await scene(platform, {
      dashboard: { unsafe: true, path: 'ops/live' },
      adapt: (app) => {
        app.setGlobalPrefix('api');
        app.enableVersioning({ type: VersioningType.URI, defaultVersion: '2' });
      },
    });
    expect((await ask('/api/ops/live')).status).toBe(200);
    expect((await ask('/api/ops/live/executions/x')).text).toBe('{"execution":null}');
    expect((await ask('/ops/live')).status).toBe(404);
  });

  it('does not mind what the application does to all its answers', async () => {
    const envelope = {
      intercept: (_: unknown, next: CallHandler) => next.handle().pipe(map((data) => ({ data }))),
    };
    const { ask, watch, clock } = await scene(platform, {
      metadata: {
        providers: [
          { provide: APP_INTERCEPTOR, useValue: envelope },
          {
            provide: APP_PIPE,
            useValue: new ValidationPipe({ whitelist: true, forbidNonWhitelisted: true }),
          },
        ],
      },
      adapt: (app) => app.enableCors({ origin: true, credentials: true }),
    });
    const { text, headers } = await ask('/resilience', { headers: { origin: 'http://other.example' } });
    expect(text).toMatch(/^<!doctype html>/);
    expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    expect((await ask('/resilience/executions/x')).text).toBe('{"execution":null}');
    const watching = await watch();
    await watching.expect(2);
    await clock.advance(1);
    expect((await watching.expect(3)).map(({ event }) => event)).toEqual(['opening', 'frame', 'frame']);
  });

  it('is not in the description of the API', async () => {
    const { app } = await scene(platform, { dashboard: { unsafe: true, operatorGuard: ANYBODY } });
    const { paths } = SwaggerModule.createDocument(app, new DocumentBuilder().build());
    expect(Object.keys(paths)).toEqual([]);
  });

  it('is one of several, each with its own path and guard', async () => {
    const { ResilienceDashboardModule } = await import('../../nest-module/dashboard/index.js');
    const { ask } = await scene(platform, {
      dashboard: { unsafe: true, path: '/look' },
      metadata: {
        imports: [
          ResilienceDashboardModule.forRoot({
            path: '/operate',
            guard: new HeaderGuard('x-admin'),
            operatorGuard: ANYBODY,
          }),
        ],
      },
    });
    expect((await ask('/look')).text).toContain('data-operable="false"');
    expect((await ask('/operate')).status).toBe(403);
    const { text } = await ask('/operate', { headers: { 'x-admin': 'yes' } });
    expect(text).toContain('data-operable="true"');
  });
});
