// The completion script for zsh, with a line about each word. It works from a folder of `fpath` and when it is sourced.

import type { Completion, Place } from './completion-places.ts';

export function zshScript(places: readonly Place[]): string {
  const cases = places.map(
    ({ path, words, flags }) =>
      `    '${path}') found=1; words_here=(${words.map(described).join(' ')}); flags_here=(${flags.map(described).join(' ')}) ;;`,
  );
  const values = places.flatMap(({ path, flags }) =>
    flags.flatMap(({ word, value }) => {
      if (value === undefined) return [];
      const effect =
        value.kind === 'words' ? `compadd -- ${value.words.join(' ')}` : value.kind === 'path' ? '_files' : ':';
      return [`    '${path} ${word}') ${effect}; return ;;`];
    }),
  );
  return `#compdef atrium
# Completion of atrium for zsh. Made by: atrium completion zsh
_atrium() {
  local place='' found='' at word
  local -a given words_here flags_here
  for ((at = 2; at < CURRENT; at++)); do
    word="\${words[at]}"
    case "$word" in
      --profile) ((at++)) ;;
      -*) ;;
      *) given+=("$word") ;;
    esac
  done
  place="\${(j: :)given[1,2]}"
  _atrium_place
  # The second word of a command without a group is its argument.
  if [[ -z "$found" ]]; then place="\${given[1]}"; _atrium_place; fi
  case "$place \${words[CURRENT-1]}" in
${values.join('\n')}
  esac
  if [[ "\${words[CURRENT]}" == -* ]]; then _describe -t flags flag flags_here
  else _describe -t words command words_here; fi
}
_atrium_place() {
  case "$place" in
${cases.join('\n')}
  esac
}
if [[ "\${funcstack[1]}" == _atrium ]]; then _atrium "$@"; else compdef _atrium atrium; fi
`;
}

function described({ word, text }: Completion): string {
  const line = text === '' ? word : `${word.replaceAll(':', '\\:')}:${text.replaceAll(':', '\\:')}`;
  return `'${line.replaceAll("'", `'\\''`)}'`;
}
