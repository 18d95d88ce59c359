// Reads the address of a setting as people write it: `agents.list[0].workspace`, `channels.discord.guilds["12 3"]`. It is
// the counterpart of `formatConfigPath`.

import type { ConfigPath } from './config-path.ts';

/** A name, the number of an item, or a quoted name, each at the place where the one before has ended. */
const PART = /(?:^|(?<!^)\.)([^\s.[\]"']+)|\[(\d{1,9})\]|\[("(?:[^"\\]|\\.)*")\]/y;

/** Undefined when the text is no such address. */
export function parseConfigPath(text: string): ConfigPath | undefined {
  const path: (string | number)[] = [];
  PART.lastIndex = 0;
  while (PART.lastIndex < text.length) {
    const [, name, index, quoted] = PART.exec(text) ?? [];
    if (name !== undefined) path.push(name);
    else if (index !== undefined) path.push(Number(index));
    else if (quoted !== undefined) path.push(unquoted(quoted) ?? '');
    else return undefined;
  }
  return path.length === 0 || path.includes('') ? undefined : path;
}

function unquoted(text: string): string | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
