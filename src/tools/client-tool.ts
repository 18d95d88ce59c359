// A tool that an API client runs itself. The call waits until the client has brought the result, and the run is suspended
// meanwhile, as it is for other waits. The client checks the parameters, because it knows what it can do with them. Where
// it asked for `strict`, they are checked here too, since not every provider can hold its model to a schema: a call that
// does not fit is not handed out, and the model is told what is wrong.

import { isJsonObject, type JsonValue } from '../protocol/json.ts';
import type { ClientToolSpec } from '../store/tables.ts';
import { checkParams } from './check-params.ts';
import { ToolInputError } from './errors.ts';
import type { Tool } from './tool.ts';

/** The owner of such a tool, in the prompt's authors and in every list of tools. */
export const CLIENT_OWNER = 'client';

export function toolOfClient(spec: ClientToolSpec, timeoutMs: number): Tool {
  const { name, description, parameters, strict } = spec;
  return {
    name,
    description,
    parameters,
    ...(strict && { strict }),
    owner: CLIENT_OWNER,
    isRunByClient: true,
    // The gateway does nothing for it but wait, so waiting again after a crash does no harm.
    idempotent: true,
    awaits: async (params) => {
      const isRefused = (await strictProblems(spec, params)).length > 0;
      return isRefused ? undefined : { awaited: [], isAnyEnough: false, timeoutMs };
    },
    async run(params, { given }) {
      if (isJsonObject(given) && typeof given.content === 'string') return { content: given.content };
      const problems = await strictProblems(spec, params);
      if (problems.length > 0) throw new ToolInputError({ tool: name, problems });
      return { content: 'The client gave no result.', isError: true };
    },
  };
}

/** None for a schema that cannot be used here: the client and the provider may understand it. */
async function strictProblems({ name, parameters, strict }: ClientToolSpec, params: JsonValue) {
  return strict ? checkParams({ name, parameters }, params).catch(() => []) : [];
}
