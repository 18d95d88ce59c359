// A tool that an API client runs itself. The call waits until the client has brought the result, and the run is suspended
// meanwhile, as it is for other waits. The client checks the parameters, because it knows what it can do with them.

import { isJsonObject } from '../protocol/json.ts';
import type { ClientToolSpec } from '../store/tables.ts';
import type { Tool } from './tool.ts';

/** The owner of such a tool, in the prompt's authors and in every list of tools. */
export const CLIENT_OWNER = 'client';

export function toolOfClient({ name, description, parameters, strict }: ClientToolSpec, timeoutMs: number): Tool {
  return {
    name,
    description,
    parameters,
    ...(strict && { strict }),
    owner: CLIENT_OWNER,
    isRunByClient: true,
    // The gateway does nothing for it but wait, so waiting again after a crash does no harm.
    idempotent: true,
    awaits: async () => ({ awaited: [], isAnyEnough: false, timeoutMs }),
    async run(_, { given }) {
      if (!isJsonObject(given) || typeof given.content !== 'string')
        return { content: 'The client gave no result.', isError: true };
      return { content: given.content };
    },
  };
}
