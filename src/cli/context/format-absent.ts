// What was left out of a prompt and why, as a table for people.

import type { AbsentText } from '../../context/report/find-absent-text.ts';
import { type Columns, formatTable } from '../output/format-table.ts';
import { describeLines, describePath, type KnownPlaces } from './describe-origin.ts';

/** More are not listed. */
const MAX_ROWS = 10;

export function formatAbsent(
  absent: readonly AbsentText[],
  { places, width }: { readonly places: KnownPlaces; readonly width: number },
): string {
  const nameOf = ({ what, path }: AbsentText) => (path?.startsWith('/') ? describePath(path, places) : what);
  const columns: Columns<AbsentText> = {
    'left out': (each) => `${nameOf(each)}${each.lines ? `:${describeLines(each.lines)}` : ''}`,
    reason: ({ reason }) => reason,
    why: ({ detail }) => detail,
  };
  return formatTable(absent.slice(0, MAX_ROWS), columns, width);
}
