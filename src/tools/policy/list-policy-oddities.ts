// Finds probable mistakes of the operator: a name that no tool has, an unknown profile, an empty list that allows
// everything. A mistake in `deny` leaves a tool allowed, so it is told like one in `allow`. Names of tools that only
// OpenClaw has are not mistakes.

import { nearMatch } from '../../protocol/near-match.ts';
import { clip } from '../../protocol/one-line.ts';
import type { ToolSection } from '../../protocol/tool-section.ts';
import { normalizeToolName } from '../tool-name.ts';
import { matchesGlob, type PolicyTool } from './decide-tool.ts';
import { PROFILE_NAMES } from './resolve-tool-policy.ts';
import { KNOWN_TOOL_NAMES, MCP_OWNER, PLUGIN_GROUP, TOOL_GROUPS } from './tool-groups.ts';

/** One sentence each, in the order of the sections. `owners` may bring tools although none of theirs is there now. */
export function listPolicyOddities(
  sections: readonly ToolSection[],
  { tools, owners = [] }: { readonly tools: readonly PolicyTool[]; readonly owners?: readonly string[] | undefined },
): readonly string[] {
  const present = tools.flatMap(({ name, owner }) => (owner === undefined ? [name] : [name, owner]));
  const groups = [...TOOL_GROUPS.keys(), PLUGIN_GROUP];
  const names = new Set([...KNOWN_TOOL_NAMES, MCP_OWNER, ...present, ...owners].map(normalizeToolName));
  const candidates = [...names, ...groups];
  return sections.flatMap((section) => [
    ...oddProfile(section),
    ...oddAllow(section),
    ...(['allow', 'alsoAllow', 'deny'] as const).flatMap((key) =>
      (section[key] ?? [])
        .filter((entry) => !isKnown(entry, names, groups))
        .map((entry) => {
          const meant = nearMatch(normalizeToolName(entry), candidates);
          const hint = meant === undefined ? '' : ` Did you mean "${meant}"?`;
          return `${section.place}.${key} names "${shortened(entry)}", which is no tool here.${hint}`;
        }),
    ),
  ]);
}

function isKnown(entry: string, names: ReadonlySet<string>, groups: readonly string[]): boolean {
  const name = normalizeToolName(entry);
  // The tools of an MCP server are known once it has been asked for them.
  if (entry.trim() === '' || name.includes('__') || names.has(name) || groups.includes(name)) return true;
  return name.includes('*') && [...names].some((each) => matchesGlob(name, each));
}

function oddProfile({ place, profile }: ToolSection): readonly string[] {
  if (profile === undefined || PROFILE_NAMES.includes(profile)) return [];
  const meant = nearMatch(profile, PROFILE_NAMES);
  const hint = meant === undefined ? `There are ${PROFILE_NAMES.join(', ')}.` : `Did you mean "${meant}"?`;
  return [`${place}.profile "${shortened(profile)}" is no profile, so it forbids nothing. ${hint}`];
}

function oddAllow({ place, allow, alsoAllow }: ToolSection): readonly string[] {
  if (allow === undefined || alsoAllow?.length || allow.some((entry) => entry.trim() !== '')) return [];
  return [`${place}.allow is empty, which forbids nothing. To offer no tools, write "*" into ${place}.deny.`];
}

function shortened(text: string): string {
  return clip(text, 80);
}
