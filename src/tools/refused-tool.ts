// A tool that is shown as it is and refuses every call, with a reason that the model and the person read. A tool that was
// left out instead could not say why.

import { ToolRefusedError } from './errors.ts';
import type { Tool } from './tool.ts';

export function refusedTool(tool: Tool, reason: string): Tool {
  return {
    ...tool,
    decide: async () => ({ kind: 'deny', reason }),
    run: async () => {
      throw new ToolRefusedError({ reason });
    },
  };
}
