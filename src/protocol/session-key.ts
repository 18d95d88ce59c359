// Reads session keys: it says what a key tells about its agent, its surface and its purpose. Together with
// `build-session-key.ts` this is the only place that knows the text form, `agent:<agentId>:<rest>`; all other code asks
// here. No function throws: keys come from old homes and from people, so an unknown form is simply a key that says
// little.

import { DEFAULT_AGENT_ID, normalizeAgentId } from './agent-id.ts';
import { remembered } from './remembered.ts';

type KeyText = string | undefined | null;

/** Where the people of a session are. `main` is the agent's own session; `other` is not a conversation. */
export type SessionSurface = 'main' | 'direct' | 'group' | 'channel' | 'other';

/** The contents of a key as data. Ids keep the case in which the key wrote them. */
export interface ParsedSessionKey {
  /** Absent when the key names no agent. */
  readonly agentId?: string;
  readonly surface: SessionSurface;
  readonly channel?: string;
  readonly accountId?: string;
  /** The person, group or channel on the platform; a topic belongs to it (`<chat>:topic:<n>`). */
  readonly peerId?: string;
  readonly threadId?: string;
}

/** The two parts that every agent's key has, in their canonical case. */
export interface AgentSessionKey {
  readonly agentId: string;
  readonly rest: string;
}

export type SessionKeyShape = 'missing' | 'agent' | 'malformed_agent' | 'legacy_or_alias';

/** A group or channel as the text of the key names it: `prefix` and `rawId`, joined by a colon, give the key again. */
export interface ConversationRef {
  readonly channel: string;
  readonly kind: 'group' | 'channel';
  readonly rawId: string;
  readonly prefix: string;
}

export interface ThreadSuffix {
  /** Absent only when there is no key at all. */
  readonly baseSessionKey?: string;
  readonly threadId?: string;
}

export function parseSessionKey(key: KeyText): ParsedSessionKey {
  return parsedKeyOf(key ?? '');
}

/** One run asks many questions about one key, and many sessions talk at once. */
const MOST_KEYS = 512;

const parsedKeyOf = remembered(MOST_KEYS, (key): ParsedSessionKey => {
  const agentId = parseAgentSessionKey(key)?.agentId;
  const owner = agentId === undefined ? {} : { agentId };
  const text = heartbeatBase(key) ?? key;
  const { baseSessionKey, threadId } = parseThreadSuffix(text);
  if (!isWholeKey(keyParts(baseSessionKey))) return { ...owner, ...parseSurface(bodyParts(text)) };
  const thread = threadId === undefined ? {} : { threadId };
  return { ...owner, ...parseSurface(bodyParts(baseSessionKey)), ...thread };
});

export function surfaceOfSessionKey(key: KeyText): SessionSurface {
  return parseSessionKey(key).surface;
}

/** True for surfaces that several people read: groups and channels, with their threads and topics. */
export function isSharedSurfaceSessionKey(key: KeyText): boolean {
  const surface = surfaceOfSessionKey(key);
  if (surface === 'group' || surface === 'channel') return true;
  // A key of an unknown form counts as shared when one of its words names a place for several people.
  const [kind = '', ...parts] = bodyParts(key);
  return surface === 'other' && !PRIVATE_KINDS.has(kind) && parts.some((part) => GATHERINGS.has(part));
}

const PRIVATE_KINDS: ReadonlySet<string> = new Set([
  'subagent',
  'cron',
  'hook',
  'acp',
  'explicit',
  'dashboard',
  'node',
  'commitments',
  'main',
  'direct',
  'dm',
]);
const GATHERINGS: ReadonlySet<string> = new Set(['group', 'channel', 'guild', 'room', 'mpim', 'space', 'topic']);

/** Reads `agent:<agentId>:<rest>`. Empty parts are dropped, so a doubled or trailing colon changes nothing. */
export function parseAgentSessionKey(key: KeyText): AgentSessionKey | undefined {
  return key ? agentKeyOf(key).parsed : undefined;
}

