// Which settings of a configuration are not used, or used with another meaning, the most dangerous first, by the table of
// OpenClaw's keys. A setting that asks for what happens anyway, or for nothing, is not named. It reads values only and
// refuses nothing itself.

import { isDeepStrictEqual } from 'node:util';
import { DANGERS, type UnusedSetting } from '../protocol/unused-setting.ts';
import { type ConfigPath, formatConfigPath, isPartOf, parseKeyPattern, valueAt } from './config-path.ts';
import { DIFFERENT_DEFAULTS, OPENCLAW_KEYS, OPENCLAW_VARIABLES, type OpenClawKey } from './openclaw-keys.ts';
import { isPlainObject } from './plain-object.ts';
import { isWrittenByOpenClaw } from './written-by-openclaw.ts';

export function listUnusedSettings(
  config: object,
  variables: Readonly<Record<string, string | undefined>> = {},
  /** Whether Atrium reads a value. A row for the rest of a section does not speak for Atrium's own settings in it. */
  isRead: (path: ConfigPath) => boolean = () => false,
  /** Whether somebody comes from OpenClaw, so that a default that differs is news to them. */
  isFromOpenClaw: boolean = isWrittenByOpenClaw(config),
): readonly UnusedSetting[] {
  const accepted = acceptedPaths(config);
  const found: UnusedSetting[] = [];
  const isSet = (key: string) => valueAt(config, parseKeyPattern(key)) !== undefined;
  const add = (path: string, row: OpenClawKey) => {
    if (row.state === 'used' || found.some((each) => each.path === path)) return;
    const isAccepted = accepted.some((entry) => entry === row.path || isPartOf(path, entry));
    const { sentence } = row;
    if (row.state === 'different') {
      found.push({ path, danger: 'differs', sentence, refuses: null, isAccepted });
      return;
    }
    if (row.unlessSet !== undefined && isSet(row.unlessSet)) return;
    found.push({ path, danger: row.danger, sentence, refuses: isAccepted ? null : (row.gate ?? null), isAccepted });
  };
  const setting = { config, isFromOpenClaw };
  visit(setting, config, [], (path, row) => {
    const isSaidAnyway = row.state === 'different' || (row.state === 'unused' && row.gate !== undefined);
    const shown = isSaidAnyway ? path.slice(0, leastShown(row)) : sectionNotUsed(path, row, isRead);
    if (shown !== undefined) add(formatConfigPath(shown), row);
  });
  for (const row of OPENCLAW_VARIABLES) {
    const value = variables[row.path]?.trim() ?? '';
    if (value !== '' && !isException(row, value, setting)) add(row.path, row);
  }
  if (isFromOpenClaw) {
    for (const { path, sentence, unlessSet = [], onlyWith } of DIFFERENT_DEFAULTS) {
      if ([path, ...unlessSet].some(isSet) || (onlyWith !== undefined && !isSwitchedOn(config, onlyWith))) continue;
      add(path, { path, state: 'different', sentence });
    }
  }
  const rank = ({ danger, refuses }: UnusedSetting) => DANGERS.indexOf(danger) * 2 + (refuses === null ? 1 : 0);
  return found.sort((a, b) => rank(a) - rank(b));
}

function isSwitchedOn(config: object, key: string): boolean {
  return !isEmpty(valueAt(config, parseKeyPattern(key)));
}

