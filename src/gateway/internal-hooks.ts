// Fires the events of hook packs that have no row in the hook catalog: commands, messages, sessions, the gateway's start
// and stop. Handlers of packs and of plugins stand in one list; each has a deadline of its own, and every call is
// recorded like that of any other hook, under the event's name.
//
// Promise: `fire` never rejects. What a handler does after its deadline has no effect on anybody.

import type { PackDeps } from '../hooks/bundled/pack-deps.ts';
import type { HookCallRecord } from '../hooks/hook-call-record.ts';
import { frozenCopy } from '../hooks/isolated-copy.ts';
import {
  type InternalHookListener,
  orderInternalHookListeners,
  triggerInternalHook,
} from '../hooks/packs/trigger-internal-hook.ts';
import type { InternalHookEvent } from '../protocol/bootstrap-event.ts';
import type { JsonObject } from '../protocol/json.ts';
import { parseAgentSessionKey } from '../protocol/session-key.ts';
import { within } from '../protocol/time-limit.ts';
import type { ContextEngine } from './context-engine.ts';
import { reasonOf } from './plugins/reason-of.ts';

export interface InternalHooksParts {
  readonly engine: Pick<ContextEngine, 'prepare'>;
  readonly config: object;
  /** What a bundled pack of this name may use. */
  readonly depsOf: (pack: string) => PackDeps;
  /** Says something where the session's people are. */
  readonly say: (sessionKey: string, text: string) => Promise<void>;
  readonly record: (call: HookCallRecord) => void;
  readonly now: () => number;
  readonly warn: (sentence: string) => void;
}

export class InternalHooks {
  readonly #parts: InternalHooksParts;
  /** What is going on, so that a stop can wait for it. */
  readonly #going = new Set<Promise<unknown>>();
  #frozenConfig: object | undefined;

  constructor(parts: InternalHooksParts) {
    this.#parts = parts;
  }

  /** Gives what the handlers want said; who fires the event knows whether there is somebody to say it to. */
  readonly fire = (
    type: string,
    action: string,
    sessionKey: string,
    context: () => JsonObject,
  ): Promise<readonly string[]> => {
    const fired = this.#fire(type, action, sessionKey, context).catch((error: unknown) => {
      this.#parts.warn(`Hook packs could not be told of ${type}:${action}: ${reasonOf(error)}`);
      return [];
    });
    this.#going.add(fired);
    void fired.finally(() => this.#going.delete(fired));
    return fired;
  };

  say(sessionKey: string, text: string): Promise<void> {
    return this.#parts.say(sessionKey, text);
  }

  /** Resolves when everything that was fired before is over, or the time is. */
  async settle(timeoutMs: number): Promise<void> {
    if (this.#going.size === 0) return;
    await within(timeoutMs, Promise.all(this.#going));
  }

  async #fire(type: string, action: string, sessionKey: string, told: () => JsonObject): Promise<readonly string[]> {
    const { engine, now, record } = this.#parts;
    const at = new Date(now());
    const agentId = parseAgentSessionKey(sessionKey)?.agentId;
    const { registry, workspaceDir } = await engine.prepare({ agentId, at });
    if (orderInternalHookListeners(registry.listeners, { type, action }).length === 0) return [];
    const context = told();
    const event: InternalHookEvent = {
      type,
      action,
      sessionKey,
      context: { workspaceDir, ...context },
      timestamp: at,
      messages: [],
    };
    const { messages, calls } = await triggerInternalHook(registry.listeners, event, {
      contextFor: (listener) => this.#contextFor(listener),
      record: (call) => record(withoutQuotes(call, context)),
      now,
    });
    for (const call of calls) this.#warnOf(withoutQuotes(call, context));
    return messages;
  }

  #contextFor({ source, owner }: InternalHookListener): Readonly<Record<string, unknown>> {
    this.#frozenConfig ??= frozenCopy(this.#parts.config);
    const shared = { cfg: this.#frozenConfig };
    return source === 'openclaw-bundled' ? { ...shared, deps: this.#parts.depsOf(owner) } : shared;
  }

  #warnOf({ hook, owner, outcome, error = '' }: HookCallRecord): void {
    if (outcome === 'done') return;
    const how = outcome === 'timed-out' ? `did not finish with ${hook}: it` : `failed on ${hook}:`;
    this.#parts.warn(`The hook pack "${owner}" ${how} ${error}`);
  }
}

const SAID_FIELDS = ['content', 'body'] as const;
const SHORTEST_QUOTE = 12;

/** A message may yet be blocked, and then no log and no record may hold its words, whoever threw them. */
function withoutQuotes(call: HookCallRecord, context: JsonObject): HookCallRecord {
  const { error } = call;
  if (error === undefined) return call;
  const said = SAID_FIELDS.map((field) => context[field]).filter((text) => typeof text === 'string' && text !== '');
  return said.some((text) => isQuoted(String(text), error))
    ? { ...call, error: 'an error that quotes the message' }
    : call;
}

function isQuoted(said: string, error: string): boolean {
  const length = Math.min(SHORTEST_QUOTE, said.length);
  if (length < 4) return false;
  for (let start = 0; start + length <= error.length; start++) {
    if (said.includes(error.slice(start, start + length))) return true;
  }
  return false;
}
