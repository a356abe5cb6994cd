import { describe, expect, it } from '@jest/globals';
import { resilient } from '../../lib/index.js';
import type { Fn } from './support.js';

describe('a resilient function', () => {
  it('has the name, the length and the properties of its function, and may be changed', () => {
    const tag = Symbol('tag');
    const fn: Fn = async (_id: number, _name: string) => 1;
    Object.defineProperty(fn, tag, { value: 'fixed', enumerable: true });
    const run = resilient({ name: 'op' }, fn) as Fn;
    expect([run.name, run.length]).toEqual(['fn', 2]);
    expect(Object.getOwnPropertyDescriptor(run, tag)).toEqual({
      value: 'fixed',
      enumerable: true,
      configurable: true,
      writable: false,
    });
    expect(Object.getOwnPropertyDescriptor(run, 'name')?.configurable).toBe(true);
  });

  it('has nothing of what belongs to one function only', () => {
    // eslint-disable-next-line @typescript-eslint/no-implied-eval -- code outside strict mode: the module has none
    const sloppy = new Function('a', 'return a') as Fn;
    expect(Reflect.ownKeys(sloppy).sort()).toEqual(['arguments', 'caller', 'length', 'name', 'prototype']);
    expect(Reflect.ownKeys(resilient({ name: 'op' }, sloppy)).sort()).toEqual(['length', 'name']);
  });
});