/** The row that speaks for a path; undefined for a key that OpenClaw does not have. */
export function openClawKeyOf(path: ConfigPath): OpenClawKey | undefined {
  let reached: readonly KeyNode[] = [treeFor(path)];
  let best: KeyNode | undefined;
  for (const part of path) {
    reached = reached.flatMap((node) => nodesBelow(node, part));
    if (reached.length === 0) break;
    // The longer pattern says more; of two equally long ones, the one that has a name where the other has a star.
    const [first, ...others] = reached.filter(({ row }) => row !== undefined);
    if (first) best = others.reduce((closest, each) => (each.stars < closest.stars ? each : closest), first);
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

/** The keys of a section as a tree, since a configuration is compared with the table at each of its values. */
interface KeyNode {
  /** Undefined where rows stand only below. */
  row: OpenClawKey | undefined;
  /** How many parts of the pattern are a star. */
  readonly stars: number;
  readonly below: Map<string, KeyNode>;
}

/** The rows of each section, and its tree, which is made when a configuration has something in that section. */
let sections: ReadonlyMap<string, { readonly rows: readonly OpenClawKey[]; tree?: KeyNode }> | undefined;

/** The tree with the section that a path begins with, or an empty one. */
function treeFor([first]: ConfigPath): KeyNode {
  sections ??= bySection(OPENCLAW_KEYS);
  const section = typeof first === 'string' ? sections.get(first) : undefined;
  if (!section) return { row: undefined, stars: 0, below: new Map() };
  section.tree ??= treeOf(section.rows);
  return section.tree;
}

function bySection(rows: readonly OpenClawKey[]): ReadonlyMap<string, { readonly rows: OpenClawKey[] }> {
  const found = new Map<string, { readonly rows: OpenClawKey[] }>();
  for (const row of rows) {
    const [name = ''] = row.path.split(/[.[]/, 1);
    const section = found.get(name) ?? { rows: [] };
    section.rows.push(row);
    found.set(name, section);
  }
  return found;
}

function treeOf(rows: readonly OpenClawKey[]): KeyNode {
  const root: KeyNode = { row: undefined, stars: 0, below: new Map() };
  for (const row of rows) {
    let node = root;
    for (const part of parseKeyPattern(row.path)) {
      let next = node.below.get(part);
      if (!next) {
        next = { row: undefined, stars: node.stars + (part === '*' ? 1 : 0), below: new Map() };
        node.below.set(part, next);
      }
      node = next;
    }
    node.row ??= row;
  }
  return root;
}

/** A name also fits a star, but the place of an item in a list does not. */
function nodesBelow({ below }: KeyNode, part: string | number): readonly KeyNode[] {
  const named = below.get(typeof part === 'number' ? '[]' : part);
  const starred = typeof part === 'number' || part === '[]' ? undefined : below.get('*');
  return [named, starred === named ? undefined : starred].filter((node) => node !== undefined);
}

/** What else a row may look at. */
interface Setting {
  readonly config: object;
  readonly isFromOpenClaw: boolean;
}

function visit(
  setting: Setting,
  value: unknown,
  at: ConfigPath,
  found: (at: ConfigPath, row: OpenClawKey) => void,
): void {
  const row = at.length === 0 ? undefined : openClawKeyOf(at);
  if (row?.state === 'unused' && (isEmpty(value) || isException(row, value, setting))) return;
  // A row also speaks for what is below its key, and is said once, at the key itself.
  const isOwn = row?.state === 'different' && at.length === parseKeyPattern(row.path).length;
  if (isOwn && !isEmpty(value) && !isException(row, value, setting)) found(at, row);
  const isWhole = at.length > 0 && !hasOpenClawKeysBelow(at);
  if (row?.state === 'unused' && (isWhole || !isBranch(value))) {
    found(at, row);
    return;
  }
  if (Array.isArray(value)) for (const [index, item] of value.entries()) visit(setting, item, [...at, index], found);
  else if (isPlainObject(value))
    for (const [key, item] of Object.entries(value)) visit(setting, item, [...at, key], found);
}

export function hasOpenClawKeysBelow(path: ConfigPath): boolean {
  let reached: readonly KeyNode[] = [treeFor(path)];
  for (const part of path) reached = reached.flatMap((node) => nodesBelow(node, part));
  return reached.some(({ below }) => below.size > 0);
}

/**
 * The widest section around a setting of which nothing is used, so that a section is named once. Undefined when Atrium
 * reads the setting itself: a section that is used in part never hides what of it is not used.
 */
function sectionNotUsed(
  path: ConfigPath,
  row: OpenClawKey,
  isRead: (path: ConfigPath) => boolean,
): ConfigPath | undefined {
  for (let length = Math.min(leastShown(row), path.length); length <= path.length; length++) {
    const section = path.slice(0, length);
    if (!isRead(section) && (length === path.length || !hasOpenClawKeysBelow(section))) return section;
  }
  return undefined;
}

/** A row for the rest of a section is shown with the key that was found; a row for a whole section by its own name. */
function leastShown({ path }: OpenClawKey): number {
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

function isException(row: OpenClawKey, value: unknown, { config, isFromOpenClaw }: Setting): boolean {
  if (row.state === 'different') return row.when !== undefined && !row.when(value, config, isFromOpenClaw);
  return row.state === 'unused' && row.except.some((exception) => isDeepStrictEqual(exception, value));
}
