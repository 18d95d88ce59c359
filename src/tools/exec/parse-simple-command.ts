// Reads a command line that every POSIX shell would read the same way: one program and its words, nothing else. What is
// accepted here may be spawned as these words without a shell, so only what is certain is accepted.
//
// Result: undefined for everything that a shell would expand, redirect, join, assign or run by itself, and for
// characters that a reader cannot see. That is no error; a person is asked instead.

import { words } from '../../protocol/words.ts';

/** More than this is no command that a rule could stand for. */
export const LONGEST_COMMAND = 20_000;

export function parseSimpleCommand(text: string): readonly string[] | undefined {
  if (text.length > LONGEST_COMMAND || UNSEEN.test(text)) return undefined;
  const words = readWords(text);
  const program = words?.[0];
  if (words === undefined || program === undefined) return undefined;
  return PROGRAM.test(program) && !SHELL_WORDS.has(program) ? words : undefined;
}

/** Whatever is no visible character, no blank and no tab: controls, line ends, other spaces, marks of direction. */
const UNSEEN = /[^\P{C}\t]|[^\P{Z} ]|\p{Default_Ignorable_Code_Point}|\u2800/u;

/** Names and paths of ordinary programs; no assignment, no job such as `%1`, no option. */
const PROGRAM = /^[A-Za-z0-9_./][A-Za-z0-9_.+@/-]*$/;

/** What a shell does itself instead of running a program, where that could differ from a program of the same name. */
const SHELL_WORDS: ReadonlySet<string> = new Set(
  words(`
  case do done elif else esac fi for function if in select then time until while coproc
  . alias autoload bg bind break builtin caller cd chdir command compgen complete compopt continue declare dirs disown
  enable eval exec exit export fc fg functions getopts hash help history integer jobs let local logout mapfile nameref
  newgrp nocorrect noglob popd print pushd read readarray readonly return set setopt shift shopt source suspend times
  trap type typeset ulimit umask unalias unset unsetopt wait whence
`),
);

/** Unquoted, these are themselves in every shell, wherever they stand. Letters beyond ASCII are, too. */
const PLAIN = /[A-Za-z0-9_.,:=@%+/^-]|[^\0-\x7f]/u;

const ESCAPABLE = /[\x20-\x7e\t]/;

function readWords(text: string): readonly string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  const characters = [...text];
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] ?? '';
    if (character === ' ' || character === '\t') {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (character === "'" || character === '"') {
      const quoted = character === "'" ? readSingleQuoted(characters, at) : readDoubleQuoted(characters, at);
      if (quoted === undefined) return undefined;
      word = (word ?? '') + quoted.text;
      at = quoted.end;
    } else if (character === '\\') {
      const escaped = characters[++at];
      // A dollar is left to the shell in every form, so that backslashes need not be counted.
      if (escaped === undefined || escaped === '$' || !ESCAPABLE.test(escaped)) return undefined;
      word = (word ?? '') + escaped;
    } else if (PLAIN.test(character) || (character === '~' && isInsideName(characters[at - 1]))) {
      word = (word ?? '') + character;
    } else {
      return undefined;
    }
  }
  if (word !== undefined) words.push(word);
  return words;
}

/** A tilde inside a name, as in `HEAD~1`. At the beginning of a word, and behind `=` or `:`, it means a home folder. */
function isInsideName(before: string | undefined): boolean {
  return before !== undefined && /[A-Za-z0-9_.]/.test(before);
}

interface Quoted {
  readonly text: string;
  /** Where the closing quote stands. */
  readonly end: number;
}

function readSingleQuoted(characters: readonly string[], start: number): Quoted | undefined {
  const end = characters.indexOf("'", start + 1);
  return end === -1 ? undefined : { text: characters.slice(start + 1, end).join(''), end };
}

function readDoubleQuoted(characters: readonly string[], start: number): Quoted | undefined {
  let text = '';
  for (let at = start + 1; at < characters.length; at++) {
    const character = characters[at] ?? '';
    if (character === '"') return { text, end: at };
    if (character === '$' || character === '`' || character === '!') return undefined;
    if (character === '\\') {
      const escaped = characters[++at];
      if (escaped !== '"' && escaped !== '\\') return undefined;
      text += escaped;
    } else {
      text += character;
    }
  }
  return undefined;
}
