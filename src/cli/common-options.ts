// Flags and arguments that several commands take.

import { BadFlagError } from '../gateway/errors.ts';

export const CONFIG_OPTION = { '--config <file>': 'read this configuration file only' } as const;

/** The same for commands that change a setting. */
export const EDITED_CONFIG_OPTION = { '--config <file>': 'change this configuration file, and read no other' } as const;

export const INSTALL_ARGUMENT = {
  '<source>': 'an npm name with or without a version, a folder, or an archive (.tgz, .tar.gz, .tar)',
} as const;

export const INSTALL_OPTIONS = {
  '--yes': 'do not ask; what is found is shown all the same',
  '--force': 'replace what stands in its place, even what no command installed',
  '--json': 'print JSON for programs; needs --yes',
} as const;

/** `--limit <number>` of every command that lists something. */
export function limitOption(limit: number, text = 'at most this many') {
  const parse = (given: string) => parseWholeNumber('--limit', given, 1, 500);
  return { text, default: String(limit), parse };
}

export function parseWholeNumber(flag: string, text: string, least: number, most: number): number {
  const number = /^\d{1,15}$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw new BadFlagError({ flag, value: text, expected: `a whole number from ${least} to ${most}` });
}
