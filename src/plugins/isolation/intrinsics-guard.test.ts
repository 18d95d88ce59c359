import { describe, expect, it } from 'vitest';
import { languageMembers } from './fixtures/language-members.ts';
import { IntrinsicsGuard } from './intrinsics-guard.ts';

type Holder = Record<PropertyKey, unknown>;

const members = languageMembers().map(({ path, key, name, isGetter }) => ({
  name,
  isGetter,
  holder: new Function(`return ${path}`)() as Holder,
  key: new Function(`return ${key}`)() as PropertyKey,
}));

describe('the guard of the built-ins', () => {
  it('knows the language', () => {
    expect(members.length).toBeGreaterThan(300);
  });

  it.each(['replaced', 'removed'])('finds and puts back each one that was %s, and no other', (how) => {
    const guard = new IntrinsicsGuard();
    const wrong: unknown[] = [];
    const { defineProperty, getOwnPropertyDescriptor } = Object;
    for (const { name, holder, key, isGetter } of members) {
      const before = getOwnPropertyDescriptor(holder, key);
      if (!before) continue;
      if (how === 'removed') Reflect.deleteProperty(holder, key);
      else if (isGetter) defineProperty(holder, key, { get: () => 0 });
      else defineProperty(holder, key, { value: () => 0 });
      const found = guard.restore();
      const after = getOwnPropertyDescriptor(holder, key);
      const isBack = after?.value === before.value && after?.get === before.get && after?.writable === before.writable;
      if (!isBack || found?.length !== 1 || found[0] !== name) wrong.push([name, found, isBack]);
    }
    expect(wrong).toEqual([]);
    expect(guard.restore()).toBeUndefined();
  });

  it('tells what was added once, and leaves it', () => {
    const guard = new IntrinsicsGuard();
    Object.defineProperty(Array.prototype, 'fromTheFuture', { value: () => 1, configurable: true });
    expect(guard.restore()).toBeUndefined();
    expect(guard.additions()).toEqual(['Array.prototype.fromTheFuture']);
    expect(guard.additions()).toEqual([]);
    expect('fromTheFuture' in []).toBe(true);
    Reflect.deleteProperty(Array.prototype, 'fromTheFuture');
  });

  it('takes no offence at what Node loads when it is first read', () => {
    const guard = new IntrinsicsGuard();
    new Response('x');
    expect(guard.restoreThoroughly()).toBeUndefined();
    const { json } = Response.prototype;
    Object.assign(Response.prototype, { json: async () => 'other' });
    expect(guard.restore()).toEqual(['Response.prototype.json']);
    expect(Response.prototype.json).toBe(json);
    Object.assign(globalThis, { FormData: class {} });
    expect(guard.restoreThoroughly()).toEqual(['FormData']);
  });

  it('removes what is enumerable on every object, and what changes the language', () => {
    const guard = new IntrinsicsGuard();
    (Object.prototype as Holder).extra = 1;
    Object.defineProperty(Array.prototype, 'toJSON', { value: () => [], configurable: true });
    expect(guard.restore()).toEqual(['Array.prototype.toJSON', 'Object.prototype.extra']);
    expect('extra' in {} || 'toJSON' in []).toBe(false);
  });
});
