// Runs before every test file: a test that waits for something to become true waits long enough for a busy machine,
// whatever limit it names. It still goes on as soon as it is true.

import { vi } from 'vitest';

const PATIENCE_MS = 30_000;
const PATIENT = Symbol.for('atrium.patient-waits');

type Options = number | { timeout?: number; interval?: number } | undefined;

const state = vi as typeof vi & { [PATIENT]?: true };
if (!state[PATIENT]) {
  state[PATIENT] = true;
  const { waitFor, waitUntil } = vi;
  vi.waitFor = (callback, options) => waitFor(callback, patiently(options));
  vi.waitUntil = (callback, options) => waitUntil(callback, patiently(options));
}

function patiently(options: Options): { timeout: number; interval?: number } {
  const given = typeof options === 'number' ? { timeout: options } : options;
  return { ...given, timeout: Math.max(PATIENCE_MS, given?.timeout ?? 0) };
}
