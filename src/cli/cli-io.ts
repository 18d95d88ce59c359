// Everything outside of the process that a command uses, handed in so that a test can run a whole command line in
// process.

import { type Environment, readEnvironment } from '../config/environment.ts';
import type { LineAsker } from './line-asker.ts';

export interface CliIo {
  readonly environment: Environment;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly now: () => Date;
  /** Called by a command whose work goes on after it has returned; the process then ends by itself. */
  readonly linger: () => void;
  /** Asks the person for one line; a secret is not shown. Undefined when the input ends without one. */
  readonly ask: (question: string, isSecret: boolean) => Promise<string | undefined>;
  /** True when a person reads the output, so that tables and colour make sense. */
  readonly isTerminal: boolean;
  /** The width that tables may use. */
  readonly columns: number;
}

export function processIo(linger: () => void): CliIo {
  // A reader that takes only the beginning, such as `| head`, does not cause an error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
  let asker: LineAsker | undefined;
  return {
    environment: readEnvironment(),
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    now: () => new Date(),
    linger,
    ask: async (question, isSecret) => {
      const { LineAsker } = await import('./line-asker.ts');
      asker ??= new LineAsker();
      return asker.ask(question, isSecret);
    },
    isTerminal: process.stdout.isTTY === true,
    columns: process.stdout.columns ?? 100,
  };
}
