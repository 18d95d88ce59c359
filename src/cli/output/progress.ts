// Tells how far long work has come, on the error stream: a bar on a terminal, and a line now and then elsewhere, so that a
// log is not filled.

import type { CliIo } from '../cli-io.ts';

export interface Progress {
  /** What is being done, such as `moving transcript`. */
  readonly what: string;
  readonly done: number;
  readonly all: number;
}

const BAR_WIDTH = 24;
const BAR_EVERY_MS = 100;
const LINE_EVERY_MS = 5_000;

export function createProgress({ err, isTerminal }: Pick<CliIo, 'err' | 'isTerminal'>, now: () => number = Date.now) {
  let toldAt = Number.NEGATIVE_INFINITY;
  let width = 0;
  return {
    tell: ({ what, done, all }: Progress) => {
      const at = now();
      if (at - toldAt < (isTerminal ? BAR_EVERY_MS : LINE_EVERY_MS)) return;
      toldAt = at;
      const told = `${what}: ${done.toLocaleString('en-US')} of ${all.toLocaleString('en-US')}`;
      if (!isTerminal) return err(`${told}\n`);
      const filled = Math.min(BAR_WIDTH, Math.round((done / Math.max(1, all)) * BAR_WIDTH));
      const text = `${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)} ${told}`;
      err(`\r${text.padEnd(width)}`);
      width = text.length;
    },
    /** Takes the bar away. */
    end: () => {
      if (isTerminal && width > 0) err(`\r${' '.repeat(width)}\r`);
    },
  };
}
