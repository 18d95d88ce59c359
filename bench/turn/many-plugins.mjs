// Plugins such as a home gathers them, which do nothing when they are called: what they cost is being there and being asked.
// Each has handlers of the hooks that are named, and brings a tool.

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** One hook that the turn waits for, and one that is told of its end. */
export const USUAL_HOOKS = ['before_prompt_build', 'agent_end'];

/** What the configuration of a home with so many plugins says besides. */
export function pluginSettings(count) {
  return {
    plugins: {
      // The end of a run carries the conversation, which a plugin has to be allowed to see.
      entries: Object.fromEntries(idsOf(count).map((id) => [id, { hooks: { allowConversationAccess: true } }])),
    },
  };
}

export async function writePlugins(home, count, hooks) {
  for (const id of idsOf(count)) await writePlugin(join(home, '.openclaw', 'extensions', id), id, hooks);
}

/** Their tools, as a model is offered them. */
export function toolsOfPlugins(count) {
  return idsOf(count).map((id) => ({ name: toolOf(id), ...TOOL }));
}

const TOOL = { description: 'How often it was called.', parameters: { type: 'object', properties: {} } };

function toolOf(id) {
  return `${id.replace('-', '_')}_count`;
}

function idsOf(count) {
  return Array.from({ length: count }, (_, index) => `bench-${String(index).padStart(2, '0')}`);
}

async function writePlugin(dir, id, hooks) {
  await mkdir(dir, { recursive: true });
  const tool = toolOf(id);
  await writeFile(
    join(dir, 'openclaw.plugin.json'),
    JSON.stringify({ id, configSchema: { type: 'object' }, contracts: { tools: [tool] } }),
  );
  await writeFile(
    join(dir, 'package.json'),
    JSON.stringify({ name: id, version: '1.0.0', type: 'module', openclaw: { extensions: ['./index.js'] } }),
  );
  await writeFile(
    join(dir, 'index.js'),
    `export default {
      id: '${id}',
      register(api) {
        let count = 0;
        ${hooks.map((hook) => `api.on('${hook}', () => { count += 1; });`).join('\n')}
        api.registerTool({
          name: '${tool}',
          ...${JSON.stringify(TOOL)},
          execute: async () => ({ content: [{ type: 'text', text: String(count) }] }),
        });
      },
    };`,
  );
}

/** Plugins that do not load would make the figure look good and mean nothing. */
export async function checkPluginsLoaded({ url, token }, count, hooks) {
  const response = await fetch(`${url}/api/plugins`, { headers: { authorization: `Bearer ${token}` } });
  const { plugins } = await response.json();
  const ready = plugins.filter(
    ({ state, where, tools, hooks: armed }) =>
      state === 'loaded' &&
      where === 'worker' &&
      tools.length === 1 &&
      hooks.every((hook) => armed.some((each) => each.hook === hook && each.state === 'armed')),
  );
  if (ready.length !== count) {
    throw new Error(`${ready.length} of ${count} plugins are ready: ${JSON.stringify(plugins[0])}`);
  }
}
