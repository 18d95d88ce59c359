// Brings one conversation of OpenClaw into the store, so that the next message under its key goes on with it. A conversation
// is one commit. It can be done again: what is there is left alone, and what OpenClaw has added since is appended, unless
// the conversation has gone on here.

import { isJsonObject, type JsonObject } from '../../protocol/json.ts';
import { oneLine } from '../../protocol/one-line.ts';
import { isSubagentSessionKey, normalizeSessionKey, parseAgentSessionKey } from '../../protocol/session-key.ts';
import { withSessionModel } from '../../sessions/session-model.ts';
import { planIndexing } from '../../store/plan-indexing.ts';
import type { Store, Write } from '../../store/store.ts';
import type { SessionRow, TranscriptRow } from '../../store/tables.ts';
import { Conversation, type ImportedEntry } from './conversation.ts';
import type { ImportNote, SourceSession } from './source-session.ts';

export interface SessionOutcome {
  /** `stays`: work that was over with its run, which nobody misses here. */
  readonly state: 'new' | 'grown' | 'unchanged' | 'left' | 'stays';
  readonly entries: number;
  readonly notes: readonly ImportNote[];
  /** Why it was left, when the same reason holds for many: they are counted and not named one by one. */
  readonly kind?: string | undefined;
}

export interface SessionImport {
  readonly store: Store;
  readonly now: number;
  /** Reads and compares, and writes nothing. */
  readonly isDryRun: boolean;
  /** A conversation is held in memory as a whole; a longer one is left. */
  readonly mostChars: number;
}

export async function importSession(parts: SessionImport, source: SourceSession): Promise<SessionOutcome> {
  const kind = reasonToLeave(source.sessionKey);
  if (kind) return { state: isOfOneRun(source.sessionKey) ? 'stays' : 'left', entries: 0, notes: [], kind };
  const { sessionId } = source;
  const [known] = await parts.store.select('sessions', { where: { sessionId }, limit: 1 });
  const mark = known && markOf(known);
  if (known?.endReason === 'deleted') return left(source, `${known.sessionKey} ${WAS_DELETED}`);
  if (known && !mark) return left(source, 'A session of Atrium has the same id.');
  if (mark?.stamp === source.stamp) return { state: 'unchanged', entries: 0, notes: [] };

  const { conversation, notes } = await read(source, parts.mostChars);
  if (conversation.chars > parts.mostChars) return left(source, `${source.sessionKey} ${TOO_LONG}`);
  const entries = conversation.entries();
  if (known && mark) return append(parts, source, { known, mark, entries, notes });
  if (entries.length === 0) return { state: 'left', entries: 0, notes, kind: 'without any message' };
  return begin(parts, source, { conversation, entries, notes });
}

const WAS_DELETED = 'was brought before and deleted here. It stays deleted, and is not brought again.';

const TOO_LONG =
  'is longer than the memory of this process allows, and stays where it is. With more of it, such as NODE_OPTIONS=--max-old-space-size=8192, it is brought along.';

/** What the session row remembers about where it came from. */
interface ImportMark {
  readonly stamp: string;
  readonly lastEntry: string;
  /** When it was brought. */
  readonly at: number;
}

function markOf({ state }: Pick<SessionRow, 'state'>): ImportMark | undefined {
  const mark = state.import;
  if (!isJsonObject(mark) || typeof mark.stamp !== 'string' || typeof mark.lastEntry !== 'string') return undefined;
  return { stamp: mark.stamp, lastEntry: mark.lastEntry, at: typeof mark.at === 'number' ? mark.at : 0 };
}

function withMark(
  state: JsonObject,
  { stamp }: SourceSession,
  entries: readonly ImportedEntry[],
  at: number,
): JsonObject {
  return { ...state, import: { from: 'openclaw', stamp, lastEntry: entries.at(-1)?.id ?? '', at } };
}

