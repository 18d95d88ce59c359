// A command in words for the person who decides about it: exactly what would run, with nothing in it that a terminal or
// a chat could act on or hide. It is pure.

import { countOf } from '../../protocol/count-of.ts';

export interface DescribedCommand {
  readonly command: string;
  /** The folder, relative to the workspace; `.` is the workspace itself. */
  readonly cwd: string;
  /** Undefined in the background, where there is none. */
  readonly timeoutSeconds: number | undefined;
  /** A rule could stand for it from now on. */
  readonly mayLast: boolean;
}

export function describeCommand({ command, cwd, timeoutSeconds, mayLast }: DescribedCommand): string {
  const lines = command.split('\n');
  const odd = oddLettersOf(command);
  const size = lines.length > 1 ? ` (${lines.length} lines, ${command.length} characters)` : '';
  return [
    `Folder: ${cwd === '.' ? 'the workspace' : `${visibleText(cwd)} in the workspace`}`,
    timeoutSeconds === undefined
      ? 'Runs in the background until it ends or is ended, without a time limit.'
      : `Time limit: ${countOf(timeoutSeconds, 'second')}`,
    ...(mayLast ? ['Always would mean: exactly these words, in this folder, in every session of this agent.'] : []),
    ...(odd.length === 0 ? [] : [`Holds letters beyond ASCII, which may look like others: ${odd.join(' ')}`]),
    `Command${size}:`,
    // Each line is marked, so that no line of the command reads as one of ours.
    ...lines.map((line, index) => `${index === 0 ? '$' : '>'} ${visibleText(line)}`),
  ].join('\n');
}

/** What cannot be seen is written out, as `\x1b` or `\u{202e}`; a long gap, behind which something could hide, too. */
export function visibleText(text: string): string {
  return text
    .replace(UNSEEN, (character) => {
      const code = character.codePointAt(0) ?? 0;
      return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
    })
    .replace(/ {17,}/g, (gap) => ` [${gap.length} blanks] `);
}

const UNSEEN = /\p{C}|[^\P{Z} ]|\p{Default_Ignorable_Code_Point}|\u2800/gu;

const MOST_ODD_LETTERS = 12;

function oddLettersOf(text: string): readonly string[] {
  const odd = [...new Set(text.match(/[^\0-\x7f]/gu) ?? [])];
  const named = odd.slice(0, MOST_ODD_LETTERS).map((letter) => {
    const code = (letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    return `${visibleText(letter)} (U+${code})`;
  });
  return odd.length > MOST_ODD_LETTERS ? [...named, 'and more'] : named;
}

/** Only a hint for the reader: a command that looks harmless may not be. */
export function severityOf(command: string): 'warning' | 'critical' {
  return CRITICAL.some((pattern) => pattern.test(command)) ? 'critical' : 'warning';
}

/** Bounded, because a model writes what they search. */
const CRITICAL: readonly RegExp[] = [
  /(?:^|[^\w-])(?:sudo|doas|su|pkexec)\s/,
  /(?:^|[^\w-])rm\s+(?:\S+\s+){0,8}-\w*[rRf]/,
  /(?:^|[^\w-])rm\s+(?:\S+\s+){0,8}--(?:recursive|force)/,
  /\|\s*(?:\S*\/)?(?:sh|bash|dash|zsh|ksh|fish|python[\d.]*|perl|ruby|node)(?:\s|$)/,
  /(?:^|[^\w-])(?:mkfs\S*|shutdown|reboot|halt|poweroff|wipefs|fdisk|parted)(?:\s|$)/,
  /(?:^|[^\w-])dd\s.{0,200}\bof=/,
  />\s*\/dev\/(?!null\b)/,
];
