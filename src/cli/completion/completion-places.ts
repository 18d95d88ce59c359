// The places of a command line at which something can be completed: behind `atrium`, behind a group, behind a command. It is pure:
// from the commands to rows that each shell writes in its own way.

import type { CliCommand } from '../command.ts';

export interface Place {
  /** The words before: empty, `cron`, `cron list`. */
  readonly path: string;
  /** What may follow as a word. */
  readonly words: readonly Completion[];
  readonly flags: readonly FlagCompletion[];
}

export interface Completion {
  readonly word: string;
  readonly text: string;
}

export interface FlagCompletion extends Completion {
  /** What stands behind the flag: one of some words, a path, or something that cannot be guessed. */
  readonly value?: { readonly kind: 'words'; readonly words: readonly string[] } | { readonly kind: 'path' | 'other' };
}

const HELP: FlagCompletion = { word: '--help', text: 'show help' };
const JSON_FLAG: FlagCompletion = { word: '--json', text: 'print JSON for programs' };

export function listPlaces(
  commands: readonly CliCommand[],
  groups: Readonly<Record<string, string>>,
): readonly Place[] {
  const rows = commands.map((each) => ({ ...each, path: each.path as string }));
  const single = rows.filter(({ path }) => !path.includes(' '));
  const firstWords = rows.map(({ path }) => path.split(' ')[0] ?? '');
  const root: Place = {
    path: '',
    words: [...new Set(firstWords), 'help'].map((word) => ({
      word,
      text: groups[word] ?? single.find(({ path }) => path === word)?.summary ?? 'show help for a command',
    })),
    flags: [
      HELP,
      { word: '--version', text: 'print the version' },
      { word: '--profile', text: 'use the state directory of this profile', value: { kind: 'other' } },
    ],
  };
  const groupPlaces = Object.keys(groups).map((group): Place => {
    const inGroup = rows.filter(({ path }) => path.startsWith(`${group} `));
    const words = inGroup.map(({ path, summary }) => ({ word: path.slice(group.length + 1), text: summary }));
    return { path: group, words, flags: [HELP] };
  });
  const commandPlaces = rows.map(
    ({ path, words = [], options = {}, json }): Place => ({
      path,
      words: words.map((word) => ({ word, text: '' })),
      flags: [
        ...Object.entries(options).flatMap(([flag, detail]) => flagsOf(flag, detail)),
        ...(json === false || options['--json'] !== undefined ? [] : [JSON_FLAG]),
        HELP,
      ],
    }),
  );
  return [root, ...groupPlaces, ...commandPlaces];
}

function flagsOf(flag: string, detail: NonNullable<CliCommand['options']>[`--${string}`]): readonly FlagCompletion[] {
  const [, name] = /<([^>]+)>/.exec(flag) ?? [];
  const { text, choices } = typeof detail === 'string' ? { text: detail, choices: undefined } : detail;
  const kind = name !== undefined && /^(?:file|dir|folder|path)$/.test(name) ? 'path' : 'other';
  const value = choices ? { kind: 'words' as const, words: choices } : ({ kind } as const);
  return [...flag.matchAll(/(?<![\w-])--?[a-z][\w-]*/gi)].map(([word]) => ({
    word,
    text,
    ...(name !== undefined && { value }),
  }));
}
