// Puts a finished build where others find it, without disturbing a process that runs from an earlier one. Each build
// keeps a folder of its own, `builds/<hash of its content>`, and nothing in it ever changes. The doors (`cli/main.js`,
// `public/context.js` …) are files of one line that lead into the newest build; each is replaced by one rename, so it is
// never missing and never half written. A process that came in through a door stays in the build that it found there,
// whatever it imports later.
//
// A build that was replaced stays for a day, and as long as an `atrium` process runs that is older than its replacement.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

const DAY_MS = 24 * 60 * 60 * 1000;
/** How long a replaced build stays where the processes of the machine cannot be listed. */
const LONG_MS = 30 * DAY_MS;

/** A new empty folder for `putInPlace`. What a build that was interrupted left behind goes with the old builds. */
export function stagingFolder(folder: string): string {
  const staging = join(folder, 'builds', `.new-${process.pid}-${Date.now()}`);
  mkdirSync(staging, { recursive: true });
  return staging;
}

export interface FinishedBuild {
  /** Where the files are now. */
  readonly staging: string;
  /** Where they are to be found. */
  readonly folder: string;
  /** The files of the build that others name, relative to it. */
  readonly doors: readonly string[];
  readonly startedAt: Date;
  /** When each process that may run from a build began; undefined where that cannot be found out. */
  readonly processStarts?: () => readonly number[] | undefined;
}

/**
 * Makes the content of `staging` the newest build of `folder`. `startedAt` becomes the time of the doors, so that a
 * source that changed during the build counts as newer.
 */
export function putInPlace({
  staging,
  folder,
  doors,
  startedAt,
  processStarts = atriumProcessStarts,
}: FinishedBuild): void {
  const id = hashFolder(staging);
  const place = join(folder, 'builds', id);
  if (isThere(place)) rmSync(staging, { recursive: true });
  else renameSync(staging, place);
  utimesSync(place, startedAt, new Date());
  for (const door of doors) writeDoor(folder, door, id, startedAt);
  replaceFile(join(folder, '.npmignore'), packOnly(doors, id));
  removeOldBuilds(join(folder, 'builds'), id, processStarts());
}

function writeDoor(folder: string, door: string, id: string, time: Date): void {
  const path = posix.relative(posix.dirname(door), posix.join('builds', id, door)).replace(/\.d\.ts$/, '.js');
  const target = path.startsWith('.') ? path : `./${path}`;
  const first = /^#!.*\n/.exec(readFileSync(join(folder, 'builds', id, door), 'utf8'))?.[0] ?? '';
  const file = join(folder, door);
  mkdirSync(dirname(file), { recursive: true });
  if (first === '') replaceFile(file, `export * from '${target}';\n`, { time });
  else {
    // Node starts a program faster when it is no ES module.
    replaceFile(join(dirname(file), 'package.json'), '{"type":"commonjs"}\n');
    replaceFile(file, `${first}require('${target}');\n`, { mode: 0o755, time });
  }
}

function replaceFile(file: string, text: string, { mode = 0o644, time = new Date() } = {}): void {
  const temporary = `${file}.${process.pid}.new`;
  writeFileSync(temporary, text, { mode });
  utimesSync(temporary, time, time);
  renameSync(temporary, file);
}

/** What npm reads in this folder when it packs: the doors and the build behind them. */
function packOnly(doors: readonly string[], id: string): string {
  const kept = [...doors, ...doors.map((door) => posix.join(posix.dirname(door), 'package.json')), `builds/${id}/**`];
  const parents = new Set(kept.flatMap((path) => path.split('/').map((_, at, parts) => parts.slice(0, at).join('/'))));
  parents.delete('');
  return ['*', ...[...parents].map((path) => `!/${path}/`), ...kept.map((path) => `!/${path}`), ''].join('\n');
}

function removeOldBuilds(builds: string, current: string, starts: readonly number[] | undefined): void {
  const now = Date.now();
  const byAge = readdirSync(builds)
    .filter((name) => name !== current)
    .map((name) => ({ name, time: statSync(join(builds, name)).mtimeMs }))
    .sort((a, b) => a.time - b.time);
  const replacedAt = (at: number) => byAge[at + 1]?.time ?? now;
  const oldestProcess = starts === undefined ? now - LONG_MS : Math.min(now, ...starts);
  byAge.forEach(({ name }, at) => {
    if (replacedAt(at) > Math.min(now - DAY_MS, oldestProcess)) return;
    // It gets another name first, because a folder that is half removed must not be taken for a build.
    const going = join(builds, `.old-${process.pid}-${name}`);
    renameSync(join(builds, name), going);
    rmSync(going, { recursive: true });
  });
}

function atriumProcessStarts(): readonly number[] | undefined {
  const { status, stdout } = spawnSync('ps', ['-A', '-o', 'etime=,args='], { encoding: 'utf8' });
  if (status !== 0) return undefined;
  const running = stdout.split('\n').filter((line) => /(cli\/main\.js|\/atrium)( |$)/.test(line));
  return running.map((line) => Date.now() - elapsedMs(line.trim().split(' ')[0] ?? ''));
}

/** `[[days-]hours:]minutes:seconds`, with the second that is cut off. */
function elapsedMs(text: string): number {
  const [seconds = 0, minutes = 0, hours = 0, days = 0] = text.split(/[-:]/).map(Number).reverse();
  return (((days * 24 + hours) * 60 + minutes) * 60 + seconds + 1) * 1000;
}

function hashFolder(folder: string): string {
  const hash = createHash('sha256');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath, entry.name)).sort();
  for (const path of paths) hash.update(path.slice(folder.length)).update('\0').update(readFileSync(path)).update('\0');
  return hash.digest('hex').slice(0, 12);
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}
