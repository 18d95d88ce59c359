// Where a conversation parts from others: branches that were made of it, and the one that it is a branch of. At such a
// place the same history goes on in several ways, and a person can go from one to the other. It is pure.

import type { ListedSession } from '../client/gateway-client.ts';

export interface Fork {
  /** The position of the last entry that all of them share. */
  readonly at: number;
  /** The conversations that go on differently, the oldest first; the current one is among them. */
  readonly ways: readonly ListedSession[];
}

export function forksOf(sessions: readonly ListedSession[], current: ListedSession): readonly Fork[] {
  const known = new Map(sessions.map((session) => [session.sessionId, session]));
  const branches = new Map<string, ListedSession[]>();
  for (const session of sessions) {
    if (session.branchOf === null || session.endReason === 'deleted') continue;
    branches.set(session.branchOf, [...(branches.get(session.branchOf) ?? []), session]);
  }
  const line = lineOf(current, known);
  const points = new Set(
    line.flatMap(({ session, to }) =>
      (branches.get(session.sessionId) ?? []).flatMap(({ branchAt }) =>
        branchAt !== null && branchAt <= to ? [branchAt] : [],
      ),
    ),
  );
  return [...points]
    .toSorted((one, other) => one - other)
    .map((at) => ({ at, ways: waysAt(at, line, branches) }))
    .filter(({ ways }) => ways.length > 1);
}

/** A conversation and those before it, each with the position up to which its words are also those of the current one. */
interface LineMember {
  readonly session: ListedSession;
  readonly to: number;
}

function lineOf(current: ListedSession, known: ReadonlyMap<string, ListedSession>): readonly LineMember[] {
  const line: LineMember[] = [{ session: current, to: Number.POSITIVE_INFINITY }];
  for (let last = line[0]; last; ) {
    const origin = known.get(last.session.branchOf ?? '');
    if (!origin || origin.endReason === 'deleted' || line.some(({ session }) => session === origin)) break;
    last = { session: origin, to: Math.min(last.to, last.session.branchAt ?? 0) };
    line.push(last);
  }
  return line;
}

function waysAt(
  at: number,
  line: readonly LineMember[],
  branches: ReadonlyMap<string, readonly ListedSession[]>,
): readonly ListedSession[] {
  const current = line[0]?.session;
  // The first of the line that has these words as its own.
  const host = line.find(({ session }) => session.branchAt === null || session.branchAt < at) ?? line.at(-1);
  if (!host || !current) return [];
  const ways = [host.session];
  for (const way of ways)
    for (const branch of branches.get(way.sessionId) ?? []) if (branch.branchAt === at) ways.push(branch);
  // One that goes on in the same way as the current conversation stands for it.
  const same = line.find(({ session, to }) => ways.includes(session) && to > at)?.session ?? current;
  return ways.map((way) => (way === same ? current : way)).toSorted((one, other) => one.startedAt - other.startedAt);
}
