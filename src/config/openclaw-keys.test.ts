// The table against the two things that it stands between: the paths of OpenClaw's configuration, and what Atrium's own
// schema reads.

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { NEWER_PATHS_FILE, readOpenClawPaths } from '../../scripts/openclaw-paths.ts';
import { nestValue, parseKeyPattern } from './config-path.ts';
import { listUnusedSettings, openClawKeyOf } from './list-unused-settings.ts';
import { OPENCLAW_KEYS, OPENCLAW_VARIABLES } from './openclaw-keys.ts';
import { configSchema } from './schema.ts';
import { isKnownSetting } from './validate-config.ts';

const theirs = [...readOpenClawPaths().paths, ...readOpenClawPaths(NEWER_PATHS_FILE).paths];
const ours = listSchemaPaths(configSchema, []);
const theirTexts = new Set(theirs.map(text));
/** OpenClaw takes any key in these, and Atrium reads some of them. */
const free = theirs.filter((path) => path.at(-2) === 'params' && path.at(-1) === '*');
const isParam = (path: readonly string[]) =>
  free.some((each) => each.length === path.length && isSame(each.slice(0, -1), path.slice(0, -1)));
const shared = ours.filter((path) => theirTexts.has(text(path)) || isParam(path));
const isGate = (path: readonly string[]) => {
  const row = rowOf(path);
  return row?.state === 'unused' && row.gate !== undefined;
};

describe("the table of OpenClaw's keys", () => {
  it('has a state for every path of its configuration', () => {
    const branches = new Set(theirs.flatMap((path) => path.slice(0, -1).map((_, at) => text(path.slice(0, at + 1)))));
    const leaves = theirs.filter((path) => !branches.has(text(path)));
    expect(theirs.length).toBeGreaterThan(2_000);
    expect(leaves.filter((path) => rowOf(path) === undefined).map(text)).toEqual([]);
  });

  it('calls used what the schema reads', () => {
    const branches = new Set(shared.flatMap((path) => path.slice(0, -1).map((_, at) => text(path.slice(0, at + 1)))));
    const leaves = shared.filter((path) => !branches.has(text(path)));
    const wrong = leaves.filter((path) => rowOf(path)?.state === 'unused' && !isGate(path));
    expect(wrong.map(text)).toEqual([]);
  });

  it('calls used only what the schema reads, down to the last key', () => {
    const isRead = (path: readonly string[]) => ours.some((each) => isSame(each, path) || isFree(each, path));
    const claimed = theirs.filter((path) => rowOf(path)?.state === 'used' || isGate(path));
    expect(claimed.filter((path) => !isRead(path) && !isBelowGate(path)).map(text)).toEqual([]);
    const named = OPENCLAW_KEYS.filter(({ state }) => state === 'different').map(({ path }) => parseKeyPattern(path));
    expect(named.filter((path) => !isRead(path)).map(text)).toEqual([]);
  });

  it('lets every setting that is not used be named, also in a section of which Atrium reads other parts', () => {
    const branches = new Set(theirs.flatMap((path) => path.slice(0, -1).map((_, at) => text(path.slice(0, at + 1)))));
    const unused = theirs.filter((path) => !branches.has(text(path)) && rowOf(path)?.state === 'unused');
    const isNamed = (path: readonly string[]) => {
      const place = path.map((part) => (part === '[]' ? 0 : part === '*' ? 'some' : part));
      return listUnusedSettings(nestValue(place, 'odd') as object, {}, isKnownSetting).length > 0;
    };
    expect(unused.length).toBeGreaterThan(2_000);
    expect(unused.filter((path) => !isNamed(path)).map(text)).toEqual([]);
  });

  it('has no row for a path that OpenClaw does not have, and none twice', () => {
    const paths = OPENCLAW_KEYS.map(({ path }) => path);
    expect(paths.filter((path, index) => paths.indexOf(path) !== index)).toEqual([]);
    const known = new Set(theirs.flatMap((path) => path.map((_, depth) => text(path.slice(0, depth + 1)))));
    // A home may be written in both forms, so what is said of an agent in the list is said of one under its id, too.
    const isKnown = (path: string) =>
      [path, path.replace('agents.entries.*', 'agents.list[]'), path.replace('agents.list[]', 'agents.entries.*')].some(
        (each) => known.has(text(parseKeyPattern(each))) || isParam(parseKeyPattern(each)),
      );
    expect(paths.filter((path) => !isKnown(path))).toEqual([]);
  });

  it('says everything in full sentences', () => {
    const sentences = [...OPENCLAW_KEYS, ...OPENCLAW_VARIABLES].flatMap((row) =>
      'sentence' in row ? [row.sentence] : [],
    );
    expect(sentences.filter((sentence) => !/^[A-Za-z].*\.$/.test(sentence))).toEqual([]);
  });
});

type Path = readonly string[];

function text(path: Path): string {
  return path.join('.').replaceAll('.[]', '[]');
}

function isSame(a: Path, b: Path): boolean {
  return a.length === b.length && a.every((part, index) => part === b[index]);
}

function rowOf(path: Path) {
  return openClawKeyOf(path.map((part) => (part === '[]' ? 0 : part)));
}

/** A gate looks at a key as a whole: that a password is there is enough. */
function isBelowGate(path: Path): boolean {
  const row = rowOf(path);
  return isGate(path) && row !== undefined && parseKeyPattern(row.path).length < path.length;
}

/** The schema takes any object there. */
function isFree(each: Path, path: Path): boolean {
  if (each.length >= path.length || !isSame(each, path.slice(0, each.length))) return false;
  // Settings of a hook pack are its own.
  if (text(each) === 'hooks.internal.entries.*') return true;
  return !ours.some((other) => other.length > each.length && isSame(other.slice(0, each.length), each));
}

function listSchemaPaths(schema: z.core.$ZodType, at: Path): Path[] {
  const own = at.length === 0 ? [] : [at];
  if (schema instanceof z.ZodOptional) return listSchemaPaths(schema.unwrap(), at);
  if (schema instanceof z.ZodArray) return [...own, ...listSchemaPaths(schema.element, [...at, '[]'])];
  if (schema instanceof z.ZodRecord) return [...own, ...listSchemaPaths(schema.valueType, [...at, '*'])];
  if (schema instanceof z.ZodUnion) return [...own, ...schema.options.flatMap((each) => listSchemaPaths(each, at))];
  if (!(schema instanceof z.ZodObject)) return own;
  const { catchall } = schema.def;
  const entries: [string, z.core.$ZodType][] = Object.entries(schema.shape);
  if (catchall && !(catchall instanceof z.ZodUnknown) && !(catchall instanceof z.ZodNever))
    entries.push(['*', catchall]);
  return [...own, ...entries.flatMap(([name, each]) => listSchemaPaths(each, [...at, name]))];
}
