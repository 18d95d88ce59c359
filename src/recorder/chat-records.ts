// The chat records of openboa agents: one file a conversation, `<chatId>.jsonl`, a line for each message that a person
// or the agent said, in the order in which it was said. The store stays the truth: a record is made from it, and nothing
// reads a record to decide.
//
// Promise: a record only grows, and what it holds is what the store holds. A line that a crash cut short, a line that
// somebody changed, and a file that is gone are noticed before the next line is written, and the file is then made anew
// under another name and renamed. Nothing here throws: a record that cannot be written is one warning.

import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { textOf } from '../protocol/message.ts';
import type { Store } from '../store/store.ts';
import type { SessionRow, TranscriptRow } from '../store/tables.ts';

export interface ChatRecordsParts {
  readonly store: Store;
  /** The folder of an agent's records; undefined for an agent that has none. */
  readonly dirOf: (agentId: string) => string | undefined;
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
  readonly #warned = new Set<string>();
  #isClosed = false;

  constructor(parts: ChatRecordsParts) {
    this.#parts = parts;
  }

  /** Brings the records of all conversations up to date: what a crash kept from being written is written now. */
  async open(): Promise<void> {
    const sessions = await this.#parts.store.select('sessions', {}).catch(() => []);
    const theirs = sessions.filter(({ agentId }) => this.#parts.dirOf(agentId) !== undefined);
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
    const { store, dirOf } = this.#parts;
    let dir: string | undefined;
    try {
      const sessions = await store.select('sessions', { where: { sessionKey }, orderBy: [['startedAt', 'asc']] });
      dir = sessions[0] && dirOf(sessions[0].agentId);
      if (dir === undefined) return;
      await this.#bringUpToDate(sessionKey, dir, sessions);
    } catch (error) {
      this.#known.delete(sessionKey);
      this.#tell(dir ?? sessionKey, error);
    }
  }

  async #bringUpToDate(sessionKey: string, dir: string, sessions: readonly SessionRow[]): Promise<void> {
    const file = join(dir, `${chatIdOf(sessionKey)}.jsonl`);
    const known = this.#known.get(sessionKey);
    const isAsLeft = known !== undefined && (await stampOf(file)) === known.stamp;
    const lines = await this.#linesOf(sessions, isAsLeft ? known : undefined);
    const texts = lines.map((line) => `${JSON.stringify(line)}\n`);
    if (isAsLeft) await appendTo(file, texts.join(''));
    else {
      const kept = await keptLines(file, texts);
      if (texts.length === 0) {
        await rm(file, { force: true });
        return;
      }
      await mkdir(dir, { recursive: true, mode: 0o700 });
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
    if (this.#warned.has(about)) return;
    this.#warned.add(about);
    const { code, message } = error as NodeJS.ErrnoException;
    this.#parts.warn(
      `Chat records cannot be written to ${about} (${code ?? message}). Runs go on, and what is missing is written when it can be; check the folder and its permissions.`,
    );
  }
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
export function chatIdOf(sessionKey: string): string {
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
