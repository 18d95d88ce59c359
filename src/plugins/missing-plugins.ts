// The plugins that an operator requires and that do not do their work. While there is one, no run may start: a gate that
// could not be loaded must not be open. This file only compares; who asks decides what follows.

import { HOOK_CATALOG, type HookRow } from '../hooks/catalog.ts';
import type { PluginSettings } from '../protocol/plugin-settings.ts';
import type { PluginState, PluginStatus } from './plugin-status.ts';

export interface MissingPlugin {
  readonly id: string;
  readonly reason: string;
}

/** `working` is the state of a plugin that does its work; without a gateway, one that would be loaded is `pending`. */
export function missingPlugins(
  { entries }: Pick<PluginSettings, 'entries'>,
  plugins: readonly Pick<PluginStatus, 'id' | 'state' | 'reason' | 'hooks'>[],
  working: PluginState = 'loaded',
): readonly MissingPlugin[] {
  return Object.entries(entries).flatMap(([id, { required }]) => {
    if (!required) return [];
    // A plugin that another one with the same id shadows comes last.
    const plugin = plugins.find((each) => each.id === id);
    if (!plugin) return [{ id, reason: 'There is no plugin of this id.' }];
    if (plugin.state !== working) return [{ id, reason: plugin.reason }];
    const gate = plugin.hooks.find(({ hook, state }) => state === 'blocked' && isGate(hook));
    return gate ? [{ id, reason: `Its handler on ${gate.hook} is not called. ${gate.reason ?? ''}`.trim() }] : [];
  });
}

function isGate(hook: string): boolean {
  const row: HookRow | undefined = Object.hasOwn(HOOK_CATALOG, hook)
    ? HOOK_CATALOG[hook as keyof typeof HOOK_CATALOG]
    : undefined;
  return row !== undefined && row.onFailure !== 'skip';
}

/** One sentence for an operator. */
export function describeMissing({ id, reason }: MissingPlugin): string {
  return `No run starts, because plugins.entries.${id}.required is true and the plugin "${id}" is not at work: ${reason}`;
}
