// One question to the person at the terminal. Whatever is not a yes is a no, the end of the input too.

import { createInterface } from 'node:readline';
import type { CliIo } from '../cli-io.ts';

/** Undefined when nobody is there to be asked. */
export async function askYes(question: string, io: CliIo): Promise<boolean | undefined> {
  if (!io.isTerminal || process.stdin.isTTY !== true) return undefined;
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const answer = await new Promise<string>((resolve) => {
      lines.once('close', () => resolve(''));
      lines.once('SIGINT', () => resolve(''));
      lines.question(`${question} [y/N] `, resolve);
    });
    return /^y(?:es)?$/i.test(answer.trim());
  } finally {
    lines.close();
  }
}
