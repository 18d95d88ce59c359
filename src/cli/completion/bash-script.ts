// The completion script for bash, also for the old one of macOS: no associative arrays, and files only where bash can say so.

import type { Place } from './completion-places.ts';

export function bashScript(places: readonly Place[]): string {
  const words = places.map(
    ({ path, words, flags }) =>
      `    '${path}') words='${words.map(({ word }) => word).join(' ')}'; flags='${flags.map(({ word }) => word).join(' ')}' ;;`,
  );
  const values = places.flatMap(({ path, flags }) =>
    flags.flatMap(({ word, value }) => {
      if (value === undefined) return [];
      const effect =
        value.kind === 'words'
          ? `words='${value.words.join(' ')}'`
          : value.kind === 'path'
            ? 'kind=path'
            : 'kind=other';
      return [`    '${path} ${word}') ${effect} ;;`];
    }),
  );
  return `# Completion of atrium for bash. Made by: atrium completion bash
_atrium() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local path='' place='' kind='' words='' flags='' count=0 at word
  for ((at = 1; at < COMP_CWORD; at++)); do
    word="\${COMP_WORDS[at]}"
    case "$word" in
      --profile) ((at++)) ;;
      -*) ;;
      *) ((count++)); ((count <= 2)) && path="\${path:+$path }$word" ;;
    esac
  done
  place="$path"
  _atrium_words
  # The second word of a command without a group is its argument.
  if [ -z "$words$flags" ]; then place="\${path%% *}"; _atrium_words; fi
  local all="$words" every="$flags"
  words=''
  case "$place $previous" in
${values.join('\n')}
  esac
  COMPREPLY=()
  if [ "$kind" = path ]; then compopt -o default 2>/dev/null; return; fi
  if [ "$kind" = other ]; then return; fi
  if [ -z "$words" ]; then case "$current" in -*) words="$every" ;; *) words="$all" ;; esac; fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
_atrium_words() {
  case "$place" in
${words.join('\n')}
  esac
}
complete -F _atrium atrium
`;
}
