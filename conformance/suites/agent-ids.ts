// Suite agent-ids: one raw value, what each of three functions makes of it.

import { isValidAgentId, normalizeAccountId, normalizeAgentId } from '../../src/protocol/agent-id.ts';
import type { SuiteAdapter } from '../adapter.ts';

export const agentIds: SuiteAdapter = {
  agentId: (input) => {
    const raw = input as string | null | undefined;
    return { normalize: normalizeAgentId(raw), valid: isValidAgentId(raw), account: normalizeAccountId(raw) };
  },
};
