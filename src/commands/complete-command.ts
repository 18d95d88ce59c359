// What the Tab key makes of the beginning of a command.

import type { ListedCommand } from './list-commands.ts';

/** The commands that `line` could become, each with its slash; none when it is not the beginning of one. */
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
      // What takes words goes on with a space.
      .map((each) => (words === null ? each : `${each} `)),
  );
}
