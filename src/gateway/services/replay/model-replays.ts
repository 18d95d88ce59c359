// Asks another model what it would have answered in a recorded run. What that costs counts like every other call: it is
// reserved under the limits on spending before it is made, settled after it, and stands in the usage. It counts for the
// agent of the run, in a session of its own, and for the operator, because the person who talked in the run did not ask.
// Errors: as `replayRun`; SpendLimitError and UnknownPriceError before anything is sent. A cheaper model never answers in
// place of the one that is named.

import { keepUsage } from '../../../agent/keep-usage.ts';
import { parseToolInput } from '../../../agent/parse-tool-input.ts';
import { type ReservingRun, reserveAgain, type SpendParts } from '../../../agent/spend/reserve-call.ts';
import { planCutCall, RunSpending } from '../../../agent/spend/run-spending.ts';
import { settleCall } from '../../../agent/spend/settle-call.ts';
import { tellNearLimitsAfter } from '../../../agent/spend/tell-near-limits.ts';
import type { Model, ModelEnd, ModelRequest } from '../../../models/model.ts';
import type { AssistantPart } from '../../../protocol/message.ts';
import { newId } from '../../../protocol/new-id.ts';
import { goesOn, ownedId } from '../../../protocol/owned-id.ts';
import { NO_USAGE } from '../../../protocol/usage.ts';
import type { Store, Write } from '../../../store/store.ts';
import { askOtherModel, type ModelTurn, type OtherAnswer } from './ask-other-model.ts';
import type { AskedChanges, OtherConfig } from './replay-changes.ts';
import { replayRun } from './replay-run.ts';

export interface ModelReplayParts extends SpendParts {
  /** Rejects with an AtriumError when there is no such model, or no key for it. */
  model(name: string, agentId: string): Promise<Model>;
  /** The member of the cluster that this node is. */
  readonly memberId?: (() => string | null) | undefined;
  /** The configuration of a file, for replays with other settings. */
  otherConfig(path: string): Promise<OtherConfig>;
}

export interface ModelReplay extends Omit<AskedChanges, 'config'> {
  readonly runId: string;
  readonly model: string;
  /** The path of a configuration file. */
  readonly config?: string | undefined;
}

/** What replays cost stands under this name in place of a session. */
export const REPLAY_KEY = 'replay';

export class ModelReplays {
  readonly #parts: ModelReplayParts;

  constructor(parts: ModelReplayParts) {
    this.#parts = parts;
  }

  /** The conversation begins again with the first request of the run, and goes on with what the other model says. */
  async ask({ runId, model: name, config, ...changes }: ModelReplay, signal: AbortSignal): Promise<OtherAnswer> {
    const { store } = this.#parts;
    const other = config === undefined ? undefined : await this.#parts.otherConfig(config);
    const { recorded, calls } = await replayRun(store, runId, { ...changes, config: other }, { call: 1 });
    const model = await this.#parts.model(name, recorded.run.agentId);
    const own = recorded.rows.filter((row) => row.runId === runId).map(({ message }) => message);
    const request = calls[0]?.after.request ?? { system: [], tools: [], messages: [] };
    const run = this.#open(recorded.run.agentId);
    try {
      return await askOtherModel(model, request, own, (each) => this.#call(run, model, each, signal));
    } finally {
      await tellNearLimitsAfter(this.#parts, run);
    }
  }

  #open(agentId: string): CountedReplay {
    const at = this.#parts.now();
    const id = ownedId(newId(REPLAY_KEY, at), this.#parts.memberId?.());
    const session = { sessionId: id, startedAt: at };
    const inbound = { surface: { channel: 'cli' }, sender: { id: 'local' } };
    const spending = new RunSpending(this.#parts.store, { agentId, sessionKey: REPLAY_KEY, session, inbound });
    return { runId: id, sessionKey: REPLAY_KEY, agentId, session, spending };
  }

  async #call(run: CountedReplay, model: Model, request: ModelRequest, signal: AbortSignal): Promise<ModelTurn> {
    const { store } = this.#parts;
    const wire = await model.prepare(request);
    await reserveAgain(this.#parts, run, { model, wire }, async (writes) => {
      await store.commit(writes, { site: 'spend' });
    });
    const content: AssistantPart[] = [];
    let heard = '';
    let text = '';
    let end: ModelEnd = { type: 'end', stop: 'error', usage: NO_USAGE };
    const said = () => {
      if (text !== '') content.push({ type: 'text', text });
      text = '';
    };
    for await (const event of model.stream(wire, signal)) {
      if (event.type === 'text-delta') text += event.text;
      if (event.type === 'text-delta' || event.type === 'reasoning-delta') heard += event.text;
      if (event.type === 'tool-call') {
        said();
        heard += event.name + event.input;
        content.push({ type: 'tool-call', id: event.id, name: event.name, params: parseToolInput(event.input) });
      }
      if (event.type === 'end') end = event;
    }
    said();
    const writes: Write[] = [];
    const counted = { ...run, ledger: { attach: (write: Write) => void writes.push(write) } };
    keepUsage(this.#parts, counted, model, end.usage, REPLAY_KEY);
    settleCall(counted, { model, wire, end, heard });
    if (writes.length > 0) await store.commit(writes, { site: 'spend' });
    return { content, end };
  }
}

/**
 * A call that a crash has cut may have been charged, so everything that was reserved for it counts. Without `isAlive` it is
 * called when this process has just become the owner of the store, before it asks anything; with it, calls of nodes that are alive go on.
 */
export async function settleCutReplays(store: Store, isAlive?: (node: string) => boolean): Promise<void> {
  for (const { runId } of await store.select('reservations')) {
    if (runId.startsWith(`${REPLAY_KEY}_`) && !goesOn(runId, isAlive))
      await store.commit(await planCutCall(store, runId), { site: 'spend' });
  }
}

interface CountedReplay extends ReservingRun {
  readonly agentId: string;
  readonly session: { readonly sessionId: string };
}
