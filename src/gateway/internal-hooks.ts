// Fires the events of hook packs that have no row in the hook catalog: commands, messages, the gateway's start and stop.
// A handler's deadline is the gateway's, because packs name none; what it does later has no effect on anybody.

import { orderInternalHookListeners, triggerInternalHook } from '../hooks/packs/trigger-internal-hook.ts';
import type { InternalHookEvent } from '../protocol/bootstrap-event.ts';
import type { JsonObject } from '../protocol/json.ts';
import { parseAgentSessionKey } from '../protocol/session-key.ts';
import type { ContextEngine } from './context-engine.ts';

export interface InternalHooksParts {
  readonly engine: Pick<ContextEngine, 'prepare'>;
  readonly config: object;
  readonly now: () => number;
  readonly warn: (sentence: string) => void;
}

const DEADLINE_MS = 5_000;

/** Gives the messages that handlers want said. Never rejects. */
export function createInternalHooks({ engine, config, now, warn }: InternalHooksParts) {
  return async (type: string, action: string, sessionKey: string, context: JsonObject): Promise<readonly string[]> => {
    try {
      const agentId = parseAgentSessionKey(sessionKey)?.agentId;
      const { registry } = await engine.prepare({ agentId, at: new Date(now()) });
      if (orderInternalHookListeners(registry.listeners, { type, action }).length === 0) return [];
      const event: InternalHookEvent = {
        type,
        action,
        sessionKey,
        context: { ...context, cfg: config },
        timestamp: new Date(now()),
        messages: [],
      };
      const called = triggerInternalHook(registry.listeners, event, ({ owner, error }) =>
        warn(`The hook pack "${owner}" failed on ${type}:${action}: ${(error as Error)?.message ?? error}`),
      );
      await within(DEADLINE_MS, called, () =>
        warn(`A hook pack did not finish with ${type}:${action} in ${DEADLINE_MS} ms.`),
      );
      return event.messages.filter((message) => typeof message === 'string' && message.trim() !== '');
    } catch (error) {
      warn(`Hook packs could not be told of ${type}:${action}: ${(error as Error).message}`);
      return [];
    }
  };
}

async function within(ms: number, work: Promise<void>, late: () => void): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      late();
      resolve();
    }, ms);
  });
  await Promise.race([work, over]).finally(() => clearTimeout(timer));
}
