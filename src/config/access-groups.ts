// Groups of people (`accessGroups`) that the lists of channels name as `accessGroup:<name>`. A name that no group has, and
// a group of a kind that Atrium does not know, stand for no person.

import type { Config } from './schema.ts';

const PREFIX = 'accessgroup:';
const STATIC_GROUP = 'message.senders';

/** The entries of a list on a channel, with each group replaced by its members there. */
export function expandAccessGroups(config: Config, entries: readonly string[], channel: string): readonly string[] {
  return entries.flatMap((entry) => {
    const name = groupNameOf(entry);
    return name === undefined ? [entry] : membersOf(config, name, channel);
  });
}

/** Names of groups that admit no person, although a list of a channel names them; one sentence each. */
export function listAccessGroupProblems(config: Config & { readonly channels?: unknown }): readonly string[] {
  const groups = config.accessGroups ?? {};
  return [...new Set(groupsNamedIn(config.channels))].flatMap((name) => {
    const group = Object.hasOwn(groups, name) ? groups[name] : undefined;
    if (!group) return `accessGroups has no group "${name}", so the entry "accessGroup:${name}" admits no person.`;
    if (group.type === STATIC_GROUP) return [];
    return `The group "${name}" of accessGroups is not of the type "${STATIC_GROUP}", so it admits no person.`;
  });
}

function membersOf({ accessGroups = {} }: Config, name: string, channel: string): readonly string[] {
  const group = Object.hasOwn(accessGroups, name) ? accessGroups[name] : undefined;
  if (group?.type !== STATIC_GROUP) return [];
  const { members = {} } = group;
  const own = Object.hasOwn(members, channel) ? (members[channel] ?? []) : [];
  const all = Object.hasOwn(members, '*') ? (members['*'] ?? []) : [];
  // A group contains people. An entry for everybody, or for another group, would make it wider than it looks.
  return [...own, ...all].map(String).filter((entry) => entry.trim() !== '*' && groupNameOf(entry) === undefined);
}

function groupNameOf(entry: string): string | undefined {
  const text = entry.trim();
  return text.toLowerCase().startsWith(PREFIX) ? text.slice(PREFIX.length) : undefined;
}

function groupsNamedIn(value: unknown): readonly string[] {
  if (typeof value === 'string') {
    const name = groupNameOf(value);
    return name === undefined ? [] : [name];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(groupsNamedIn);
}