/** Work that has ended with its run, and keys that belong to no agent. */
export function reasonToLeave(sessionKey: string): string | undefined {
  if (!parseAgentSessionKey(sessionKey)) return 'without an agent in their key';
  if (isSubagentSessionKey(sessionKey)) return 'of subagents';
  return isOfOneRun(sessionKey) ? 'of single runs of jobs' : undefined;
}

/** A session of a subagent or of a single run of a job: it ended with that run. */
export function isOfOneRun(sessionKey: string): boolean {
  return isSubagentSessionKey(sessionKey) || /:cron:[^:]+:run:/.test(normalizeSessionKey(sessionKey));
}

async function read(source: SourceSession, mostChars: number) {
  const conversation = new Conversation(source);
  const notes: ImportNote[] = [];
  for await (const event of source.events()) {
    const problem = 'problem' in event ? event.problem : conversation.add(event.value) ? undefined : 'it is no entry';
    if (conversation.chars > mostChars) break;
    if (problem === undefined) continue;
    if (notes.length < MOST_LINES) {
      notes.push({ place: source.place, sentence: `Line ${event.line} was left out: ${problem}.` });
    } else if (notes.length === MOST_LINES) {
      notes.push({ place: source.place, sentence: 'More lines were left out.' });
    }
  }
  const omissions = conversation.omissions.map((sentence) => ({ place: source.place, sentence }));
  return { conversation, notes: [...notes, ...omissions] };
}

const MOST_LINES = 20;

interface ReadSession {
  readonly entries: readonly ImportedEntry[];
  readonly notes: readonly ImportNote[];
}

async function begin(
  { store, now, isDryRun }: SessionImport,
  source: SourceSession,
  { conversation, entries, notes }: ReadSession & { readonly conversation: Conversation },
): Promise<SessionOutcome> {
  const sessionKey = normalizeSessionKey(source.sessionKey);
  const agentId = parseAgentSessionKey(sessionKey)?.agentId ?? source.agentId;
  const others = await store.select('sessions', { where: { sessionKey }, orderBy: [['startedAt', 'desc']] });
  const wentOn = await firstAsync(others, async (other) => !markOf(other) || (await hasOwnEntries(store, other)));
  const superseded = source.endedAt === null && !wentOn ? others.find(({ endedAt }) => endedAt === null) : undefined;
  const begunAt = source.startedAt ?? conversation.startedAt ?? entries[0]?.at ?? source.activeAt;
  const isOpen = source.endedAt === null && !wentOn;
  const startedAt = isOpen ? Math.max(begunAt, (others[0]?.startedAt ?? 0) + 1) : begunAt;
  const session: SessionRow = {
    sessionId: source.sessionId,
    sessionKey,
    agentId,
    startedAt,
    activeAt: Math.max(source.activeAt, startedAt),
    endedAt: isOpen ? null : (source.endedAt ?? source.activeAt),
    endReason: isOpen ? null : source.endedAt === null ? 'unknown' : 'reset',
    surface: null,
    resumedFrom: superseded?.sessionId ?? null,
    endToTell: false,
    title: titleOf(source),
    archivedAt: null,
    seenAt: null,
    branchOf: null,
    branchAt: null,
    state: withMark(
      source.model === undefined ? {} : withSessionModel({ state: {} }, source.model),
      source,
      entries,
      now,
    ),
  };
  const said = wentOn && source.endedAt === null ? [{ place: source.place, sentence: `${sessionKey} ${WENT_ON}` }] : [];
  if (!isDryRun) {
    const ended: readonly Write[] = superseded
      ? [
          {
            update: 'sessions',
            where: { sessionId: superseded.sessionId, endedAt: null },
            set: { endedAt: now, endReason: 'reset' },
            expect: 1,
          },
        ]
      : [];
    const rows = rowsOf(session.sessionId, entries, 0);
    await store.commit([...ended, { insert: 'sessions', row: session }, ...rows], { site: 'import', lazy: true });
  }
  return { state: 'new', entries: entries.length, notes: [...notes, ...said, ...notesOfChoices(sessionKey, source)] };
}

