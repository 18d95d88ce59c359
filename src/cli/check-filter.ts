// For commands that filter by agent or session and have found nothing: a typing mistake must not look like an empty
// history. Does nothing when what was named is known; then there is just nothing to show.
// Errors: UnknownAgentError, and the gateway's own refusal of an unknown session, which is completed with the likely key.

import { listAgentIds } from '../config/agents.ts';
import { readConfig } from '../config/load-config.ts';
import { nearMatch } from '../protocol/near-match.ts';
import { UnknownAgentError } from '../routing/errors.ts';
import type { CliIo } from './cli-io.ts';
import { type GatewayClient, path } from './gateway/gateway-client.ts';

export interface Filter {
  readonly agent?: string | undefined;
  readonly session?: string | undefined;
}

export async function checkFilter({ agent, session }: Filter, client: GatewayClient, io: CliIo): Promise<void> {
  if (session !== undefined) await client.get(path`/api/sessions/${session}`);
  if (agent === undefined) return;
  const known = listAgentIds(await readConfig({ environment: io.environment }));
  if (known.includes(agent)) return;
  // An agent that is no longer configured still has its past.
  const { sessions } = await client.get<{ sessions: readonly unknown[] }>('/api/sessions', { agent, limit: 1 });
  if (sessions.length === 0)
    throw new UnknownAgentError({ agentId: agent, known, suggestion: nearMatch(agent, known) });
}
