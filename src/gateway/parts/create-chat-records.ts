// Builds the chat records of openboa agents as a part of the gateway: they follow every run that ends. Where no agent has
// records, nothing is opened and nothing is read.

import { resolveChatRecordPlace } from '../../config/agent-workspace.ts';
import { listAgentIds } from '../../config/agents.ts';
import type { Environment } from '../../config/environment.ts';
import type { Config } from '../../config/schema.ts';
import type { LiveEvent } from '../../protocol/live-event.ts';
import { ChatRecords } from '../../recorder/chat-records.ts';
import type { Store } from '../../store/store.ts';
import type { GatewayPart } from '../gateway-part.ts';

export interface ChatRecordsPart extends GatewayPart {
  readonly warnings: readonly string[];
  /** Called when the messages of a session were deleted. */
  compare(sessionKey: string): Promise<void>;
}

export function createChatRecords(parts: {
  readonly config: Config;
  readonly environment: Environment;
  readonly store: Store;
  readonly subscribe: (listener: (event: LiveEvent) => void) => unknown;
  readonly warn: (sentence: string) => void;
}): ChatRecordsPart {
  const { config, environment, store, subscribe, warn } = parts;
  const placeOf = (agentId: string) => resolveChatRecordPlace(config, agentId, environment.variables);
  const agentIds = listAgentIds(config).filter((agentId) => placeOf(agentId) !== undefined);
  const isUsed = agentIds.length > 0;
  const records = new ChatRecords({ store, agentIds, placeOf, warn });
  return {
    name: 'the chat records',
    open: () => {
      if (!isUsed) return;
      // The gateway does not wait for what an earlier process could not write.
      void records.open();
      subscribe((event) => {
        if (event.type === 'run-end') void records.follow(event.sessionKey);
      });
    },
    close: () => records.close(),
    get warnings() {
      return records.warnings;
    },
    compare: async (sessionKey) => {
      if (isUsed) await records.compare(sessionKey);
    },
  };
}
