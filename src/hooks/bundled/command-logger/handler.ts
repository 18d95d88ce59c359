// Writes a log line for each command: which person gave it, and where. The file is private, a symbolic link in its
// place is not followed, and its size is bounded: one older file is kept beside the current one.

import { closeSync, constants, fchmodSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { InternalHookEvent } from '../../../protocol/bootstrap-event.ts';
import { packDepsOf } from '../pack-deps.ts';

const MAX_BYTES = 5 * 1024 * 1024;
const MAX_FIELD_CHARS = 512;

export function handler(event: InternalHookEvent): void {
  const { logsDir } = packDepsOf(event);
  const { senderId, commandSource } = event.context;
  const line = JSON.stringify({
    timestamp: event.timestamp.toISOString(),
    action: event.action,
    sessionKey: event.sessionKey,
    senderId: fieldOf(senderId),
    source: fieldOf(commandSource),
  });
  mkdirSync(logsDir, { recursive: true, mode: 0o700 });
  appendLine(join(logsDir, 'commands.log'), `${line}\n`);
}

function fieldOf(value: unknown): string {
  return typeof value === 'string' && value !== '' ? value.slice(0, MAX_FIELD_CHARS) : 'unknown';
}

/** The line is written synchronously: commands are rare, and two asynchronous writes could change their order. */
function appendLine(file: string, line: string): void {
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = constants;
  const flags = O_WRONLY | O_APPEND | O_CREAT | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0);
  let handle = openSync(file, flags, 0o600);
  try {
    const stats = fstatSync(handle);
    if (!stats.isFile()) throw new Error(`${file} is no regular file`);
    if ((stats.mode & 0o077) !== 0) fchmodSync(handle, 0o600);
    if (stats.size + line.length > MAX_BYTES) {
      closeSync(handle);
      renameSync(file, `${file}.1`);
      handle = openSync(file, flags, 0o600);
    }
    writeSync(handle, line);
  } finally {
    closeSync(handle);
  }
}
