// Completes the beginning of a command, for the Tab key.

import type { ListedCommand } from './list-commands.ts';

/** The commands that `line` could become, each with its slash; empty when it is not the beginning of a command. */
export function completeCommand(
  line: string,
  commands: readonly Pick<ListedCommand, 'name' | 'aliases' | 'arguments'>[],
): readonly string[] {
  const begun = line.toLowerCase();
  if (!begun.startsWith('/')) return [];
  return commands.flatMap(({ name, aliases, arguments: words }) =>
    [name, ...aliases]
      .map((each) => `/${each}`)
      .filter((each) => each.startsWith(begun))
      // A command that takes arguments is completed with a space.
      .map((each) => (words === null ? each : `${each} `)),
  );
}
