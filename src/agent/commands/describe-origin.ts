// Names of authors and paths for a chat answer. Other people read chats too, so a path outside the workspace is shown
// by its end only.

import { basename, dirname, isAbsolute, join, relative } from 'node:path';
import { chatLine } from '../../commands/chat-text.ts';
import type { SpanReport } from '../../context/report/build-report.ts';

/** The authors of a part of the prompt, each once, in the order in which they appear. */
export function originsIn(
  spans: readonly SpanReport[],
  start: number,
  end: number,
  workspaceDir: string,
): readonly string[] {
  const authors = new Map<string, LineRange[]>();
  for (const span of spans) {
    if (span.start >= end || span.end <= start || span.origin.kind === 'product') continue;
    const name = nameOf(span.origin, workspaceDir);
    const ranges = authors.get(name) ?? [];
    if (span.origin.lines) addRange(ranges, span.origin.lines);
    authors.set(name, ranges);
  }
  return [...authors].map(([name, ranges]) =>
    ranges.length === 0 ? name : `${name}:${ranges.map(describeRange).join(',')}`,
  );
}

type LineRange = readonly [number, number];

/** Ranges that touch are joined; a gap between them is text that was left out. */
function addRange(ranges: LineRange[], [first, last]: LineRange): void {
  const before = ranges.at(-1);
  if (before && first >= before[0] && first <= before[1] + 1) {
    ranges.splice(-1, 1, [before[0], Math.max(before[1], last)]);
  } else ranges.push([first, last]);
}

function nameOf(origin: Exclude<SpanReport['origin'], { kind: 'product' }>, workspaceDir: string): string {
  const path = origin.path === undefined ? undefined : describePath(origin.path, workspaceDir);
  if (origin.kind === 'file') return `${path}${origin.derived ? ' (shortened)' : ''}`;
  const rewritten = origin.kind === 'handler' && origin.rewritten ? ' (rewritten)' : '';
  return chatLine(`${origin.kind} ${origin.id}${rewritten}${path === undefined ? '' : ` from ${path}`}`, 120);
}

function describeRange([first, last]: LineRange): string {
  return first === last ? `${first}` : `${first}-${last}`;
}

export function describePath(path: string, workspaceDir: string): string {
  const made = /^<dynamic:(.*)>$/.exec(basename(path));
  if (made) return chatLine(made[1] ?? path, 120);
  const way = relative(workspaceDir, path);
  const isOutside = way === '' || way === '..' || way.startsWith('../') || isAbsolute(way);
  if (!isOutside) return chatLine(way, 120);
  return chatLine(isAbsolute(path) ? join('…', basename(dirname(path)), basename(path)) : path, 120);
}
