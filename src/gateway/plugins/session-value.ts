// What a plugin may keep for a session or show of it: a JSON value of bounded size. It comes from code that nobody here
// wrote, so it is looked at before it is believed, and copied before it is kept.

import type { JsonValue } from '../../protocol/json.ts';

const MAX_BYTES = 64 * 1024;
const MAX_DEPTH = 64;
const MAX_NODES = 16_384;

export type CheckedValue =
  | { readonly ok: true; readonly value: JsonValue }
  /** Completes "its value …". */
  | { readonly ok: false; readonly problem: string };

export function checkSessionValue(given: unknown): CheckedValue {
  const budget = { nodes: MAX_NODES };
  try {
    const problem = problemOf(given, 0, budget);
    if (problem !== undefined) return { ok: false, problem };
    const text = JSON.stringify(given);
    const bytes = Buffer.byteLength(text);
    if (bytes > MAX_BYTES) return { ok: false, problem: `takes ${bytes} bytes, and ${MAX_BYTES} are the limit` };
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return { ok: false, problem: 'is no JSON value' };
  }
}

function problemOf(value: unknown, depth: number, budget: { nodes: number }): string | undefined {
  if (--budget.nodes < 0) return `has more than ${MAX_NODES} parts`;
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return undefined;
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : 'is no JSON value';
  if (typeof value !== 'object') return 'is no JSON value';
  if (depth >= MAX_DEPTH) return `is nested more than ${MAX_DEPTH} deep`;
  if (!Array.isArray(value)) {
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return 'is no JSON value';
    if (typeof (value as { toJSON?: unknown }).toJSON === 'function') return 'is no JSON value';
  }
  for (const part of Array.isArray(value) ? value : Object.values(value)) {
    const problem = problemOf(part, depth + 1, budget);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
