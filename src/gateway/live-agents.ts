// The configuration of a running gateway, in which agents may be added. A new agent is taken up at once; what is changed about
// an agent that was there at the start waits for the next start, because sessions, schedules and plugins have begun with it.
// Invariant: the agents of the start stay as they were, in their order, and the default agent stays the same.

import { isDeepStrictEqual } from 'node:util';
import {
  type AgentConfig,
  agentIdOf,
  listAgentConfigs,
  listAgentIds,
  resolveDefaultAgentId,
} from '../config/agents.ts';
import type { Config } from '../config/schema.ts';

export class LiveAgents {
  /** The configuration of the start; `agents` is what it is now, whenever it is read. */
  readonly config: Config;
  readonly #start: Config;
  #agents: Config['agents'];

  constructor(start: Config) {
    this.#start = start;
    this.#agents = start.agents;
    const now = () => this.#agents;
    this.config = {
      ...start,
      get agents() {
        return now();
      },
    };
  }

  /** Takes up the agents of `changed` that were not there at the start. Returns whether the list is another one now. */
  apply(changed: Config): boolean {
    const known = new Set(listAgentIds(this.#start));
    const added = listAgentConfigs(changed).filter((entry) => !known.has(agentIdOf(entry)));
    const list = added.length === 0 ? this.#start.agents?.list : [...entriesOf(this.#start), ...added];
    if (isDeepStrictEqual(list, this.#agents?.list)) return false;
    this.#agents = { ...this.#start.agents, ...(list && { list }) };
    return true;
  }
}

/** Whether agents were only added, so that nothing waits for the next start. */
export function isOnlyAddition(start: Config, changed: Config): boolean {
  const after = new Map(listAgentConfigs(changed).map((entry) => [agentIdOf(entry), entry]));
  return (
    resolveDefaultAgentId(start) === resolveDefaultAgentId(changed) &&
    entriesOf(start).every((entry) => {
      const now = after.get(agentIdOf(entry));
      return now !== undefined && isDeepStrictEqual(withoutDefaults(entry), withoutDefaults(now));
    })
  );
}

/** An empty list stands for one agent, which has to be named as soon as there is another. */
function entriesOf(config: Config): readonly AgentConfig[] {
  const entries = listAgentConfigs(config);
  return entries.length > 0 ? entries : [{ id: resolveDefaultAgentId(config), default: true }];
}

/** Which agent is the default is compared by its id; `default: true` of the first entry says nothing new. */
function withoutDefaults({ default: _, ...entry }: AgentConfig): object {
  return entry;
}
