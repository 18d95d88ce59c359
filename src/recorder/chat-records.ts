// The chat records of openboa agents: one file a conversation, `<chatId>.jsonl`, a line for each message that a person
// or the agent said, in the order in which it was said. The store stays the truth: a record is made from it, and nothing
// reads a record to decide.
//
// Promise: a record only grows, and what it holds is what the store holds. A line that a crash cut short, a line that
// somebody changed, and a file that is gone are noticed before the next line is written, and the file is then made anew
// under another name and renamed. Nothing here throws: a record that cannot be written is one warning, which stays in
// `warnings` until the record is written.

import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { textOf } from '../protocol/message.ts';
import type { Store } from '../store/store.ts';
import type { SessionRow, TranscriptRow } from '../store/tables.ts';
import { ChatFolderRefusedError, type ChatRecordPlace, findChatFolder, makeChatFolder } from './chat-record-folder.ts';

export interface ChatRecordsParts {
  readonly store: Store;
  /** The agents that have records. */
  readonly agentIds: readonly string[];
  /** Where an agent's records are; undefined for an agent that has none. */
  readonly placeOf: (agentId: string) => ChatRecordPlace | undefined;
  readonly warn: (sentence: string) => void;
}

/** One line of a record. */
export interface ChatLine {
  /** The session and the position in it, so that a line can be found in the store. */
  readonly id: string;
  readonly chatId: string;
  readonly agentId: string;
  readonly sessionKey: string;
  readonly runId: string;
  /** ISO 8601. */
  readonly at: string;
  readonly role: 'user' | 'assistant';
  readonly text: string;
}

/** How far a record goes, and what its file looked like when this process wrote it last. */
interface KnownRecord {
  /** The size and the times of the file. When they differ, somebody else has changed it. */
  readonly stamp: string;
  readonly sessionId: string;
  readonly position: number;
}

export class ChatRecords {
  readonly #parts: ChatRecordsParts;
  readonly #known = new Map<string, KnownRecord>();
  /** By session key: the work that goes on, so that a record is written by one at a time. */
  readonly #writing = new Map<string, Promise<void>>();
  /** By the root of the records: what is wrong there. */
  readonly #warnings = new Map<string, string>();
  #isClosed = false;

  constructor(parts: ChatRecordsParts) {
    this.#parts = parts;
  }

