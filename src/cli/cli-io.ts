// What a command touches of the world, handed in so that a test can run a whole command line in process.

import { type Environment, readEnvironment } from '../config/environment.ts';

export interface CliIo {
  readonly environment: Environment;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly now: () => Date;
  /** True when a person reads the output, so that tables and colour make sense. */
  readonly isTerminal: boolean;
  /** The width that tables may use. */
  readonly columns: number;
}

export function processIo(): CliIo {
  return {
    environment: readEnvironment(),
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    now: () => new Date(),
    isTerminal: process.stdout.isTTY === true,
    columns: process.stdout.columns ?? 100,
  };
}
