// Adds the memories of plugins to the answers of the memory tools, each under the name of its plugin. All plugins are asked
// at once; a plugin that fails or takes too long is left out.

import type { PluginRegistry } from '../../plugins/plugin-registry.ts';
import { isJsonObject, type JsonObject } from '../../protocol/json.ts';
import type { Say } from '../../protocol/log.ts';
import { oneLine } from '../../protocol/one-line.ts';
import type { MemorySupplementHit, MemorySupplements } from '../../tools/memory/memory-access.ts';
import { askPlugin, reasonOf } from './ask-plugin.ts';

export interface PluginMemoryParts {
  readonly registry: PluginRegistry;
  readonly warn: Say;
  readonly timeoutMs?: number | undefined;
}

const TIMEOUT_MS = 5_000;
const MAX_SNIPPET_CHARS = 2_000;
const MAX_CONTENT_CHARS = 50_000;
const MAX_PLACE_CHARS = 300;

export function pluginMemory({ registry, warn, timeoutMs: ms = TIMEOUT_MS }: PluginMemoryParts): MemorySupplements {
  return {
    search: async ({ query, maxResults, sessionKey }) => {
      const found = await Promise.all(
        registry.registered('memory-corpus').map(async ({ pluginId, registration }) => {
          try {
            const given: unknown = await askPlugin(
              { pluginId, what: 'a search of its memory', ms, isHeldUp: registration.isHeldUp },
              () => registration.search({ query, maxResults, agentSessionKey: sessionKey }),
            );
            const hits = Array.isArray(given) ? given.slice(0, maxResults) : [];
            return hits.flatMap((hit) => readHit(pluginId, hit));
          } catch (error) {
            warn(`The memory of the plugin "${pluginId}" could not be searched: ${reasonOf(error)}`, { pluginId });
            return [];
          }
        }),
      );
      return found.flat().sort((a, b) => b.score - a.score);
    },
    get: async (place) => {
      const [, pluginId = '', lookup = ''] = /^([^:\s]+):(.+)$/.exec(place) ?? [];
      for (const { registration } of registry
        .registered('memory-corpus')
        .filter((each) => each.pluginId === pluginId)) {
        const { get, isHeldUp } = registration;
        if (!get) continue;
        const given: unknown = await askPlugin({ pluginId, what: 'a passage of its memory', ms, isHeldUp }, () =>
          get({ lookup }),
        );
        if (isJsonObject(given) && typeof given.content === 'string') return given.content.slice(0, MAX_CONTENT_CHARS);
      }
      return undefined;
    },
  };
}

function readHit(pluginId: string, hit: unknown): readonly MemorySupplementHit[] {
  if (!isJsonObject(hit)) return [];
  const text = [hit.snippet, hit.text, hit.content].find((each) => typeof each === 'string' && each.trim() !== '');
  if (typeof text !== 'string') return [];
  return [
    {
      owner: pluginId,
      place: `${pluginId}:${placeOf(hit)}`,
      title: typeof hit.title === 'string' ? oneLine(hit.title, MAX_PLACE_CHARS) : '',
      text: text.slice(0, MAX_SNIPPET_CHARS).replace(/[\ud800-\udbff]$/, ''),
      score: typeof hit.score === 'number' && Number.isFinite(hit.score) ? hit.score : 0,
    },
  ];
}

function placeOf({ path, id }: JsonObject): string {
  const name = [path, id].find((each) => typeof each === 'string' && each.trim() !== '');
  return oneLine(typeof name === 'string' ? name : '?', MAX_PLACE_CHARS);
}