  /** Sentences about records that are not written. */
  get warnings(): readonly string[] {
    return [...this.#warnings.values()];
  }

  /** Brings the records of all conversations up to date: what a crash kept from being written is written now. */
  async open(): Promise<void> {
    const { store, agentIds, placeOf } = this.#parts;
    for (const place of agentIds.map(placeOf)) {
      // A folder that must not be used is named before the first message.
      if (place) await findChatFolder(place).catch((error) => this.#tell(place.root, error));
    }
    const sessions = await store.select('sessions', {}).catch(() => []);
    const theirs = sessions.filter(({ agentId }) => placeOf(agentId) !== undefined);
    for (const sessionKey of new Set(theirs.map((session) => session.sessionKey))) {
      if (this.#isClosed) return;
      await this.follow(sessionKey);
    }
  }

  /** Brings the record of one conversation up to date. */
  async follow(sessionKey: string): Promise<void> {
    const before = this.#writing.get(sessionKey) ?? Promise.resolve();
    const work = before.then(() => this.#write(sessionKey));
    this.#writing.set(sessionKey, work);
    await work;
    if (this.#writing.get(sessionKey) === work) this.#writing.delete(sessionKey);
  }

  /** The same after something was removed from the store: the whole record is compared with it. */
  async compare(sessionKey: string): Promise<void> {
    this.#known.delete(sessionKey);
    await this.follow(sessionKey);
  }

  /** Resolves when everything that was begun is written. */
  async close(): Promise<void> {
    this.#isClosed = true;
    while (this.#writing.size > 0) await Promise.all(this.#writing.values());
  }

  async #write(sessionKey: string): Promise<void> {
    const { store, placeOf } = this.#parts;
    let place: ChatRecordPlace | undefined;
    try {
      const sessions = await store.select('sessions', { where: { sessionKey }, orderBy: [['startedAt', 'asc']] });
      place = sessions[0] && placeOf(sessions[0].agentId);
      if (place === undefined) return;
      await this.#bringUpToDate(sessionKey, place, sessions);
      this.#warnings.delete(place.root);
    } catch (error) {
      this.#known.delete(sessionKey);
      this.#tell(place?.root ?? sessionKey, error);
    }
  }

  async #bringUpToDate(sessionKey: string, place: ChatRecordPlace, sessions: readonly SessionRow[]): Promise<void> {
    const name = `${chatIdOf(sessionKey)}.jsonl`;
    const found = await findChatFolder(place);
    const known = this.#known.get(sessionKey);
    const isAsLeft = found !== undefined && known !== undefined && (await stampOf(join(found, name))) === known.stamp;
    const lines = await this.#linesOf(sessions, isAsLeft ? known : undefined);
    if (found === undefined && lines.length === 0) return;
    const file = join(found ?? (await makeChatFolder(place)), name);
    const texts = lines.map((line) => `${JSON.stringify(line)}\n`);
    if (isAsLeft) await appendTo(file, texts.join(''));
    else {
      const kept = await keptLines(file, texts);
      if (texts.length === 0) {
        await rm(file, { force: true });
        return;
      }
      if (kept === undefined) await replace(file, texts.join(''));
      else await appendTo(file, texts.slice(kept).join(''));
    }
    const last = lines.at(-1);
    const [sessionId = '', position = '0'] = last?.id.split(':') ?? [];
    const end = last ? { sessionId, position: Number(position) } : known;
    if (end) this.#known.set(sessionKey, { ...end, stamp: (await stampOf(file)) ?? '' });
  }

  /** What was said behind a position; all of it without one. */
  async #linesOf(sessions: readonly SessionRow[], after: KnownRecord | undefined): Promise<readonly ChatLine[]> {
    const from = sessions.findIndex(({ sessionId }) => sessionId === after?.sessionId);
    const lines: ChatLine[] = [];
    for (const session of sessions.slice(Math.max(0, from))) {
      const { sessionId } = session;
      const least = after?.sessionId === sessionId ? after.position + 1 : 0;
      const rows = await this.#parts.store.select('transcript', {
        where: { sessionId, kind: 'message', position: { gte: least } },
        orderBy: [['position', 'asc']],
      });
      lines.push(...rows.flatMap((row) => chatLine(row, session)));
    }
    return lines;
  }

  #tell(about: string, error: unknown): void {
    const sentence = describeFailure(about, error);
    if (this.#warnings.get(about) === sentence) return;
    this.#warnings.set(about, sentence);
    this.#parts.warn(sentence);
  }
}

function describeFailure(about: string, error: unknown): string {
  if (error instanceof ChatFolderRefusedError) return `No chat records are kept: ${error.message}`;
  const { code, message } = error as NodeJS.ErrnoException;
  return `The chat records cannot be written to ${about} (${code ?? message}). Runs go on, and what is missing is written when it can be; check the folder and its permissions.`;
}

/** What was said, without tool calls and their results, and without what a gate sent back for revision. */
function chatLine(
  { sessionId, position, runId, at, message, shown, meta }: TranscriptRow,
  { agentId, sessionKey }: SessionRow,
): readonly ChatLine[] {
  if (message.role === 'tool' || meta.revision === true) return [];
  const text = shown ?? (message.role === 'user' ? message.content : textOf(message));
  if (text.trim() === '') return [];
  return [
    {
      id: `${sessionId}:${position}`,
      chatId: chatIdOf(sessionKey),
      agentId,
      sessionKey,
      runId,
      at: new Date(at).toISOString(),
      role: message.role,
      text,
    },
  ];
}

const LONGEST_READABLE = 80;

/** A name that every file system takes, which people recognise, and which no two conversations share. */
function chatIdOf(sessionKey: string): string {
  const readable = sessionKey
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[.-]+/, '')
    .slice(0, LONGEST_READABLE);
  return `${readable}-${createHash('sha256').update(sessionKey).digest('hex').slice(0, 12)}`;
}

/** How many lines of a record are the beginning of what the store tells; undefined when it is something else, or absent. */
async function keptLines(file: string, told: readonly string[]): Promise<number | undefined> {
  if ((await stampOf(file)) === undefined) return undefined;
  const text = await readFile(file, 'utf8');
  let size = 0;
  let lines = 0;
  for (const line of told) {
    if (!text.startsWith(line, size)) break;
    size += line.length;
    lines += 1;
  }
  return size === text.length ? lines : undefined;
}

/** Undefined when there is no file of this name. A link or a folder in its place is an error. */
async function stampOf(file: string): Promise<string | undefined> {
  const entry = await lstat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  });
  if (entry && !entry.isFile()) throw Object.assign(new Error('not a file'), { code: 'it is no regular file' });
  return entry && `${entry.ino}:${entry.size}:${entry.mtimeMs}:${entry.ctimeMs}`;
}

async function appendTo(file: string, text: string): Promise<void> {
  if (text === '') return;
  await writeWith(file, constants.O_WRONLY | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0), text);
}

/** Readers see the old file or the new one, never half of either. */
async function replace(file: string, text: string): Promise<void> {
  const draft = `${file}.new`;
  await rm(draft, { force: true });
  await writeWith(draft, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, text);
  await rename(draft, file);
}

async function writeWith(file: string, flags: number, text: string): Promise<void> {
  const handle = await open(file, flags, 0o600);
  try {
    await handle.appendFile(text);
    await handle.datasync();
  } finally {
    await handle.close();
  }
}
