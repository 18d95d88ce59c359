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
  const tree = treeOf(sessions);
  const forks: Fork[] = [];
  for (const { id, to, next } of lineOf(current, tree)) {
    const branches = tree.branches.get(id) ?? [];
    const points = new Set(branches.flatMap(({ branchAt }) => (branchAt !== null && branchAt <= to ? [branchAt] : [])));
    for (const at of points) {
      const own = tree.known.get(id);
      // The way that the current conversation goes: into the next one of its line, or further in this one.
      const taken = at === to ? next : id;
      const ways = [...(own ? [own] : []), ...branches.filter(({ branchAt }) => branchAt === at)]
        .filter((way) => way.endReason !== 'deleted' || way.sessionId === taken)
        .toSorted((one, other) => one.startedAt - other.startedAt)
        .map((way) => (way.sessionId === taken ? current : way));
      if (ways.length > 1) forks.push({ at, ways });
    }
  }
  return forks.toSorted((one, other) => one.at - other.at);
}

interface Tree {
  readonly known: ReadonlyMap<string, ListedSession>;
  /** The branches of each conversation that share words which are its own, by its id. */
  readonly branches: ReadonlyMap<string, readonly ListedSession[]>;
}

function treeOf(sessions: readonly ListedSession[]): Tree {
  const known = new Map(sessions.map((session) => [session.sessionId, session]));
  const branches = new Map<string, ListedSession[]>();
  for (const session of sessions) {
    const host = hostOf(session, known);
    if (host !== undefined) branches.set(host, [...(branches.get(host) ?? []), session]);
  }
  return { known, branches };
}

/**
 * The conversation whose own words a branch shares last. A branch of a branch, made at an earlier place than that one,
 * shares nothing with it that is not of the conversation before it.
 */
function hostOf({ branchOf, branchAt }: ListedSession, known: Tree['known']): string | undefined {
  let host = branchOf;
  const seen = new Set<string>();
  while (host !== null && branchAt !== null && !seen.has(host)) {
    seen.add(host);
    const origin = known.get(host);
    if (!origin || origin.branchOf === null || origin.branchAt === null || origin.branchAt < branchAt) return host;
    host = origin.branchOf;
  }
  return undefined;
}

/** A conversation of the current one's line: its words up to a position are also those of the current one. */
interface LineMember {
  readonly id: string;
  readonly to: number;
  /** The one that parts from it there, on the way to the current one. */
  readonly next: string | undefined;
}

function lineOf(current: ListedSession, { known }: Tree): readonly LineMember[] {
  const line: LineMember[] = [{ id: current.sessionId, to: Number.POSITIVE_INFINITY, next: undefined }];
  for (let session: ListedSession | undefined = current; session; ) {
    const host = hostOf(session, known);
    if (host === undefined || line.some(({ id }) => id === host)) break;
    line.push({ id: host, to: session.branchAt ?? 0, next: session.sessionId });
    session = known.get(host);
  }
  return line;
}
