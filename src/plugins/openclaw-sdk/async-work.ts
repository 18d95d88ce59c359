// Small tools for work that takes time: waiting, trying again, one at a time, not twice.

import { setTimeout as delay } from 'node:timers/promises';
import { within } from '../../protocol/time-limit.ts';
import { formatErrorMessage } from './text-values.ts';

export async function sleep(ms: number): Promise<void> {
  await delay(ms);
}

/** Rejects when the signal aborts. */
export async function sleepWithAbort(ms: number, signal?: AbortSignal): Promise<void> {
  if (ms > 0) await delay(ms, undefined, signal ? { signal } : {});
}

export async function withTimeout<Result>(
  work: Promise<Result>,
  timeoutMs: number,
  label = 'The work',
): Promise<Result> {
  if (!(await within(timeoutMs, work))) throw new Error(`${label} did not end within ${timeoutMs} ms.`);
  return work;
}

export function waitForAbortSignal(signal?: AbortSignal): Promise<void> {
  if (!signal || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

export function computeBackoff(
  policy: { readonly initialMs: number; readonly maxMs: number; readonly factor: number; readonly jitter?: number },
  attempt: number,
): number {
  const plain = policy.initialMs * policy.factor ** Math.max(0, attempt - 1);
  return Math.min(policy.maxMs, Math.round(plain * (1 + Math.random() * (policy.jitter ?? 0))));
}

/** The caller does not wait; a failure is logged. */
export function fireAndForgetHook(task: Promise<unknown>, label: string, log: (text: string) => void = () => {}): void {
  task.catch((error) => log(`${label}: ${formatErrorMessage(error)}`));
}

export interface RetryOptions {
  readonly attempts?: number;
  readonly minDelayMs?: number;
  readonly maxDelayMs?: number;
  readonly jitter?: number;
  readonly shouldRetry?: (error: unknown, attempt: number) => boolean;
  readonly onRetry?: (info: { attempt: number; maxAttempts: number; delayMs: number; err: unknown }) => void;
}

export async function retryAsync<Result>(
  work: () => Promise<Result>,
  attemptsOrOptions: number | RetryOptions = 3,
  initialDelayMs = 300,
): Promise<Result> {
  const options = typeof attemptsOrOptions === 'number' ? { attempts: attemptsOrOptions } : attemptsOrOptions;
  const {
    attempts = 3,
    minDelayMs = initialDelayMs,
    maxDelayMs = 30_000,
    jitter = 0,
    shouldRetry,
    onRetry,
  } = options as RetryOptions;
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= attempts || shouldRetry?.(error, attempt) === false) throw error;
      const delayMs = computeBackoff({ initialMs: minDelayMs, maxMs: maxDelayMs, factor: 2, jitter }, attempt);
      onRetry?.({ attempt, maxAttempts: attempts, delayMs, err: error });
      await sleep(delayMs);
    }
  }
}

interface QueueHooks {
  readonly onEnqueue?: () => void;
  readonly onSettle?: () => void;
}

/** One task at a time for each key, in order; other keys do not wait. */
export class KeyedAsyncQueue {
  readonly #tails = new Map<string, Promise<void>>();

  enqueue<Result>(key: string, task: () => Promise<Result>, hooks?: QueueHooks): Promise<Result> {
    return enqueueKeyedTask({ tails: this.#tails, key, task, ...(hooks && { hooks }) });
  }
}

export function enqueueKeyedTask<Result>({
  tails,
  key,
  task,
  hooks,
}: {
  readonly tails: Map<string, Promise<void>>;
  readonly key: string;
  readonly task: () => Promise<Result>;
  readonly hooks?: QueueHooks;
}): Promise<Result> {
  hooks?.onEnqueue?.();
  const before = tails.get(key) ?? Promise.resolve();
  const result = before.then(task);
  const tail = result
    .then(
      () => undefined,
      () => undefined,
    )
    .then(() => {
      hooks?.onSettle?.();
      if (tails.get(key) === tail) tails.delete(key);
    });
  tails.set(key, tail);
  return result;
}

/** Runs what it is given one after the other. */
export function createAsyncLock(): <Result>(task: () => Promise<Result>) => Promise<Result> {
  const queue = new KeyedAsyncQueue();
  return (task) => queue.enqueue('', task);
}

export interface DedupeCache {
  /** True when the key was there already; it is there from now on. */
  readonly check: (key: string | undefined | null, now?: number) => boolean;
  readonly peek: (key: string | undefined | null, now?: number) => boolean;
  readonly delete: (key: string | undefined | null) => void;
  readonly clear: () => void;
  readonly size: () => number;
}

export function createDedupeCache({
  ttlMs,
  maxSize,
}: {
  readonly ttlMs: number;
  readonly maxSize: number;
}): DedupeCache {
  const seen = new Map<string, number>();
  const peek = (key: string | undefined | null, now = Date.now()): boolean => {
    const at = key ? seen.get(key) : undefined;
    return at !== undefined && (ttlMs <= 0 || now - at < ttlMs);
  };
  return {
    peek,
    check: (key, now = Date.now()) => {
      if (!key) return false;
      const isKnown = peek(key, now);
      seen.delete(key);
      seen.set(key, now);
      pruneMapToMaxSize(seen, maxSize);
      return isKnown;
    },
    delete: (key) => void (key && seen.delete(key)),
    clear: () => seen.clear(),
    size: () => seen.size,
  };
}

/** Removes the oldest entries first. */
export function pruneMapToMaxSize<Key, Value>(map: Map<Key, Value>, maxSize: number): void {
  for (const key of map.keys()) {
    if (map.size <= Math.max(0, Math.floor(maxSize))) return;
    map.delete(key);
  }
}

/** Holds the runtime that `register` gets, for the other files of the plugin. */
export function createPluginRuntimeStore<Runtime>(options: string | { readonly errorMessage: string }) {
  const errorMessage = typeof options === 'string' ? options : options.errorMessage;
  let runtime: Runtime | null = null;
  return {
    setRuntime: (next: Runtime): void => {
      runtime = next;
    },
    clearRuntime: (): void => {
      runtime = null;
    },
    tryGetRuntime: (): Runtime | null => runtime,
    getRuntime: (): Runtime => {
      if (runtime === null) throw new Error(errorMessage);
      return runtime;
    },
  };
}