const agentKeyOf = remembered(MOST_KEYS, (key): { readonly parsed: AgentSessionKey | undefined } => {
  const [first, agentId, ...rest] = normalizeSessionKey(key).split(':').filter(Boolean);
  const owner = agentId?.trim();
  const isWhole = first === 'agent' && owner && rest.length > 0;
  return { parsed: isWhole ? { agentId: owner, rest: rest.join(':') } : undefined };
});

/** Gives each key one spelling: trimmed and in lower case, except for ids whose case carries meaning. */
export function normalizeSessionKey(key: KeyText): string {
  return key ? normalizedOf(key) : '';
}

const normalizedOf = remembered(MOST_KEYS, (key): string => {
  const text = key.trim();
  let normalized = '';
  let end = 0;
  // Signal's group ids are base64, the only peers whose case carries meaning.
  for (const match of text.matchAll(/(?<=(?:^|:)signal:group:)[^:]+/gi)) {
    normalized += text.slice(end, match.index).toLowerCase() + match[0].trim();
    end = match.index + match[0].length;
  }
  return normalized + text.slice(end).toLowerCase();
});

export function classifySessionKeyShape(key: KeyText): SessionKeyShape {
  const text = lowered(key);
  if (text === '') return 'missing';
  if (parseAgentSessionKey(key)) return 'agent';
  return text.startsWith('agent:') ? 'malformed_agent' : 'legacy_or_alias';
}

export function resolveAgentIdFromSessionKey(key: KeyText): string {
  return normalizeAgentId(parseAgentSessionKey(key)?.agentId ?? DEFAULT_AGENT_ID);
}

/** Returns the key as a request names it, without its agent. A key without an agent stays as it is. */
export function toAgentRequestSessionKey(key: KeyText): string | undefined {
  return parseAgentSessionKey(key)?.rest ?? ((key ?? '').trim() || undefined);
}

export function isSubagentSessionKey(key: KeyText): boolean {
  return lowered(key).startsWith('subagent:') || restStartsWith(key, 'subagent:');
}

/** A bare `cron:x` names no agent, so it is not a cron session. */
export function isCronSessionKey(key: KeyText): boolean {
  return restStartsWith(key, 'cron:');
}

/** True for one execution of a cron job, `cron:<job>:run:<ms>`, and for every key below it. */
export function isCronRunSessionKey(key: KeyText): boolean {
  return /^cron:[^:]+:run:[^:]/.test(parseAgentSessionKey(key)?.rest ?? '');
}

export function isAcpSessionKey(key: KeyText): boolean {
  return lowered(key).startsWith('acp:') || restStartsWith(key, 'acp:');
}

/**
 * True for an isolated heartbeat: another session's key with `:heartbeat` behind it. A job or channel named `heartbeat`
 * does not count.
 */
export function isHeartbeatSessionKey(key: KeyText): boolean {
  return heartbeatBase(key) !== undefined;
}

export function subagentDepthOfSessionKey(key: KeyText): number {
  return lowered(key).split(':subagent:').length - 1;
}

/** Helper agents that work for another run get the short prompt. */
export function promptModeOfSessionKey(key: KeyText): 'full' | 'minimal' {
  return isSubagentSessionKey(key) || isCronSessionKey(key) ? 'minimal' : 'full';
}

/** Splits the key at the last `:thread:`, in upper or lower case. */
export function parseThreadSuffix(key: KeyText): ThreadSuffix {
  const text = (key ?? '').trim();
  if (text === '') return {};
  const marker = [...text.matchAll(/:thread:/gi)].at(-1);
  if (marker === undefined) return { baseSessionKey: text };
  const baseSessionKey = text.slice(0, marker.index);
  const threadId = text.slice(marker.index + marker[0].length).trim();
  return threadId === '' ? { baseSessionKey } : { baseSessionKey, threadId };
}

export function parseConversationRef(key: KeyText): ConversationRef | undefined {
  const parts = keyParts(key);
  const start = bodyStart(parts);
  const channel = lowered(parts[start]);
  const kind = lowered(parts[start + 1]);
  const rawId = parts
    .slice(start + 2)
    .join(':')
    .trim();
  if (channel === '' || rawId === '' || (kind !== 'group' && kind !== 'channel')) return undefined;
  const prefix = parts.slice(0, start + 2).join(':');
  return { channel, kind, rawId, prefix };
}

