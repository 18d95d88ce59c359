// What people saw in a conversation on a page besides what its transcript has: commands that were answered at once, notes
// of the gateway, and what jobs, heartbeats and other conversations sent there. All of it is in the outbox, under the
// surfaces of the conversation. It only reads.

import { type AttachmentRef, readAttachmentRefs } from '../../protocol/attachment.ts';
import { surfaceId } from '../../protocol/inbound.ts';
import { pageSurface } from '../../protocol/page-surface.ts';
import type { Store } from '../../store/store.ts';
import type { OutboxRow, SessionRow } from '../../store/tables.ts';

/** One part of something that was sent to a conversation and is not in its transcript. */
export interface Aside {
  readonly seq: number;
  readonly runId: string;
  readonly part: number;
  readonly at: number;
  /** The session that it comes from, whose files come with it. */
  readonly sessionKey: string;
  /** The command of a person that it answers; null for what no person asked for here. */
  readonly said: string | null;
  readonly text: string;
  readonly attachments: readonly AttachmentRef[];
}

export interface AsidesRequest {
  readonly sessionKey: string;
  /** The session of the key that is meant; undefined for a conversation in which nothing was said yet. */
  readonly session: SessionRow | undefined;
  readonly limit: number;
  /** Only parts with a lower number. */
  readonly before?: number | undefined;
  /** Only parts with a higher number. */
  readonly after?: number | undefined;
  /** Only what was sent at this time or later. */
  readonly since?: number | undefined;
  /** Only what was sent before this time. */
  readonly until?: number | undefined;
}

export interface AsidesPage {
  /** The latest first. */
  readonly asides: readonly Aside[];
  /** The number from which the list goes on; null when it is complete. */
  readonly next: number | null;
}

export async function readAsides(store: Store, request: AsidesRequest): Promise<AsidesPage> {
  const { limit, after = 0 } = request;
  const surfaces = await surfacesOf(store, request);
  const { since, until } = await spanOf(store, request);
  const asides: Aside[] = [];
  let { before } = request;
  for (let looks = 0; looks < MOST_LOOKS; looks++) {
    const rows = await store.select('outbox', {
      where: {
        surfaceId: { in: surfaces },
        status: { in: ['queued', 'sent'] },
        ...(before !== undefined && { seq: { lt: before } }),
      },
      orderBy: [['seq', 'desc']],
      limit: ROWS_A_LOOK,
    });
    const within = rows.filter(({ seq, createdAt }) => seq > after && createdAt >= since && createdAt < until);
    for (const aside of await asidesIn(store, within, request)) {
      asides.push(aside);
      if (asides.length === limit) return { asides, next: aside.seq };
    }
    const last = rows.at(-1);
    // Numbers go up with time.
    if (!last || rows.length < ROWS_A_LOOK || last.seq <= after || last.createdAt < since)
      return { asides, next: null };
    before = last.seq;
  }
  return { asides, next: before ?? null };
}

const ROWS_A_LOOK = 200;
/** Most rows of a long conversation are its own answers, and one question reads only so many of them. */
const MOST_LOOKS = 5;

/** Pages show the conversation under one name. Other names are those under which somebody has spoken in it before. */
async function surfacesOf(store: Store, { sessionKey, session }: AsidesRequest): Promise<readonly string[]> {
  const page = { channel: WEB, accountId: 'default', peer: { kind: 'direct' as const, id: pageSurface(sessionKey) } };
  const answers = await store.select('outbox', {
    where: { sessionKey },
    orderBy: [['seq', 'desc']],
    limit: ANSWERS_LOOKED_AT,
  });
  const surfaces = [page, ...answers.map(({ surface }) => surface), ...(session?.surface ? [session.surface] : [])];
  return [...new Set(surfaces.filter(({ channel }) => channel === WEB).map(surfaceId))];
}

const WEB = 'web';
const ANSWERS_LOOKED_AT = 50;

/** A key has one session after the other: what was sent before the end of the one before belongs to that one. */
async function spanOf(
  store: Store,
  { session, since = 0, until = Number.POSITIVE_INFINITY }: AsidesRequest,
): Promise<{ readonly since: number; readonly until: number }> {
  if (!session) return { since, until };
  const [earlier] = await store.select('sessions', {
    where: { sessionKey: session.sessionKey, endedAt: { lte: session.startedAt } },
    orderBy: [['endedAt', 'desc']],
    limit: 1,
  });
  return {
    since: Math.max(since, earlier?.endedAt ?? 0),
    until: Math.min(until, session.endedAt ?? Number.POSITIVE_INFINITY),
  };
}

async function asidesIn(
  store: Store,
  rows: readonly OutboxRow[],
  { sessionKey, session }: AsidesRequest,
): Promise<readonly Aside[]> {
  const own = rows.filter((row) => row.sessionKey === sessionKey);
  // What the message tool sent from elsewhere is an entry of the transcript under the name of the post.
  const posts = await toldInTranscript(store, idsOf(own.filter(({ runId }) => isPost(runId))), session);
  const runs = await store.select('runs', { where: { runId: { in: idsOf(own.filter(({ runId }) => isRun(runId))) } } });
  // A command that was answered at once belongs to no session; every other run is told by the transcript.
  const commands = new Set(runs.filter(({ sessionId }) => sessionId === null).map(({ runId }) => runId));
  const asked = await store.select('inbox', { where: { runId: { in: [...commands] }, kind: 'message' } });
  const said = new Map(asked.map(({ runId, payload }) => [runId, payload?.inbound.text]));
  return rows
    .filter((row) => {
      if (row.sessionKey !== sessionKey) return true;
      return isRun(row.runId) ? commands.has(row.runId) : !posts.has(row.runId);
    })
    .map((row) => asideOf(row, said.get(row.runId)));
}

async function toldInTranscript(
  store: Store,
  runIds: readonly string[],
  session: SessionRow | undefined,
): Promise<ReadonlySet<string>> {
  if (!session || runIds.length === 0) return new Set();
  const { sessionId } = session;
  const entries = await store.select('transcript', { where: { sessionId, runId: { in: runIds } } });
  return new Set(entries.map(({ runId }) => runId));
}

function idsOf(rows: readonly OutboxRow[]): readonly string[] {
  return [...new Set(rows.map(({ runId }) => runId))];
}

function isRun(runId: string): boolean {
  return runId.startsWith('run_');
}

function isPost(runId: string): boolean {
  return runId.startsWith('post_');
}

function asideOf(row: OutboxRow, said: string | undefined): Aside {
  const { seq, runId, part, createdAt, sessionKey, text, options } = row;
  const attachments = readAttachmentRefs(options.attachments);
  return { seq, runId, part, at: createdAt, sessionKey, said: said ?? null, text, attachments };
}
