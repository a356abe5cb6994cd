import { describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Resilient, Shield, Shielded, ShieldRegistry } from '../../lib/index.js';
import { ResilienceModule } from '../../nest-module/index.js';
import {
  fail,
  hang,
  ResilienceTesting,
  ResilienceTestingModule,
  succeed,
  type ResilienceTestingModuleOptions,
} from '../../nest-module/testing/index.js';
import { initialised } from '../nest/support.js';
import { mistakeOf } from '../support/mistake-of.js';
import { rejection } from '../operation/support.js';
import { GITHUB, GithubClient, Overloaded } from './support.js';

/** Names what no test registers. */
@Injectable()
class Unregistered {
  calls = 0;

  @Shielded('nobody', { maxConcurrent: 1, circuitBreaker: 'nobody', deadline: '1s' })
  async call(): Promise<string> {
    this.calls += 1;
    throw new Overloaded('once');
  }

  @Resilient({ concurrencyLimit: 'nobody' })
  async limited(): Promise<string> {
    return 'done';
  }
}

async function underTest(options: ResilienceTestingModuleOptions, ...providers: never[]) {
  const imports = [ResilienceTestingModule.forRoot(options)];
  const app = await initialised(await Test.createTestingModule({ imports, providers }).compile());
  return { app, resilience: app.get(ResilienceTesting) };
}

describe('ResilienceTesting', () => {
  it('scripts what a shielded method meets, and its shield goes by the fake clock', async () => {
    const { app, resilience } = await underTest({ shields: [GITHUB] }, GithubClient as never);
    resilience.script('GithubClient.issues', fail(new Overloaded('no')), hang(), succeed('issues'));
    expect(await resilience.settle(app.get(GithubClient).issues())).toBe('issues');
    const { attempts, metadata } = resilience.lastReport('GithubClient.issues');
    expect(attempts.map(({ status }) => status)).toEqual(['failed', 'timed_out', 'succeeded']);
    expect(metadata).toMatchObject({ shield_name: 'github', shield_profile: 'api' });
    expect(app.get(GithubClient).calls).toBe(0);
    expect(app.get(ShieldRegistry).get('github').snapshot().engaged).toBe(true);
    expect(resilience.events.sequence('GithubClient.issues')).toContain('shield.engaged');
    resilience.verifyScripts();
    expect(resilience.clock.pendingTimers).toBe(0);
  });

  it('knows the names of shielded methods', async () => {
    const { resilience } = await underTest({ shields: [GITHUB] }, GithubClient as never);
    expect(mistakeOf(() => resilience.script('GithubClient.isues', hang())).message).toBe(
      "operationName 'GithubClient.isues' is not known; did you mean 'GithubClient.issues'?",
    );
  });

  it('scripts what a shield meets that a class uses by itself', async () => {
    const { app, resilience } = await underTest({ shields: [GITHUB] });
    const shield = app.get(ShieldRegistry).get('github');
    const fetchPage = shield.protect(async function fetchPage(): Promise<string> {
      return 'real';
    });
    resilience.script('fetchPage', succeed('scripted'));
    expect(await resilience.settle(fetchPage())).toBe('scripted');
    expect(await resilience.settle(rejection(fetchPage()))).toMatchObject({ name: 'MisuseError' });
  });

  it('lets a method pass through without its shield and its limits, which need not exist', async () => {
    const { app, resilience } = await underTest({ passThrough: true }, Unregistered as never);
    const client = app.get(Unregistered);
    expect(await resilience.settle(rejection(client.call()))).toBeInstanceOf(Overloaded);
    expect(await client.limited()).toBe('done');
    expect(client.calls).toBe(1);
    expect(resilience.lastReport('Unregistered.call').metadata).not.toHaveProperty('shield_name');
  });

  it('reaches the shields of an application that imports the module itself', async () => {
    const resilience = new ResilienceTesting();
    const metadata = {
      imports: [ResilienceModule.forRoot({ shields: [GITHUB] })],
      providers: [GithubClient],
    };
    const builder = resilience.override(Test.createTestingModule(metadata));
    const app = await initialised(await builder.compile());
    resilience.script('GithubClient.issues', hang(), succeed('issues'));
    expect(await resilience.settle(app.get(GithubClient).issues())).toBe('issues');
    const [shield] = app.get(ShieldRegistry).list() as [Shield];
    expect(shield.clock).toBe(resilience.clock);
  });
});
