// Checks that an agent which a request names exists. Throws UnknownAgentError with the likely name.

import { nearMatch } from '../../../protocol/near-match.ts';
import { UnknownAgentError } from '../../../routing/errors.ts';

export function checkAgent(agentId: string | undefined, known: readonly string[]): void {
  if (agentId === undefined || known.includes(agentId)) return;
  throw new UnknownAgentError({ agentId, known, suggestion: nearMatch(agentId, known) });
}
