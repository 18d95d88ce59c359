// Tells the operator when the runs of an agent begin to fail, or when a gate refuses every message: once, and again when
// the reason changes, a few times an hour. The status shows it until a run of that agent ends well.

import type { LiveEvent } from '../protocol/live-event.ts';
import { parseAgentSessionKey } from '../protocol/session-key.ts';
import { type FaultLog, shapeOf } from './upkeep/fault-log.ts';

/** So many messages in a row are refused before the gate is said to refuse everything. */
const REFUSED_IN_A_ROW = 3;

interface Trouble {
  readonly reason: string;
  readonly status: 'failed' | 'blocked';
  readonly count: number;
  readonly runId: string;
}

export class RunTroubles {
  readonly #faults: Pick<FaultLog, 'tell'>;
  readonly #agents = new Map<string, Trouble>();

  constructor(faults: Pick<FaultLog, 'tell'>) {
    this.#faults = faults;
  }

  get warnings(): readonly string[] {
    return [...this.#agents].flatMap(([agentId, trouble]) => sentenceOf(agentId, trouble) ?? []);
  }

  readonly look = (event: LiveEvent): void => {
    if (event.type !== 'run-end') return;
    const { status, error = 'The reason is not known.', runId } = event;
    const agentId = parseAgentSessionKey(event.sessionKey)?.agentId ?? 'main';
    if (status === 'done') this.#agents.delete(agentId);
    if (status !== 'failed' && status !== 'blocked') return;
    const before = this.#agents.get(agentId);
    const isSame = before?.status === status && shapeOf(before.reason) === shapeOf(error);
    const trouble: Trouble = { reason: error, status, count: isSame ? before.count + 1 : 1, runId };
    this.#agents.set(agentId, trouble);
    const isNews = status === 'failed' ? trouble.count === 1 : trouble.count === REFUSED_IN_A_ROW;
    const sentence = isNews ? sentenceOf(agentId, trouble) : undefined;
    if (sentence) this.#faults.tell(`${agentId} ${status}`, sentence, { runId, sessionKey: event.sessionKey, agentId });
  };
}

function sentenceOf(agentId: string, { reason, status, count, runId }: Trouble): string | undefined {
  const see = `"atrium run show ${runId}" shows it.`;
  if (status === 'blocked') {
    if (count < REFUSED_IN_A_ROW) return undefined;
    return `The last ${count} messages to the agent "${agentId}" were refused. ${reason} ${see}`;
  }
  const which = count === 1 ? 'The last run' : `The last ${count} runs`;
  return `${which} of the agent "${agentId}" failed: ${reason} ${see}`;
}
