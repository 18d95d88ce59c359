// Why a run's model did not read a text. The report of a run keeps no text that was left out, because it may be private;
// it names files and lines, and the text is looked for in these files as they are now. Files that no longer say what the
// run read are named.

import { stat } from 'node:fs/promises';
import { sep } from 'node:path';
import { type ContextReport, hashOfText } from '../../context/report/build-report.ts';
import { type AbsentText, absentText, cutText } from '../../context/report/find-absent-text.ts';
import { exactFinder, spacingFinder } from '../../context/report/find-text.ts';
import { CachedFileSource } from '../../context/sources/file-source.ts';

export interface LeftOut {
  /** Where the text stands now, in what was left out then. */
  readonly absent: readonly AbsentText[];
  /** The files of what was left out that were changed or removed since the run. */
  readonly changed: readonly string[];
}

export async function findLeftOut(report: ContextReport, text: string): Promise<LeftOut> {
  const files = new CachedFileSource();
  const textOf = async (path: string): Promise<string | undefined> => {
    const read = await files.read(path, [sep]);
    return read.kind === 'absent' ? undefined : read.text;
  };
  const places = async (path: string | undefined): Promise<readonly (readonly [number, number])[]> => {
    const now = path === undefined ? undefined : await textOf(path);
    if (now === undefined) return [];
    const exact = exactFinder(text)(now);
    const found = exact.length > 0 ? exact : spacingFinder(text)(now);
    return found.map(({ start, end }) => [lineOf(now, start), lineOf(now, Math.max(start, end - 1))]);
  };
  const absent: AbsentText[] = [];
  for (const cut of report.cuts) {
    const [first, last] = cut.lines;
    for (const lines of await places(cut.source ?? cut.path))
      if (lines[0] <= last && lines[1] >= first) absent.push(cutText(cut, report, lines));
  }
  for (const absence of report.absences)
    for (const lines of await places(absence.path)) absent.push({ ...absentText(absence), lines });

  const left = [...report.cuts.map(({ source, path }) => source ?? path), ...report.absences.map(({ path }) => path)];
  const changed: string[] = [];
  for (const path of new Set(left)) {
    if (path?.startsWith(sep) && (await hasChanged(path, report, textOf))) changed.push(path);
  }
  return { absent, changed: changed.sort() };
}

/** A file that was not touched since is the same. One that was touched is compared with what the run read, if that is known. */
async function hasChanged(
  path: string,
  { files, situation }: ContextReport,
  textOf: (path: string) => Promise<string | undefined>,
): Promise<boolean> {
  const { textHash } = files.find((file) => file.path === path) ?? {};
  const now = await textOf(path);
  if (now === undefined) return textHash !== undefined;
  const { mtimeMs, ctimeMs } = await stat(path).catch(() => ({ mtimeMs: 0, ctimeMs: 0 }));
  const isTouched = Math.max(mtimeMs, ctimeMs) > Date.parse(situation.at);
  return isTouched && (textHash === undefined || hashOfText(now) !== textHash);
}

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
