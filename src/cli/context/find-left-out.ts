// Why a run's model did not read a text. The report of a run keeps no text that was left out, because it may be private;
// it names files and lines, and the text is looked for in these files as they are now.

import { sep } from 'node:path';
import type { ContextReport } from '../../context/report/build-report.ts';
import { type AbsentText, absentText, cutText } from '../../context/report/find-absent-text.ts';
import { exactFinder, spacingFinder } from '../../context/report/find-text.ts';
import { CachedFileSource } from '../../context/sources/file-source.ts';

export async function findLeftOut(report: ContextReport, text: string): Promise<readonly AbsentText[]> {
  const files = new CachedFileSource();
  const places = async (path: string | undefined): Promise<readonly (readonly [number, number])[]> => {
    if (path === undefined) return [];
    const read = await files.read(path, [sep]);
    if (read.kind === 'absent') return [];
    const exact = exactFinder(text)(read.text);
    const found = exact.length > 0 ? exact : spacingFinder(text)(read.text);
    return found.map(({ start, end }) => [lineOf(read.text, start), lineOf(read.text, Math.max(start, end - 1))]);
  };
  const found: AbsentText[] = [];
  for (const cut of report.cuts) {
    const [first, last] = cut.lines;
    for (const lines of await places(cut.source ?? cut.path))
      if (lines[0] <= last && lines[1] >= first) found.push(cutText(cut, report, lines));
  }
  for (const absence of report.absences)
    for (const lines of await places(absence.path)) found.push({ ...absentText(absence), lines });
  return found;
}

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
