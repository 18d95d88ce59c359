// The run that a person means by "last".
// Errors: BadFlagError when there is none.

import { BadFlagError } from '../gateway/errors.ts';
import { type GatewayClient, path } from './gateway/gateway-client.ts';

export async function lastRunId(client: GatewayClient, session: string | undefined): Promise<string> {
  const { runs } = await client.get<{ runs: readonly { readonly runId: string }[] }>('/api/runs', {
    session,
    limit: 1,
  });
  const [last] = runs;
  if (last) return last.runId;
  // Says that there is no such session, when that is so.
  if (session !== undefined) await client.get(path`/api/sessions/${session}`);
  const expected =
    session === undefined ? 'the id of a run: there is none yet' : 'the id of a run: this session has none';
  throw new BadFlagError({ flag: 'run', value: 'last', expected });
}
