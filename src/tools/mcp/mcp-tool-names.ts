// What the tools of servers are called: `<server>__<tool>` in the letters that every provider takes. No two of them share
// a name in any spelling, and which name means which tool does not depend on what else there is: a tool never takes over
// the name of another one.

import { createHash } from 'node:crypto';

export interface NamedTool {
  readonly server: string;
  readonly tool: string;
}

const MAX_TOOL_NAME_CHARS = 64;
const SUFFIX_CHARS = 8;

/** One name for each, in their order; undefined for what was listed twice. */
export function mcpToolNames(tools: readonly NamedTool[]): readonly (string | undefined)[] {
  const plain = tools.map(plainName);
  const shared = new Map<string, number>();
  for (const name of plain) shared.set(name.toLowerCase(), (shared.get(name.toLowerCase()) ?? 0) + 1);
  const taken = new Set<string>();
  return tools.map((tool, index) => {
    const name = plain[index] ?? '';
    const isPlain = name.length <= MAX_TOOL_NAME_CHARS && shared.get(name.toLowerCase()) === 1;
    const own = isPlain ? name : suffixed(name, tool);
    if (taken.has(own.toLowerCase())) return undefined;
    taken.add(own.toLowerCase());
    return own;
  });
}

function plainName({ server, tool }: NamedTool): string {
  return `${safe(server)}__${safe(tool)}`;
}

function safe(text: string): string {
  return text.replace(/[^a-zA-Z0-9_-]+/g, '_') || '_';
}

function suffixed(name: string, { server, tool }: NamedTool): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([server, tool]))
    .digest('hex');
  return `${name.slice(0, MAX_TOOL_NAME_CHARS - SUFFIX_CHARS - 1)}_${hash.slice(0, SUFFIX_CHARS)}`;
}
