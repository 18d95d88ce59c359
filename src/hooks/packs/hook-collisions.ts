// Decides which of several packs with the same name is used. Packs are taken by the rank of their source; a later one
// replaces an earlier one only where its source may, so a workspace can never replace what the operator installed.

import type { HookSource } from './hook-pack.ts';

interface Named {
  readonly name: string;
  readonly source: HookSource;
}

export interface HookCollision<Pack> {
  readonly kept: Pack;
  readonly ignored: Pack;
}

export function resolveHookCollisions<Pack extends Named>(
  packs: readonly Pack[],
): { packs: Pack[]; ignored: HookCollision<Pack>[] } {
  const ranked = [...packs].sort((a, b) => SOURCES[a.source].rank - SOURCES[b.source].rank);
  const byName = new Map<string, Pack>();
  const ignored: HookCollision<Pack>[] = [];
  for (const pack of ranked) {
    const kept = byName.get(pack.name);
    if (!kept || SOURCES[pack.source].replaces.includes(kept.source)) byName.set(pack.name, pack);
    else ignored.push({ kept, ignored: pack });
  }
  return { packs: [...byName.values()], ignored };
}

const SOURCES: Readonly<Record<HookSource, { readonly rank: number; readonly replaces: readonly HookSource[] }>> = {
  'openclaw-bundled': { rank: 10, replaces: [] },
  'openclaw-plugin': { rank: 20, replaces: ['openclaw-bundled'] },
  'openclaw-managed': { rank: 30, replaces: ['openclaw-bundled', 'openclaw-plugin', 'openclaw-managed'] },
  'openclaw-workspace': { rank: 40, replaces: ['openclaw-workspace'] },
};
