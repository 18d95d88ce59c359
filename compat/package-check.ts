// One published package and what is expected of it. A check gives one cell per expectation, with what was really seen,
// and never throws for an expectation that does not hold.

import type { CompatRig } from './rig.ts';

export interface PackageCheck {
  /** Name and version, as npm takes them. */
  readonly spec: string;
  /** The id of the plugin, or the name of the hook pack. */
  readonly id: string;
  /** What it exercises, in a few words. */
  readonly exercises: string;
  /** Laid over the configuration of the check. */
  readonly config?: (rig: { readonly home: string; readonly port: number }) => Record<string, unknown>;
  readonly check: (rig: CompatRig) => Promise<readonly Cell[]>;
}

export interface Cell {
  readonly expected: string;
  readonly ok: boolean;
  readonly seen: string;
}

export function cell(expected: string, ok: boolean, seen: unknown): Cell {
  return { expected, ok, seen: (typeof seen === 'string' ? seen : JSON.stringify(seen)).slice(0, 300) };
}

/** Every name is there; others may be too. */
export function hasAll(expected: string, wanted: readonly string[], seen: readonly string[]): Cell {
  const missing = wanted.filter((name) => !seen.includes(name));
  return cell(
    expected,
    missing.length === 0,
    missing.length === 0 ? wanted.join(', ') : `without ${missing.join(', ')}`,
  );
}
