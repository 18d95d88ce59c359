// The help of `atrium` as the build has written it down, so that asking for it does not load every command. It is the same
// text, character for character, or none: with a terminal of an unusual width, or with commands of plugins, which the
// help lists too, the program makes it.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface HelpSituation {
  /** Where the build keeps the texts. */
  readonly folder: string;
  readonly stateDir: string;
  /** The width of the terminal; undefined without one. */
  readonly columns: number | undefined;
}

/** How wide the help is where there is no terminal, and how wide it has to be so that no line is broken. */
export const HELP_WIDTHS = { 'help.txt': 80, 'help-wide.txt': 1_000 } as const;

export function findReadyHelp({
  folder,
  stateDir,
  columns = HELP_WIDTHS['help.txt'],
}: HelpSituation): string | undefined {
  // Gateways write this file when plugins bring commands; see `known-cli-commands.ts`.
  if (existsSync(join(stateDir, 'atrium', 'plugin-commands.json'))) return undefined;
  try {
    const read = (name: keyof typeof HELP_WIDTHS) => readFileSync(join(folder, name), 'utf8');
    if (columns === HELP_WIDTHS['help.txt']) return read('help.txt');
    const wide = read('help-wide.txt');
    return wide.split('\n').every((line) => line.length <= columns) ? wide : undefined;
  } catch {
    return undefined;
  }
}
