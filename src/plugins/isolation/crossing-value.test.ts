import { describe, expect, it } from 'vitest';
import { DeadlineExceeded } from '../../hooks/deadline.ts';
import { InvalidHandlerResult } from '../../protocol/handler.ts';
import { PluginMethodError, UnknownPluginError } from '../errors.ts';
import { type AnyFunction, CannotCross, decodeValue, encodeValue } from './crossing-value.ts';

const MB = 1024 * 1024;
const THENABLE = (then: unknown) => Object.fromEntries([['then', then]]);

/** There and back, as a message would take it. */
function across(value: unknown, maxBytes = MB): unknown {
  const functions: AnyFunction[] = [];
  const exits = { functionHandle: (each: AnyFunction) => functions.push(each) - 1, signalNumber: () => 1 };
  const encoded = structuredClone(encodeValue(value, exits, maxBytes));
  return decodeValue(encoded, {
    functionOf: (handle) => functions[handle] as AnyFunction,
    signalOf: (_, reason) => (reason ? AbortSignal.abort('over') : new AbortController().signal),
  });
}

describe('values that cross', () => {
  it.each<[string, unknown]>([
    ['plain data', { a: [1, 'two', null, undefined, true, 3n], b: { c: {} } }],
    ['dates and patterns', { at: new Date(5), like: /x+/gi }],
    ['bytes', { eight: new Uint8Array([1, 2]), wide: new Float64Array([1.5]), view: new DataView(new ArrayBuffer(2)) }],
    ['maps and sets', new Map<unknown, unknown>([['k', new Set([{ deep: 1 }])]])],
    ['nothing', undefined],
  ])('are copied: %s', (_, value) => {
    expect(across(value)).toEqual(value);
  });

  it('keep what refers to itself, and what is there twice', () => {
    const shared = { call: () => 'hi' };
    const loop: Record<string, unknown> = { one: shared, two: shared };
    loop.self = loop;
    const copy = across(loop) as { self: unknown; one: { call: () => string }; two: unknown };
    expect(copy.self).toBe(copy);
    expect(copy.one).toBe(copy.two);
    expect(copy.one.call()).toBe('hi');
  });

  it('are never awaited as promises by who gets them', () => {
    const forged = { value: THENABLE(null), marks: [{ path: ['then'], as: 'function' as const, handle: 1 }] };
    const entries = { functionOf: () => () => 1, signalOf: () => AbortSignal.abort() };
    expect(decodeValue(forged, entries)).toEqual(THENABLE(null));
  });

  it('carry functions anywhere, the value itself included', () => {
    expect((across(() => 1) as () => number)()).toBe(1);
    expect((across([{ deep: [() => 2] }]) as [{ deep: [() => number] }])[0].deep[0]()).toBe(2);
  });

  it('become plain where they had a class, and places where they were URLs', () => {
    class Point {
      x = 1;
      readonly #secret = 2;
      get y() {
        return this.#secret;
      }
    }
    const copy = across({ point: new Point(), url: new URL('http://a/b') });
    expect(copy).toEqual({ point: { x: 1 }, url: 'http://a/b' });
  });

  it('keep what the getters of their class say, so that a decision is not lost on the way', () => {
    class Decision {
      readonly #why = 'no';
      get block() {
        return true;
      }
      get blockReason() {
        return this.#why;
      }
    }
    class Stricter extends Decision {
      override get blockReason() {
        return 'never';
      }
    }
    expect(across(new Decision())).toEqual({ block: true, blockReason: 'no' });
    expect(across(new Stricter())).toEqual({ block: true, blockReason: 'never' });
    expect(across({ inner: new Decision() })).toEqual({ inner: {} });
  });

  it('take of a buffer only what is seen of it', () => {
    const large = Buffer.alloc(4 * MB);
    expect(across({ few: large.subarray(0, 3) })).toEqual({ few: new Uint8Array(3) });
  });

  it('keep signals that are over', () => {
    expect((across({ signal: AbortSignal.abort() }) as { signal: AbortSignal }).signal.aborted).toBe(true);
    expect((across({ signal: new AbortController().signal }) as { signal: AbortSignal }).signal.aborted).toBe(false);
  });

  it.each<[string, unknown, string]>([
    ['a promise', { a: [{ b: Promise.resolve() }] }, 'a[0].b is a promise'],
    ['what only looks like one', { a: [{ b: THENABLE(() => {}) }] }, 'a[0].b is a promise'],
    ['a symbol', [Symbol('x')], '[0] is a symbol'],
    ['shared memory', { m: new SharedArrayBuffer(1) }, 'm is shared memory'],
    ['a weak map', new WeakMap(), 'the value itself is a weak collection'],
    ['a function in a map', { m: new Map([['f', () => 1]]) }, 'm is a Map or Set with a function'],
    ['too much text', { t: ['x'.repeat(2 * MB)] }, 't[0] makes it larger than 1 MB'],
    ['a list that is mostly empty', new Array(1e9), 'the value itself makes it larger'],
    ['too much depth', deep(10_000), 'is nested deeper than 500 levels'],
  ])('fail by name for %s', (_, value, problem) => {
    expect(() => across(value)).toThrow(CannotCross);
    expect(() => across(value)).toThrow(problem);
  });

  it('cannot reach a prototype, whatever they are called', () => {
    const copy = across(JSON.parse('{"__proto__": {"polluted": 1}, "constructor": 2}')) as Record<string, unknown>;
    expect(Object.hasOwn(copy, '__proto__')).toBe(true);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    const path = ['__proto__', 'polluted'];
    decodeValue(
      { value: {}, marks: [{ path, as: 'function', handle: 0 }] },
      { functionOf: () => () => 1, signalOf: () => AbortSignal.abort() },
    );
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

describe('errors that cross', () => {
  const thrown = (error: unknown) => across({ error }) as { error: Error & Record<string, unknown> };

  it('keep name, message, code and plain fields', () => {
    const { error } = thrown(Object.assign(new TypeError('no'), { code: 'E1', status: 400, inner: {} }));
    expect(error).toBeInstanceOf(Error);
    expect([error.name, error.message, error.code, error.status, error.inner]).toEqual([
      'TypeError',
      'no',
      'E1',
      400,
      undefined,
    ]);
  });

  it('are still of their class when they are ours', () => {
    expect(thrown(new InvalidHandlerResult('bad')).error).toBeInstanceOf(InvalidHandlerResult);
    expect(thrown(new DeadlineExceeded(5)).error).toBeInstanceOf(DeadlineExceeded);
    const { error } = thrown(
      new PluginMethodError({ pluginId: 'p', method: 'm', pluginCode: 'BAD', reason: 'that is bad' }),
    );
    expect(error).toBeInstanceOf(PluginMethodError);
    expect(error).toMatchObject({
      pluginCode: 'BAD',
      reason: 'that is bad',
      code: 'ATRIUM_PLUGIN_METHOD',
      status: 422,
    });
    expect(thrown(new UnknownPluginError({ pluginId: 'x', suggestion: undefined })).error.name).toBe(
      'UnknownPluginError',
    );
  });

  it('are bounded, and shown even when they do not want to be', () => {
    expect(thrown(new Error('x'.repeat(MB))).error.message).toHaveLength(10_000);
    const hostile = new Error('x');
    Object.defineProperty(hostile, 'message', {
      get() {
        throw new Error('no');
      },
    });
    expect(thrown(hostile).error.message).toBe('an error that cannot be shown');
  });
});

function deep(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = { value };
  return value;
}
