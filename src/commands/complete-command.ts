// Completes the beginning of a command, for the Tab key: its name, and the words that may follow it.

import type { ListedCommand } from './list-commands.ts';

type Completable = Pick<ListedCommand, 'name' | 'aliases' | 'arguments'>;

/**
 * The lines that `line` could become; empty when it is not the beginning of a command. `values` are the words for a
 * place that has no fixed ones, such as `ID`.
 */
export function completeCommand(
  line: string,
  commands: readonly Completable[],
  values: (command: string, place: string) => readonly string[] = () => [],
): readonly string[] {
  const begun = line.toLowerCase();
  if (!begun.startsWith('/')) return [];
  if (/\s/.test(line)) return completeArgument(line, commands, values);
  return commands.flatMap(({ name, aliases, arguments: words }) =>
    [name, ...aliases]
      .map((each) => `/${each}`)
      .filter((each) => each.startsWith(begun))
      // A command that takes arguments is completed with a space.
      .map((each) => (words === null ? each : `${each} `)),
  );
}

function completeArgument(
  line: string,
  commands: readonly Completable[],
  values: (command: string, place: string) => readonly string[],
): readonly string[] {
  const [name = '', ...given] = line.split(/\s+/);
  const command = commands.find((each) => [each.name, ...each.aliases].includes(name.slice(1).toLowerCase()));
  const begun = given.at(-1) ?? '';
  const before = given.slice(0, -1);
  const found = sequencesOf(command?.arguments ?? '')
    .filter((words) => before.every((word, index) => isPlace(words[index]) || words[index] === word))
    .flatMap((words) => {
      const next = words[before.length];
      if (next === undefined) return [];
      const possible = isPlace(next) ? values(command?.name ?? '', next) : [next];
      const goesOn = words.length > before.length + 1;
      return possible.filter((word) => word.startsWith(begun)).map((word) => (goesOn ? `${word} ` : word));
    });
  const lead = line.slice(0, line.length - begun.length);
  return [...new Set(found)].map((word) => `${lead}${word}`);
}

/**
 * `[list | show NAME]` are the ways `list` and `show NAME`; what stands in capitals before other words belongs to all of
 * them, as in `[ID allow | deny]`.
 */
function sequencesOf(words: string): readonly (readonly string[])[] {
  // One word alone, such as `[message]`, says what to write.
  if (!words.includes('|')) return [];
  const ways = words
    .replace(/^\[|\]$/g, '')
    .split('|')
    .map((way) => way.trim().split(/\s+/));
  const [first = []] = ways;
  const shared = first.length > 1 && isPlace(first[0]) ? first.slice(0, 1) : [];
  return ways.map((way, index) => (index === 0 ? way : [...shared, ...way]));
}

function isPlace(word: string | undefined): boolean {
  return word !== undefined && /^[A-Z]+$/.test(word);
}
