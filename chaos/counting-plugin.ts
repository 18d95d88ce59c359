// A plugin in the worker that leaves traces to be counted: a tool whose calls can be seen, an observer of ends, and a text
// for the run after each.

import type { Store } from '../src/store/store.ts';
import { pluginFiles } from '../src/testkit/plugin-files.ts';

export const COUNTING_PLUGIN = { allowConversationAccess: true };

export function countingPluginFiles(): Record<string, string> {
  return pluginFiles('counting', CODE);
}

export interface PluginCounts {
  readonly calls: number;
  readonly repeated: number;
  readonly ends: number;
  /** Runs with an answer whose end the plugin was never told. */
  readonly endsMissed: number;
  readonly injections: number;
  /** Texts that are in more than one run that was completed. */
  readonly shownTwice: number;
}

/** `traces` is what the plugin wrote, a line for each thing. */
export async function countPlugin(store: Store, traces: string): Promise<PluginCounts> {
  const lines = traces.split('\n');
  const of = (kind: string) =>
    lines.filter((line) => line.startsWith(`${kind} `)).map((line) => line.split(' ')[1] ?? '');
  const calls = of('call');
  const ends = new Set(of('end'));
  const runs = await store.select('runs', { where: { status: 'done' } });
  const done = new Set(runs.map(({ runId }) => runId));
  const entries = (await store.select('transcript')).filter(({ runId }) => done.has(runId));
  const shown = entries.flatMap(({ runId, message }) =>
    message.role === 'user'
      ? [...JSON.stringify(message).matchAll(/After (run_\w+)\./g)].map(([, id]) => ({ id, runId }))
      : [],
  );
  const runsOf = (id: string | undefined) => new Set(shown.filter((each) => each.id === id).map(({ runId }) => runId));
  const injections = new Set(shown.map(({ id }) => id));
  return {
    calls: calls.length,
    repeated: calls.length - new Set(calls).size,
    ends: ends.size,
    endsMissed: runs.filter(({ runId }) => !ends.has(runId)).length,
    injections: injections.size,
    shownTwice: [...injections].filter((id) => runsOf(id).size > 1).length,
  };
}

const CODE = `
const { appendFileSync } = process.getBuiltinModule('node:fs');
const file = api.runtime.state.resolveStateDir() + '/traces.txt';
const trace = (line) => appendFileSync(file, line + '\\n');
api.on('agent_end', async ({ runId }, { sessionKey }) => {
  trace('end ' + runId);
  await api.enqueueNextTurnInjection({ sessionKey, text: 'After ' + runId + '.', idempotencyKey: runId });
});
api.registerTool({
  name: 'count',
  description: 'Counts.',
  parameters: { type: 'object', properties: { name: { type: 'string' } } },
  async execute(id, { name }) {
    trace('call ' + name);
    return { content: [{ type: 'text', text: 'Counted.' }] };
  },
});
`;