/** A key whose rest begins with one of these words belongs to no conversation. */
const PURPOSES: ReadonlySet<string> = new Set([
  'subagent',
  'acp',
  'cron',
  'hook',
  'explicit',
  'dashboard',
  'commitments',
  'node',
]);

/**
 * An id follows each of these words. No key ends in one of them, so a `heartbeat` or `thread` after such a word is that
 * id.
 */
const WORDS_BEFORE_AN_ID: ReadonlySet<string> = new Set([
  ...PURPOSES,
  ...['direct', 'dm', 'group', 'channel', 'thread', 'topic', 'sender', 'run'],
]);

const SURFACE_WORDS: Readonly<Record<string, 'direct' | 'group' | 'channel'>> = {
  direct: 'direct',
  dm: 'direct',
  group: 'group',
  channel: 'channel',
};

/**
 * The word for the surface stands first, or after the channel, or after channel and account. It is found even if its id
 * is missing.
 */
function parseSurface(body: readonly string[]): Omit<ParsedSessionKey, 'agentId' | 'threadId'> {
  const channel = lowered(body[0]);
  if (PURPOSES.has(channel)) return { surface: 'other' };
  const at = body.slice(0, 3).findIndex((part) => surfaceWord(part) !== undefined);
  const surface = surfaceWord(body[at]);
  if (surface === undefined || body.length === 1) return parseOlderSurface(body);
  const peerId = body.slice(at + 1).join(':');
  return {
    surface,
    ...(at > 0 ? { channel } : {}),
    ...(at > 1 ? { accountId: lowered(body[1]) } : {}),
    ...(peerId === '' ? {} : { peerId }),
  };
}

/** Spellings from older homes. They must still count as shared, otherwise private memory would leak into a group. */
function parseOlderSurface(body: readonly string[]): Omit<ParsedSessionKey, 'agentId' | 'threadId'> {
  const last = body.at(-1) ?? '';
  const before = body.at(-2) ?? '';
  const channel = body.length > 1 ? { channel: lowered(body[0]) } : {};
  if (/@g\.us$/i.test(last)) return { surface: 'group', ...channel, peerId: last };
  if (/^guild-/i.test(before) && /^channel-/i.test(last)) {
    return { surface: 'channel', ...channel, peerId: last.slice('channel-'.length) };
  }
  return { surface: body.length === 1 && !['global', 'unknown'].includes(lowered(last)) ? 'main' : 'other' };
}

function surfaceWord(part: string | undefined): 'direct' | 'group' | 'channel' | undefined {
  const word = lowered(part);
  return Object.hasOwn(SURFACE_WORDS, word) ? SURFACE_WORDS[word] : undefined;
}

/**
 * Returns the key below an isolated heartbeat's key. `agent:<id>:heartbeat` has none: there `heartbeat` is the name of
 * the main session.
 */
function heartbeatBase(key: KeyText): string | undefined {
  const parts = keyParts(key);
  const base = parts.slice(0, -1);
  return lowered(parts.at(-1)) === 'heartbeat' && isWholeKey(base) ? base.join(':') : undefined;
}

function isWholeKey(parts: readonly string[]): boolean {
  const ownerParts = lowered(parts[0]) === 'agent' ? 2 : 0;
  return parts.length > ownerParts && !WORDS_BEFORE_AN_ID.has(lowered(parts.at(-1)));
}

function restStartsWith(key: KeyText, prefix: string): boolean {
  return lowered(parseAgentSessionKey(key)?.rest).startsWith(prefix);
}

function bodyParts(key: KeyText): readonly string[] {
  const parts = keyParts(key);
  return parts.slice(bodyStart(parts));
}

function bodyStart(parts: readonly string[]): number {
  return parts.length >= 3 && lowered(parts[0]) === 'agent' ? 2 : 0;
}

function keyParts(key: KeyText): readonly string[] {
  return (key ?? '').trim().split(':').filter(Boolean);
}

function lowered(text: KeyText): string {
  return (text ?? '').trim().toLowerCase();
}
