// Two lists that decide about tools, and how a configuration's words become them. An empty or absent `allow` forbids
// nothing; `deny` goes before `allow`.

import type { ToolSection } from '../../protocol/tool-section.ts';

export interface ToolLists {
  readonly allow?: readonly string[] | undefined;
  readonly deny?: readonly string[] | undefined;
}

/** Adds to a list that there is. Where everything is allowed already, there is nothing to add to. */
export function withAlsoAllow(
  lists: ToolLists | undefined,
  alsoAllow: readonly string[] | undefined = [],
): ToolLists | undefined {
  if (!lists?.allow || alsoAllow.length === 0) return lists;
  return { ...lists, allow: [...new Set([...lists.allow, ...alsoAllow])] };
}

/** Undefined when nothing is said. `alsoAllow` alone forbids nothing: it adds to everything. */
export function pickToolLists(
  written: Pick<ToolSection, 'allow' | 'alsoAllow' | 'deny'> | undefined,
): ToolLists | undefined {
  const { allow, alsoAllow = [], deny } = written ?? {};
  const base = allow === undefined || (allow.length === 0 && alsoAllow.length > 0) ? ['*'] : allow;
  const merged = allow === undefined && alsoAllow.length === 0 ? undefined : [...new Set([...base, ...alsoAllow])];
  if (!merged && !deny) return undefined;
  return { ...(merged && { allow: merged }), ...(deny && { deny }) };
}
