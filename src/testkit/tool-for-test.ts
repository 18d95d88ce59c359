// Tools that a test makes up: one that does what the test says, and one that keeps what it was called with.

import type { JsonObject } from '../protocol/json.ts';
import type { Tool } from '../tools/tool.ts';

/** It takes any parameters and may be run again, unless `changes` say otherwise. */
export function toolForTest(name: string, run: Tool['run'], changes: Partial<Tool> = {}): Tool {
  return { name, description: `The tool ${name}.`, parameters: { type: 'object' }, idempotent: true, run, ...changes };
}

/** It must not be run twice for one call; `ran` holds the parameters of each time that it was. */
export function recordingTool(name: string, content: string): Tool & { readonly ran: JsonObject[] } {
  const ran: JsonObject[] = [];
  const run = async (params: JsonObject) => {
    ran.push(params);
    return { content };
  };
  return { ...toolForTest(name, run, { idempotent: false }), ran };
}
