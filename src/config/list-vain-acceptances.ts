// Which entries of `acceptUnused` accept nothing although somebody meant them to: paths that OpenClaw's configuration
// does not have, and paths that miss a setting which was found by a slip of the pen. An entry for a setting that is
// simply no longer set is not named. It reads values only.

import { nearMatch } from '../protocol/near-match.ts';
import type { UnusedSetting } from '../protocol/unused-setting.ts';
import { type ConfigPath, isPartOf } from './config-path.ts';
import { hasOpenClawKeysBelow, openClawKeyOf } from './list-unused-settings.ts';
import { OPENCLAW_KEYS, OPENCLAW_VARIABLES } from './openclaw-keys.ts';

export interface VainAcceptance {
  readonly at: ConfigPath;
  readonly message: string;
  readonly suggestion?: string;
}

export function listVainAcceptances(
  { acceptUnused = [] }: { readonly acceptUnused?: readonly string[] | undefined },
  unused: readonly UnusedSetting[],
): readonly VainAcceptance[] {
  const open = unused.filter(({ isAccepted }) => !isAccepted).flatMap(({ path }) => withParents(path));
  return acceptUnused.flatMap((entry, index) => {
    if (unused.some(({ path, isAccepted }) => isAccepted && isPartOf(path, entry))) return [];
    const isKey = isOpenClawPath(entry);
    const meant = nearMatch(entry, open) ?? (isKey ? undefined : nearMatch(entry, unusedKeys()));
    if (isKey && meant === undefined) return [];
    const why = isKey ? 'which is not set' : "which is no key of OpenClaw's configuration";
    const message = `acceptUnused names "${entry}", ${why}, so it accepts nothing.`;
    const at: ConfigPath = ['acceptUnused', index];
    return meant === undefined
      ? [{ at, message }]
      : [{ at, message: `${message} Did you mean "${meant}"?`, suggestion: meant }];
  });
}

/** A whole section may be accepted too. */
function withParents(path: string): string[] {
  const parts = path.split('.');
  return parts.map((_, index) => parts.slice(0, parts.length - index).join('.')).filter((each) => each.includes('.'));
}

function unusedKeys(): string[] {
  return [...OPENCLAW_KEYS, ...OPENCLAW_VARIABLES].flatMap((row) => (row.state === 'unused' ? [row.path] : []));
}

function isOpenClawPath(entry: string): boolean {
  if ([...OPENCLAW_KEYS, ...OPENCLAW_VARIABLES].some(({ path }) => path === entry)) return true;
  const parts = entry
    .replaceAll(/\[(\d*)\]/g, '.$1[]')
    .split('.')
    .map((part) => (part.endsWith('[]') ? 0 : part));
  return openClawKeyOf(parts) !== undefined || hasOpenClawKeysBelow(parts);
}
