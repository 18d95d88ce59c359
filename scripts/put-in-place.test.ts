import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { putInPlace, stagingFolder } from './put-in-place.ts';

const HOUR = 60 * 60 * 1000;
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'atrium-put-in-place-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function put(text: string, processStarts: () => readonly number[] | undefined = () => []): string {
  const staging = stagingFolder(folder);
  writeFileSync(join(staging, 'main.js'), text);
  putInPlace({ staging, folder, doors: ['main.js'], startedAt: new Date(), processStarts });
  return /builds\/([^/]+)\//.exec(readFileSync(join(folder, 'main.js'), 'utf8'))?.[1] ?? '';
}

/** As if the build had been made so long ago. */
function age(build: string, hours: number): void {
  const time = new Date(Date.now() - hours * HOUR);
  utimesSync(join(folder, 'builds', build), time, time);
}

const builds = () => readdirSync(join(folder, 'builds')).sort();

it('leads to the newest build, and leaves the one before as it was', () => {
  const first = put('export const name = "first";');
  const second = put('export const name = "second";');
  expect(builds()).toEqual([first, second].sort());
  expect(readFileSync(join(folder, 'main.js'), 'utf8')).toBe(`export * from './builds/${second}/main.js';\n`);
  expect(readFileSync(join(folder, 'builds', first, 'main.js'), 'utf8')).toContain('first');
});

it('keeps the first line of a program, and that it can be run', () => {
  put('#!/usr/bin/env node\nconsole.log(1);');
  expect(readFileSync(join(folder, 'main.js'), 'utf8')).toMatch(/^#!\/usr\/bin\/env node\nrequire\('/);
  // Else Node would take it for an ES module, as the package says.
  expect(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))).toEqual({ type: 'commonjs' });
  expect(statSync(join(folder, 'main.js')).mode & 0o111).toBe(0o111);
});

it('has one folder for the same content, however often it is built', () => {
  const first = put('export const name = "first";');
  expect(put('export const name = "first";')).toBe(first);
  expect(builds()).toEqual([first]);
});

it('gives the doors the time at which the build began, so that what changed since counts as newer', () => {
  const staging = stagingFolder(folder);
  writeFileSync(join(staging, 'main.js'), '');
  const startedAt = new Date(Date.now() - HOUR);
  putInPlace({ staging, folder, doors: ['main.js'], startedAt, processStarts: () => [] });
  expect(statSync(join(folder, 'main.js')).mtimeMs).toBeCloseTo(startedAt.getTime(), 0);
});

it('removes builds that were replaced more than a day ago, and what was left of those that never ended', () => {
  const [old, replaced] = [put('1'), put('2')];
  age(old, 60);
  age(replaced, 30);
  const interrupted = stagingFolder(folder);
  utimesSync(interrupted, 0, 0);
  const newest = put('3');
  expect(builds()).toEqual([replaced, newest].sort());
  expect(existsSync(interrupted)).toBe(false);
});

it('keeps a build for as long as a process may run from it', () => {
  const [older, old, replaced] = [put('1'), put('2'), put('3')];
  age(older, 90);
  age(old, 60);
  age(replaced, 30);
  // It began between the second build and the third, so the first is the only one that it cannot run from.
  const newest = put('4', () => [Date.now() - 45 * HOUR]);
  expect(builds()).toEqual([old, replaced, newest].sort());
});

it('keeps builds for a month where the processes of the machine cannot be listed', () => {
  const unknown = () => undefined;
  const [older, old] = [put('1'), put('2')];
  age(older, 60 * 24);
  age(old, 29 * 24);
  const [replaced, newest] = [put('3', unknown), put('4', unknown)];
  expect(builds()).toEqual([older, old, replaced, newest].sort());
  age(old, 31 * 24);
  put('4', unknown);
  expect(builds()).toEqual([old, replaced, newest].sort());
});
