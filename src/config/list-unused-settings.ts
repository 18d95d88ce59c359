// Which settings of a configuration are not used, the most dangerous first, by the table of OpenClaw's keys. A setting
// that asks for what happens anyway, or for nothing, is not named. It reads values only and refuses nothing itself.

import { isDeepStrictEqual } from 'node:util';
import { type ConfigPath, formatConfigPath, isPartOf, parseKeyPattern, valueAt } from './config-path.ts';
import {
  DANGERS,
  type Danger,
  type Gate,
  OPENCLAW_KEYS,
  OPENCLAW_VARIABLES,
  type OpenClawKey,
} from './openclaw-keys.ts';
import { isPlainObject } from './plain-object.ts';

/** A setting that was found and is not used. */
export interface UnusedSetting {
  /** Such as `agents.list[0].sandbox.mode`, or the name of an environment variable. */
  readonly path: string;
  readonly danger: Danger;
  /** What follows from it. */
  readonly sentence: string;
  /** What is refused because of it. Null when nothing is, or when the operator accepted it. */
  readonly refuses: Gate | null;
  /** True when `acceptUnused` names it. */
  readonly isAccepted: boolean;
}

export function listUnusedSettings(
  config: object,
  variables: Readonly<Record<string, string | undefined>> = {},
  /** Whether Atrium reads a value. A row for the rest of a section does not speak for Atrium's own settings in it. */
  isRead: (path: ConfigPath) => boolean = () => false,
): readonly UnusedSetting[] {
  const accepted = acceptedPaths(config);
  const found: UnusedSetting[] = [];
  const add = (path: string, row: OpenClawKey) => {
    if (row.state !== 'unused' || found.some((each) => each.path === path)) return;
    if (row.unlessSet !== undefined && valueAt(config, parseKeyPattern(row.unlessSet)) !== undefined) return;
    const isAccepted = accepted.some((entry) => entry === row.path || isPartOf(path, entry));
    const { danger, sentence, gate } = row;
    found.push({ path, danger, sentence, refuses: isAccepted ? null : (gate ?? null), isAccepted });
  };
  visit(config, [], (path, row) => {
    const isGate = row.state === 'unused' && row.gate !== undefined;
    if (isGate || !isRead(path)) add(formatConfigPath(path), row);
  });
  for (const row of OPENCLAW_VARIABLES) {
    const value = variables[row.path]?.trim() ?? '';
    if (value !== '' && !isException(row, value)) add(row.path, row);
  }
  const rank = ({ danger, refuses }: UnusedSetting) => DANGERS.indexOf(danger) * 2 + (refuses === null ? 1 : 0);
  return found.sort((a, b) => rank(a) - rank(b));
}

/** The row that speaks for a path; undefined for a key that OpenClaw does not have. */
export function openClawKeyOf(path: ConfigPath): OpenClawKey | undefined {
  const parts = path.map((part) => (typeof part === 'number' ? '[]' : part));
  let best: (typeof ROWS)[number] | undefined;
  for (const each of ROWS) {
    if (each.parts.length > parts.length || !fits(each.parts, parts)) continue;
    if (best === undefined || isCloser(each.parts, best.parts)) best = each;
  }
  return best?.row;
}

export function isAccepted(config: object, path: string): boolean {
  return acceptedPaths(config).some((entry) => isPartOf(path, entry));
}

function acceptedPaths(config: object): readonly string[] {
  const list: unknown = (config as { readonly acceptUnused?: unknown }).acceptUnused;
  return Array.isArray(list) ? list.filter((entry) => typeof entry === 'string') : [];
}

const ROWS = OPENCLAW_KEYS.map((row) => ({ row, parts: parseKeyPattern(row.path) }));

function fits(pattern: readonly string[], path: readonly string[]): boolean {
  return pattern.every((part, index) => part === path[index] || (part === '*' && path[index] !== '[]'));
}

/** The longer pattern says more; of two equally long ones, the one that has a name where the other has a star. */
function isCloser(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return a.length > b.length;
  return a.filter((part) => part === '*').length < b.filter((part) => part === '*').length;
}

function visit(value: unknown, at: ConfigPath, found: (at: ConfigPath, row: OpenClawKey) => void): void {
  const row = at.length === 0 ? undefined : openClawKeyOf(at);
  if (row?.state === 'unused' && (isEmpty(value) || isException(row, value))) return;
  const isWhole = at.length > 0 && !hasOpenClawKeysBelow(at);
  if (row?.state === 'unused' && (isWhole || !isBranch(value))) {
    found(at.slice(0, shownLength(row)), row);
    return;
  }
  if (Array.isArray(value)) for (const [index, item] of value.entries()) visit(item, [...at, index], found);
  else if (isPlainObject(value)) for (const [key, item] of Object.entries(value)) visit(item, [...at, key], found);
}

export function hasOpenClawKeysBelow(path: ConfigPath): boolean {
  const parts = path.map((part) => (typeof part === 'number' ? '[]' : part));
  return ROWS.some((each) => each.parts.length > parts.length && fits(each.parts.slice(0, parts.length), parts));
}

/** A row for the rest of a section is shown with the key that was found; a row for a whole section by its own name. */
function shownLength({ path }: OpenClawKey): number {
  const { length } = parseKeyPattern(path);
  return OPENCLAW_KEYS.some((other) => other.path.startsWith(`${path}.`)) ? length + 1 : length;
}

function isBranch(value: unknown): boolean {
  return Array.isArray(value) || isPlainObject(value);
}

/** A section that is switched off asks for nothing, and neither does one without content. */
function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  if (Array.isArray(value)) return value.length === 0;
  return isPlainObject(value) && (value.enabled === false || Object.keys(value).length === 0);
}

function isException(row: OpenClawKey, value: unknown): boolean {
  return row.state === 'unused' && row.except.some((exception) => isDeepStrictEqual(exception, value));
}
