// Suite sessions-spawn: what the parameters of the tool may be, what a call is refused for, and names of tasks.

import { normalizeSubagentTaskName, parseSpawnRequest } from '../../src/agent/subagents/parse-spawn-request.ts';
import { sessionsSpawnSchema } from '../../src/tools/sessions-spawn.ts';
import type { SuiteAdapter } from '../adapter.ts';

export const sessionsSpawn: SuiteAdapter = {
  sessions_spawn: (input) => {
    const parsed = parseSpawnRequest(input as Record<string, unknown>);
    if (parsed.kind === 'misuse') return { throws: `ToolInputError: ${parsed.error}` };
    if (parsed.kind === 'refusal') return { status: 'error', error: parsed.error, role: parsed.role };
    return { status: 'accepted' };
  },
  sessionsSpawnSchema: (input) => {
    const { required, properties, additionalProperties } = sessionsSpawnSchema(
      input as Parameters<typeof sessionsSpawnSchema>[0],
    );
    const shapes = Object.entries(properties as Record<string, object>).map(([name, shape]) => [name, bare(shape)]);
    return { required, properties: Object.fromEntries(shapes), additionalProperties: additionalProperties ?? 'unset' };
  },
  normalizeSubagentTaskName: (input) => normalizeSubagentTaskName(input),
};

/** The recorded shapes have no descriptions, no forms of items and no lengths of texts. */
function bare(shape: object): object {
  const { type, enum: values, minimum, maxItems } = shape as Record<string, unknown>;
  return { type, enum: values, minimum, maxItems };
}
