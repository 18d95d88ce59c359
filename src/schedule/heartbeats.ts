// The heartbeats of the agents: from time to time an agent looks at its checklist. A beat is a row in the inbox of the
// agent's main session. When the checklist is empty there is no beat, and no model is called.
//
// Errors: nothing rejects. A failure becomes a warning, and the next beat is another attempt.
// Rules: beats are due at the multiples of their pace. A beat that was missed while the gateway was down is not
// repeated. There is no beat while the session is busy or has a waiting trigger, so there is never more than one in its
// lane.

import type { Inbound, Surface } from '../protocol/inbound.ts';
import type { Say } from '../protocol/log.ts';
import { newId } from '../protocol/new-id.ts';
import { errorText } from '../protocol/one-line.ts';
import type { Store } from '../store/store.ts';
import { type ActiveHours, isActive } from './active-hours.ts';
import { Alarm } from './alarm.ts';
import { silentSurface } from './deliver-target.ts';

export interface HeartbeatAgent {
  readonly agentId: string;
  readonly sessionKey: string;
  readonly everyMs: number;
  /** Undefined means the whole day. */
  readonly activeHours?: ActiveHours | undefined;
  /** What the agent is told. */
  readonly prompt: string;
  /** An answer that has the silence token and no more than this many other characters is not sent. */
  readonly ackMaxChars: number;
}

export interface HeartbeatOptions {
  readonly store: Store;
  readonly now: () => number;
  /** The agents that have a heartbeat, as they are now. */
  readonly agents: () => readonly HeartbeatAgent[];
  /** Returns the agent's checklist, or undefined when it has none. */
  readonly readChecklist: (agentId: string) => Promise<string | undefined>;
  /** Returns the surface for an answer. Null keeps the answer in the session. */
  readonly targetOf: (agent: HeartbeatAgent) => Promise<Surface | null>;
  /** Called when a trigger was committed for this key. */
  readonly wakeLane: (sessionKey: string) => void;
  readonly warn: Say;
}

/** The outcome of a beat: it is in the inbox, or the reason why it is not. */
export type Beat = 'queued' | 'inactive' | 'nothing-to-do' | 'busy' | 'taken' | 'late' | 'failed';

/** A beat that is noticed later than this was missed. */
const ON_TIME_MS = 60_000;

export class Heartbeats {
  readonly #options: HeartbeatOptions;
  readonly #alarm: Alarm;
  /** The last slot that was checked, by agent. */
  readonly #seen = new Map<string, number>();
  #looking: Promise<ReadonlyMap<string, Beat>> | undefined;
  #isOpen = false;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
    this.#alarm = new Alarm(options.now, () => void this.look());
  }

  open(): void {
    this.#isOpen = true;
    this.apply();
  }

  /** Takes up agents and paces that have changed. A beat that was due by another pace is not made up for. */
  apply(): void {
    const now = this.#options.now();
    for (const agent of this.#options.agents()) this.#seen.set(agent.agentId, slotOf(agent, now));
    this.#alarm.clear();
    this.#arm();
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    this.#alarm.clear();
    await this.#looking;
  }

  /** Handles every beat that became due since the last look, by agent. */
  look(): Promise<ReadonlyMap<string, Beat>> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
      this.#arm();
    });
    return this.#looking;
  }

  async #look(): Promise<ReadonlyMap<string, Beat>> {
    const beats = new Map<string, Beat>();
    for (const agent of this.#options.agents()) {
      const { agentId } = agent;
      const slot = slotOf(agent, this.#options.now());
      const seen = this.#seen.get(agentId) ?? 0;
      // When the clock was set back, no beat is repeated, and the next beat does not wait until the clock is where it
      // was.
      this.#seen.set(agentId, slot);
      if (!this.#isOpen || slot <= seen) continue;
      beats.set(agentId, await this.#beat(agent, slot));
    }
    return beats;
  }

  async #beat(agent: HeartbeatAgent, slot: number): Promise<Beat> {
    const { store, now, readChecklist, targetOf, wakeLane, warn } = this.#options;
    const { agentId, sessionKey, activeHours, prompt, ackMaxChars } = agent;
    if (now() - slot > ON_TIME_MS) return 'late';
    if (activeHours && !isActive(activeHours, slot)) return 'inactive';
    try {
      const checklist = await readChecklist(agentId);
      if (checklist === undefined || isChecklistEmpty(checklist)) return 'nothing-to-do';
      const busy = { sessionKey, status: { in: ['queued', 'claimed'] } };
      if ((await store.count('inbox', busy)) > 0) return 'busy';
      const at = now();
      const inbound: Inbound = {
        surface: (await targetOf(agent)) ?? silentSurface(agentId),
        sender: { id: 'heartbeat' },
        text: prompt,
        at: slot,
        sessionKey,
        metadata: { ackMaxChars },
      };
      const row = {
        runId: newId('run', at),
        sessionKey,
        kind: 'heartbeat' as const,
        dedupeKey: JSON.stringify(['heartbeat', agentId, slot]),
        fingerprint: null,
        payload: { inbound, agentId },
        acceptedAt: at,
        status: 'queued' as const,
      };
      const { changed } = await store.commit([{ insert: 'inbox', row, onConflict: 'ignore' }], { site: 'job-slot' });
      if (changed[0] === 0) return 'taken';
      wakeLane(sessionKey);
      return 'queued';
    } catch (error) {
      warn(`The heartbeat of ${agentId} was left out: ${errorText(error)}`, { agentId });
      return 'failed';
    }
  }

  #arm(): void {
    const { now } = this.#options;
    const agents = this.#options.agents();
    if (!this.#isOpen || agents.length === 0) return;
    const slots = agents.map((agent) => {
      const seen = this.#seen.get(agent.agentId) ?? 0;
      return Math.max(slotOf(agent, now()), seen) + agent.everyMs;
    });
    this.#alarm.set(Math.min(...slots));
  }
}

/** The last multiple of the pace. */
function slotOf({ everyMs }: HeartbeatAgent, at: number): number {
  return Math.floor(at / everyMs) * everyMs;
}

/** The pattern is for a trimmed line: two stretches of blanks side by side could be matched in too many ways. */
const EMPTY_LINE = /^(?:#+(?:\s.*)?|[-*+]|[-*+]?\s*\[[ xX]?\]|\d+[.)]|[-*_=]{3,}|(?:```|~~~).*|>)?$/s;

/** Headings, comments, rules, code fences and items without words ask for nothing. */
export function isChecklistEmpty(text: string): boolean {
  const withoutComments = text
    .replace(/^\uFEFF?---\r?\n[\s\S]*?\r?\n---(?:\r?\n|$)/, '')
    .replace(/<!--[\s\S]*?(?:-->|$)/g, '');
  return withoutComments.split(/\r\n|\r|\n/).every((line) => EMPTY_LINE.test(line.trim()));
}