/** A title is one line, as long as a person could make it. */
function titleOf({ title }: SourceSession): string | null {
  return oneLine(title ?? '', LONGEST_TITLE) || null;
}

const LONGEST_TITLE = 200;

function notesOfChoices(sessionKey: string, { place, unused = [] }: SourceSession): readonly ImportNote[] {
  if (unused.length === 0) return [];
  const sentence = `${sessionKey}: ${unused.join(', ')} of the session ${unused.length === 1 ? 'has' : 'have'} no effect.`;
  return [{ place, sentence }];
}

const WENT_ON =
  'has gone on here already. What was said in OpenClaw was brought as an ended session, and is not part of the next request.';

async function append(
  { store, now, isDryRun }: SessionImport,
  source: SourceSession,
  { known, mark, entries, notes }: ReadSession & { readonly known: SessionRow; readonly mark: ImportMark },
): Promise<SessionOutcome> {
  const place = entries.findIndex(({ id }) => id === mark.lastEntry);
  if (place === -1)
    return left(source, `${known.sessionKey} was written anew in OpenClaw, so what is here stays as it is.`);
  const added = entries.slice(place + 1);
  const { sessionId } = known;
  if (added.length > 0 && (known.endedAt !== null || (await hasOwnEntries(store, known)))) {
    return left(
      source,
      `${known.sessionKey} has gone on here; ${added.length} newer entries of OpenClaw were not added.`,
    );
  }
  if (!isDryRun) {
    const [last] = await store.select('transcript', {
      where: { sessionId },
      orderBy: [['position', 'desc']],
      limit: 1,
    });
    const set = {
      state: withMark(known.state, source, entries, added.length === 0 ? mark.at : now),
      activeAt: Math.max(known.activeAt, source.activeAt),
    };
    const rows = rowsOf(sessionId, added, last?.position ?? 0, entries);
    await store.commit([{ update: 'sessions', where: { sessionId }, set, expect: 1 }, ...rows], {
      site: 'import',
      lazy: true,
    });
  }
  return { state: added.length === 0 ? 'unchanged' : 'grown', entries: added.length, notes };
}

/** `all` are the entries from the first on, in which a summary may name one; their positions have no gaps. */
function rowsOf(
  sessionId: string,
  added: readonly ImportedEntry[],
  last: number,
  all: readonly ImportedEntry[] = added,
): readonly Write[] {
  const positions = new Map(all.map(({ id }, index) => [id, index + 1]));
  const entries = added.map(({ at, kind, message, meta, keepsFrom }, index): Write => {
    const position = last + index + 1;
    const keeps = keepsFrom === undefined ? undefined : positions.get(keepsFrom);
    const bounds: JsonObject = kind === 'compaction' ? { summarisedTo: (keeps ?? position) - 1 } : {};
    const row: TranscriptRow = {
      sessionId,
      position,
      runId: importRunId(sessionId),
      at,
      kind,
      message,
      shown: null,
      meta: { ...meta, ...bounds },
    };
    return { insert: 'transcript', row };
  });
  return [...entries, ...planIndexing(entries)];
}

/** No run has this id: what was brought along was not said in a run of Atrium. */
function importRunId(sessionId: string): string {
  return `import_${sessionId}`;
}

async function hasOwnEntries(store: Store, { sessionId }: Pick<SessionRow, 'sessionId'>): Promise<boolean> {
  return (await store.count('transcript', { sessionId, runId: { not: importRunId(sessionId) } })) > 0;
}

async function firstAsync<T>(list: readonly T[], test: (each: T) => Promise<boolean>): Promise<T | undefined> {
  for (const each of list) if (await test(each)) return each;
  return undefined;
}

function left({ place }: SourceSession, sentence: string): SessionOutcome {
  return { state: 'left', entries: 0, notes: [{ place, sentence }] };
}
