// Asks a person for lines. A secret is not shown while it is typed or pasted. Where the input is not a terminal, the lines
// are read from it, so that a script can hand tokens over without putting them on the command line.

import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';

export class LineAsker {
  /** The lines of an input that is not a terminal, as far as they were not asked for. */
  #piped: Promise<string[]> | undefined;

  /** Undefined when the input ends without a line. */
  async ask(question: string, isSecret: boolean): Promise<string | undefined> {
    if (process.stdin.isTTY === true) return askInTerminal(question, isSecret);
    this.#piped ??= text(process.stdin).then(linesOf);
    const line = (await this.#piped).shift();
    return line?.trim();
  }
}

/** The end of the last line begins no other one, so an empty input has no line. */
export function linesOf(input: string): string[] {
  const lines = input.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

async function askInTerminal(question: string, isSecret: boolean): Promise<string | undefined> {
  process.stderr.write(question);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: isSecret ? silent : process.stderr, terminal: true });
  return new Promise((resolve) => {
    let answer: string | undefined;
    lines.once('line', (line) => {
      answer = line.trim();
      lines.close();
    });
    lines.once('SIGINT', () => lines.close());
    lines.once('close', () => {
      if (isSecret) process.stderr.write('\n');
      resolve(answer);
    });
  });
}
