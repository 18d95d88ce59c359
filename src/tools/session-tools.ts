// What the session tools share: which sessions they may see, which is decided elsewhere and handed in, and the kinds of
// sessions as models are told of them.

import { type Message, textOf, toolCallsOf } from '../protocol/message.ts';
import { clip } from '../protocol/one-line.ts';
import {
  isCronSessionKey,
  isHeartbeatSessionKey,
  isSubagentSessionKey,
  surfaceOfSessionKey,
} from '../protocol/session-key.ts';
import type { Usage } from '../protocol/usage.ts';
import type { Store } from '../store/store.ts';
import type { SessionRow, TranscriptRow } from '../store/tables.ts';
import { ToolSessionUnknownError } from './errors.ts';
import type { ToolContext } from './tool.ts';

type Onlooker = Pick<ToolContext, 'agentId' | 'sessionKey'>;

export type SessionAddress = Pick<SessionRow, 'sessionKey' | 'agentId' | 'surface'>;

export interface SessionSight {
  /** False where each session sees itself only. */
  readonly reachesOthers: boolean;
  /** The condition that every query of sessions and their rows has to include. */
  scopeOf(onlooker: Onlooker): { readonly agentId: string; readonly sessionKey?: string };
  /** Whether the session that looks has spawned this one, or one that spawned it. */
  isDescendant(onlooker: Onlooker, sessionKey: string): Promise<boolean>;
  /** The latest session with this key, or the session with this id; undefined when there is none or it may not be seen. */
  find(onlooker: Onlooker, keyOrId: string): Promise<SessionRow | undefined>;
  /** Where a message to this session goes, also to a child that has not begun and has no session yet. */
  findAddress(onlooker: Onlooker, keyOrId: string): Promise<SessionAddress | undefined>;
}

export interface SessionToolOptions {
  readonly store: Store;
  readonly now: () => number;
  readonly sight: SessionSight;
}

/** A session, or the address of a child that was accepted and has no session yet, because it has not begun. */
export type FoundSession =
  | { readonly hasBegun: true; readonly session: SessionRow }
  | { readonly hasBegun: false; readonly address: SessionAddress };

export async function findSession(
  { sight }: SessionToolOptions,
  onlooker: Onlooker,
  keyOrId: string,
): Promise<FoundSession> {
  const session = await sight.find(onlooker, keyOrId);
  if (session) return { hasBegun: true, session };
  const address = await sight.findAddress(onlooker, keyOrId);
  if (!address) throw new ToolSessionUnknownError({ session: clip(keyOrId, 200) });
  return { hasBegun: false, address };
}

/** What a model is told of a child that has not begun. */
export const NOT_BEGUN = 'waiting: its task was accepted, and it has not begun';

export const SESSION_KINDS = ['main', 'direct', 'group', 'channel', 'subagent', 'cron', 'heartbeat', 'other'] as const;
export type SessionKind = (typeof SESSION_KINDS)[number];

export function kindOfSession(sessionKey: string): SessionKind {
  if (isSubagentSessionKey(sessionKey)) return 'subagent';
  if (isCronSessionKey(sessionKey)) return 'cron';
  if (isHeartbeatSessionKey(sessionKey)) return 'heartbeat';
  return surfaceOfSessionKey(sessionKey);
}

export interface LastRun {
  readonly runId: string;
  readonly status: string;
  readonly startedAt: string;
  readonly model?: string | undefined;
  readonly usage?: Usage | undefined;
  readonly error?: string | undefined;
}

export async function lastRunOf(store: Store, sessionId: string): Promise<LastRun | undefined> {
  const [run] = await store.select('runs', { where: { sessionId }, orderBy: [['startedAt', 'desc']], limit: 1 });
  if (!run) return undefined;
  const { provider, model, usage, error } = run.outcome ?? {};
  return {
    runId: run.runId,
    status: run.status,
    startedAt: new Date(run.startedAt).toISOString(),
    model: model === undefined ? undefined : [provider, model].filter(Boolean).join('/'),
    usage,
    error: error?.slice(0, 200),
  };
}

export interface ShownMessage {
  readonly position: number;
  readonly at: string;
  readonly role: Message['role'];
  readonly text: string;
  readonly tool?: string;
  readonly calls?: readonly string[];
  /** How many characters of the text are not shown. */
  readonly cut?: number;
}

export interface ShownOptions {
  readonly includeTools: boolean;
  readonly maxCharsEach: number;
  readonly maxCharsTotal: number;
}

/** `rows` are in transcript order. */
export function showMessages(rows: readonly TranscriptRow[], options: ShownOptions): readonly ShownMessage[] {
  const shown: ShownMessage[] = [];
  let chars = 0;
  for (const row of rows.toReversed()) {
    const message = showMessage(row, options);
    if (!message) continue;
    chars += message.text.length;
    if (shown.length > 0 && chars > options.maxCharsTotal) break;
    shown.unshift(message);
  }
  return shown;
}

function showMessage(row: TranscriptRow, { includeTools, maxCharsEach }: ShownOptions): ShownMessage | undefined {
  const { message, position, at } = row;
  if (row.kind === 'notice' || (message.role === 'tool' && !includeTools)) return undefined;
  const calls = includeTools && message.role === 'assistant' ? toolCallsOf(message).map(({ name }) => name) : [];
  const whole = row.shown ?? (message.role === 'assistant' ? textOf(message) : message.content);
  // A message that only calls tools has no text to show when tools are left out.
  if (whole === '' && calls.length === 0) return undefined;
  const text = whole.slice(0, maxCharsEach).replace(/[\ud800-\udbff]$/, '');
  return {
    position,
    at: new Date(at).toISOString(),
    role: message.role,
    ...(message.role === 'tool' ? { tool: message.toolName } : {}),
    ...(calls.length > 0 ? { calls } : {}),
    text,
    ...(text.length < whole.length ? { cut: whole.length - text.length } : {}),
  };
}
