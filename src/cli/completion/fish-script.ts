// The completion script for fish, one line for each word, with a line about it.

import type { Place } from './completion-places.ts';

export function fishScript(places: readonly Place[]): string {
  const lines = places.flatMap(({ path, words, flags }) => {
    const here = `-n '__atrium_at ${path === '' ? '""' : `"${path}"`}'`;
    return [
      ...words.map(({ word, text }) => `complete -c atrium ${here} -f -a ${quoted(word)}${about(text)}`),
      ...flags.map(({ word, text, value }) => {
        const name = word.startsWith('--') ? `-l ${word.slice(2)}` : `-s ${word.slice(1)}`;
        return `complete -c atrium ${here} ${name}${effectOf(value)}${about(text)}`;
      }),
    ];
  });
  return `# Completion of atrium for fish. Made by: atrium completion fish
# True when the words before the cursor, without flags, are those of this place. A command of one word may have arguments.
function __atrium_at
    set -l given
    set -l skip 0
    for word in (commandline -opc)[2..-1]
        if test $skip = 1
            set skip 0
        else if test "$word" = --profile
            set skip 1
        else if not string match -q -- '-*' $word
            set -a given $word
        end
    end
    set -l count (count $given)
    set -l two (string join ' ' -- $given[1..2])
    test "$two" = "$argv[1]"; and return 0
    test $count -ge 2; and not contains -- "$given[1]" $__atrium_groups; and test "$given[1]" = "$argv[1]"
end
set -g __atrium_groups ${groupsOf(places).join(' ')}
complete -c atrium -f
${lines.join('\n')}
`;
}

/** Words behind which another word decides which command it is. */
function groupsOf(places: readonly Place[]): readonly string[] {
  const firsts = places.map(({ path }) => path).filter((path) => path.includes(' '));
  return [...new Set(firsts.map((path) => path.split(' ')[0] ?? ''))];
}

function effectOf(value: Place['flags'][number]['value']): string {
  if (value === undefined) return '';
  if (value.kind === 'path') return ' -r -F';
  return value.kind === 'words' ? ` -x -a ${quoted(value.words.join(' '))}` : ' -x';
}

function about(text: string): string {
  return text === '' ? '' : ` -d ${quoted(text)}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
