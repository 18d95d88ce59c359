// Decides whether a plugin loads. The first rule that says something decides, and every answer names the setting that
// it came from and how to change it.

import type { PluginEntry, PluginSettings } from '../../protocol/plugin-settings.ts';
import type { PluginManifest, PluginOrigin } from '../plugin-setup.ts';

export interface Enablement {
  readonly enabled: boolean;
  readonly reason: string;
  /** It is the memory that the operator chose. */
  readonly holdsMemorySlot: boolean;
}

export interface EnablementCase {
  readonly id: string;
  readonly origin: PluginOrigin;
  readonly manifest: Pick<PluginManifest, 'kind' | 'enabledByDefault'>;
}

export function decideEnablement(plugin: EnablementCase, settings: PluginSettings): Enablement {
  const { id, origin, manifest } = plugin;
  const { allow, deny, slots } = settings;
  const entry = entryOf(settings, id);
  const setting = `plugins.entries.${id}.enabled`;
  if (!settings.enabled) return off('plugins.enabled is false, which switches every plugin off.');
  if (deny.includes(id)) return off('plugins.deny names it. Take it out of that list to load it.');
  if (entry?.enabled === false) return off(`${setting} is false. Run "atrium plugins enable ${id}" to load it.`);
  if (origin === 'workspace' && entry?.enabled !== true) {
    return off(`It lies in the workspace, and nothing is loaded from there unless ${setting} is true.`);
  }
  if (slots.memory === id) return { ...on('plugins.slots.memory names it.'), holdsMemorySlot: true };
  if (allow.length > 0 && !allow.includes(id)) {
    return off('plugins.allow has names, and not this one. Add it to that list to load it.');
  }
  if (manifest.kind.length === 1 && manifest.kind[0] === 'memory') return off(memoryReason(id, slots.memory));
  if (entry?.enabled === true) return on(`${setting} is true.`);
  if (allow.includes(id)) return on('plugins.allow names it.');
  if (origin === 'bundled' && !manifest.enabledByDefault) {
    return off(`It comes with the product and is off until ${setting} is true.`);
  }
  return on(DEFAULTS[origin]);
}

/** An author may choose an id such as `constructor`, which is a property of every object. */
export function entryOf({ entries }: PluginSettings, id: string): PluginEntry | undefined {
  return Object.hasOwn(entries, id) ? entries[id] : undefined;
}

function off(reason: string): Enablement {
  return { enabled: false, reason, holdsMemorySlot: false };
}

function on(reason: string): Enablement {
  return { enabled: true, reason, holdsMemorySlot: false };
}

function memoryReason(id: string, chosen: string | null | undefined): string {
  const instead = `Write "${id}" there to load this one.`;
  if (chosen === null) return `It is a memory, and plugins.slots.memory is "none". ${instead}`;
  if (chosen === undefined) return `It is a memory, and plugins.slots.memory names none. ${instead}`;
  return `It is a memory, of which there is one, and plugins.slots.memory names "${chosen}". ${instead}`;
}

const DEFAULTS: Readonly<Record<PluginOrigin, string>> = {
  bundled: 'It comes with the product and is on by default.',
  config: 'plugins.load.paths leads to it.',
  extensions: "It lies in the state directory's folder for extensions.",
  installed: 'It is installed.',
  workspace: 'It was allowed to load from the workspace.',
};
