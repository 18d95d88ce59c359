// The people who are the operator in their own direct conversation (`commands.ownerAllowFrom`), as `channel:sender` in
// lower case. An entry without a channel counts for no person, because the same id is somebody else on another platform;
// and there are no owners where several people may reach the session of a direct conversation.

import type { Config } from './schema.ts';

/** What decides whether a run is the operator's own. */
export function ownershipOf(config: Config): { readonly isMainShared: boolean; readonly owners: readonly string[] } {
  return { isMainShared: config.session?.dmScope === 'main', owners: ownersOf(config) };
}

export function ownersOf(config: Config): readonly string[] {
  if (sharingSettingOf(config) !== undefined) return [];
  return entriesOf(config).filter((entry) => isWhole(entry) && !isLinkedName(config, entry));
}

/** Entries that count for no person, one sentence each. */
export function listOwnerProblems(config: Config): readonly string[] {
  const entries = entriesOf(config);
  const sharing = sharingSettingOf(config);
  if (entries.length > 0 && sharing !== undefined) {
    return [
      `commands.ownerAllowFrom counts for no person, because with ${sharing} other people may reach the session of their direct conversation. Set session.dmScope to "per-channel-peer".`,
    ];
  }
  return entries
    .filter((entry) => !isWhole(entry) || isLinkedName(config, entry))
    .map((entry) =>
      isWhole(entry)
        ? `The entry ${JSON.stringify(entry)} of commands.ownerAllowFrom counts for no person, because session.identityLinks gives this name to other people, who reach the same session.`
        : `The entry ${JSON.stringify(entry)} of commands.ownerAllowFrom counts for no person. Write it as "channel:sender", such as "telegram:123456789".`,
    );
}

function sharingSettingOf({ session }: Config): string | undefined {
  if (session?.scope === 'global') return 'session.scope "global"';
  const { dmScope } = session ?? {};
  return dmScope === 'main' || dmScope === 'per-peer' ? `session.dmScope "${dmScope}"` : undefined;
}

/** People who are linked to a name share the session of a person who is really called so. */
function isLinkedName({ session }: Config, entry: string): boolean {
  const sender = entry.slice(entry.indexOf(':') + 1);
  return Object.keys(session?.identityLinks ?? {}).some((name) => name.trim().toLowerCase() === sender);
}

function entriesOf({ commands }: Config): readonly string[] {
  return (commands?.ownerAllowFrom ?? []).map((entry) => String(entry).trim().toLowerCase());
}

function isWhole(entry: string): boolean {
  const [, channel = '', sender = ''] = /^([^:\s]+):(\S+)$/.exec(entry) ?? [];
  return channel !== '' && channel !== 'accessgroup' && sender !== '*';
}
