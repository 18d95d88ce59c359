// Reads the log file again: its last lines, and the lines that are written from now on. Files that were set aside are
// read too. A line that is no line of the log, such as one that a full disk cut short, is left out.

import { type FileHandle, open, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAtLeast, LOG_LEVELS, type LogLevel } from '../protocol/log.ts';
import type { LogLine } from './log-file.ts';
import { filesOfLog } from './rotating-file.ts';

export interface LogFilter {
  /** Lines of this level and above. */
  readonly level?: LogLevel | undefined;
  readonly sessionKey?: string | undefined;
  readonly runId?: string | undefined;
}

/** A line of the file, and its text as it stands there. */
export interface ReadLine {
  readonly line: LogLine;
  readonly text: string;
}

const CHUNK_BYTES = 64 * 1024;
/** The log writes no longer lines, and what is longer is not read into memory. */
const MAX_LINE_BYTES = 1024 * 1024;
const LOOK_MS = 200;

/** The last lines that match, the oldest first. Empty when there is no file. */
export async function readLog(file: string, count: number, filter: LogFilter): Promise<readonly ReadLine[]> {
  const found: ReadLine[] = [];
  for (const each of filesOfLog(file)) {
    const handle = await openIfThere(each);
    if (!handle) continue;
    try {
      for await (const text of linesFromEnd(handle)) {
        const line = parseLine(text);
        if (line && isMeant(line, filter)) found.push({ line, text });
        if (found.length >= count) return found.reverse();
      }
    } finally {
      await handle.close();
    }
  }
  return found.reverse();
}

/** The lines that are written from now on, until the signal aborts. The file may appear later, and may be set aside. */
export async function* followLog(file: string, filter: LogFilter, signal: AbortSignal): AsyncGenerator<ReadLine> {
  let handle = await openIfThere(file);
  let at = handle ? (await handle.stat()).size : 0;
  let rest: Buffer = Buffer.alloc(0);
  try {
    while (!signal.aborted) {
      // A file that was set aside meanwhile is read to its end before the new one is opened.
      const isOver = !handle || !(await isStillThere(file, handle));
      if (handle) {
        for (let bytes = await readAt(handle, at); bytes.length > 0; bytes = await readAt(handle, at)) {
          at += bytes.length;
          rest = Buffer.concat([rest, bytes]);
          const end = rest.lastIndexOf(NEW_LINE) + 1;
          const lines = rest.subarray(0, end).toString('utf8').split('\n');
          rest = rest.length - end > MAX_LINE_BYTES ? Buffer.alloc(0) : rest.subarray(end);
          for (const text of lines) {
            const line = parseLine(text);
            if (line && isMeant(line, filter)) yield { line, text };
          }
        }
      }
      const next = isOver ? await openIfThere(file) : undefined;
      if (next) {
        await handle?.close();
        handle = next;
        at = 0;
        rest = Buffer.alloc(0);
      } else await sleep(LOOK_MS, undefined, { signal }).catch(() => {});
    }
  } finally {
    await handle?.close();
  }
}

async function openIfThere(file: string): Promise<FileHandle | undefined> {
  try {
    return await open(file, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function isStillThere(file: string, handle: FileHandle): Promise<boolean> {
  const [now, opened] = await Promise.all([stat(file).catch(() => undefined), handle.stat()]);
  return now === undefined || (now.ino === opened.ino && now.dev === opened.dev);
}

async function readAt(handle: FileHandle, position: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(CHUNK_BYTES), 0, CHUNK_BYTES, position);
  return buffer.subarray(0, bytesRead);
}

async function* linesFromEnd(handle: FileHandle): AsyncGenerator<string> {
  let { size: end } = await handle.stat();
  /** The beginning of a line whose end was read before. */
  let tail: Buffer = Buffer.alloc(0);
  while (end > 0) {
    const start = Math.max(0, end - CHUNK_BYTES);
    const { buffer } = await handle.read(Buffer.alloc(end - start), 0, end - start, start);
    let bytes = Buffer.concat([buffer, tail]);
    for (let at = bytes.lastIndexOf(NEW_LINE); at !== -1; at = bytes.lastIndexOf(NEW_LINE)) {
      if (at < bytes.length - 1) yield bytes.subarray(at + 1).toString('utf8');
      bytes = bytes.subarray(0, at);
    }
    tail = bytes.length > MAX_LINE_BYTES ? Buffer.alloc(0) : bytes;
    end = start;
  }
  if (tail.length > 0) yield tail.toString('utf8');
}

const NEW_LINE = 0x0a;

function parseLine(text: string): LogLine | undefined {
  try {
    const line = JSON.parse(text);
    const { level, time, msg } = line;
    const isLine = LOG_LEVELS.includes(level) && typeof time === 'string' && typeof msg === 'string';
    return isLine ? line : undefined;
  } catch {
    return undefined;
  }
}

function isMeant(line: LogLine, { level, sessionKey, runId }: LogFilter): boolean {
  if (level !== undefined && !isAtLeast(line.level, level)) return false;
  if (sessionKey !== undefined && line.sessionKey !== sessionKey) return false;
  return runId === undefined || line.runId === runId;
}
