// What a person typed in terminals before, for the arrow keys. The file is private, and the chat works also when it
// cannot be read or written.

import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export const HISTORY_LINES = 500;

/** The latest first. */
export async function readChatHistory(stateDir: string): Promise<readonly string[]> {
  const text = await readFile(historyFile(stateDir), 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .slice(0, HISTORY_LINES);
}

export async function saveChatHistory(stateDir: string, history: readonly string[]): Promise<void> {
  const file = historyFile(stateDir);
  const text = history
    .slice(0, HISTORY_LINES)
    .map((line) => `${line}\n`)
    .join('');
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(file, text, { mode: 0o600 });
    await chmod(file, 0o600);
  } catch {
    // Without the file, the next chat remembers less.
  }
}

function historyFile(stateDir: string): string {
  return join(stateDir, 'atrium', 'chat-history');
}
