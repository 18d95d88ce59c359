// Authors, paths and situations in a form for people: short where the place is clear, with line numbers where there are
// any.

import { basename, relative } from 'node:path';
import type { ContextReport } from '../../context/report/build-report.ts';
import type { LocatedOrigin } from '../../context/report/located-origin.ts';
import { isInside } from '../../context/sources/file-source.ts';
import { oneLine } from '../output/text.ts';

/** Folders that are so well known that they are not written out. */
export interface KnownPlaces {
  readonly workspaceDir: string;
  readonly home: string;
}

/** `AGENTS.md:3-9`, `handler global-files from ~/.openclaw/AGENTS.md:1`, `rule quiet-hours`, `Atrium (heading)`. */
export function describeOrigin(origin: LocatedOrigin, places: KnownPlaces): string {
  const source =
    origin.kind === 'product' || origin.path === undefined
      ? ''
      : `${describePath(origin.path, places)}${origin.lines ? `:${describeLines(origin.lines)}` : ''}`;
  switch (origin.kind) {
    case 'product':
      return `Atrium (${origin.part})`;
    case 'file':
      return origin.derived ? `${source} (shortened)` : source;
    default: {
      const rewritten = origin.kind === 'handler' && origin.rewritten ? ' (rewritten)' : '';
      return oneLine(`${origin.kind} ${origin.id}${source ? ` from ${source}` : ''}${rewritten}`);
    }
  }
}

export function describeOrigins(origins: readonly LocatedOrigin[], places: KnownPlaces): string {
  return origins.map((origin) => describeOrigin(origin, places)).join(', ');
}

export function describePath(path: string, { workspaceDir, home }: KnownPlaces): string {
  const dynamic = /^<dynamic:(.*)>$/.exec(basename(path));
  if (dynamic) return oneLine(dynamic[1] ?? path);
  if (path !== workspaceDir && isInside(workspaceDir, path)) return oneLine(relative(workspaceDir, path));
  if (path !== home && isInside(home, path)) return oneLine(`~/${relative(home, path)}`);
  return oneLine(path);
}

export function describeLines([first, last]: readonly [number, number]): string {
  return first === last ? `${first}` : `${first}-${last}`;
}

export function describeSituation({ situation }: ContextReport): string {
  const { agentId, sessionType, sessionKey, channel, at, timezone } = situation;
  return oneLine(
    [
      `agent ${agentId ?? 'none'}`,
      sessionType,
      describeTime(new Date(at), timezone),
      ...(sessionKey ? [`session ${sessionKey}`] : []),
      ...(channel ? [`channel ${channel}`] : []),
    ].join(', '),
  );
}

function describeTime(at: Date, timezone: string): string {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone: timezone,
    weekday: 'short',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(at);
  const part = (type: string) => parts.find((candidate) => candidate.type === type)?.value ?? '';
  return `${part('weekday')} ${part('year')}-${part('month')}-${part('day')} ${part('hour')}:${part('minute')} ${timezone}`;
}
