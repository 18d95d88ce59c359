// Shows an answer while it is written, on channels that declare drafts: one message that is edited as the text grows,
// never more often than the channel allows. The first part of the answer takes its place. What the platform shows is a
// row in the store, so that a run that goes on after a crash edits the same message, and a draft that no answer replaces
// is withdrawn.
//
// Errors: a draft that cannot be shown is left out, and keeps no answer back. Only `take` rejects, when the channel cannot
// say now whether there is a draft.
// Rules: a draft shows only the text of the latest model call, or its tools in progress mode, cut to one message. From
// the moment that the outbox takes a draft, it is not edited any more. A draft appears only when no part waits for its
// surface, so that it never stands between the parts of an earlier answer. A row says before the first show that there may
// be a draft: after a show whose outcome is lost, or a crash, the channel looks for it before anything else is shown. A
// channel that cannot look does not try again in that run, so one message at most stays behind.
// When it fires: on live events in the form that surfaces may show; while a handler decides about answers there are no
// deltas, and so no drafts.

import type { Channel } from '../channels/channel.ts';
import type { ActionOutcome, DraftMode, Drafts } from '../channels/channel-capabilities.ts';
import { type Surface, surfaceId } from '../protocol/inbound.ts';
import type { JsonValue } from '../protocol/json.ts';
import type { LiveEvent } from '../protocol/live-event.ts';
import type { Say } from '../protocol/log.ts';
import { oneLine } from '../protocol/one-line.ts';
import { timeLimit } from '../protocol/time-limit.ts';
import type { Store, Write } from '../store/store.ts';
import type { DraftRow, OutboxRow } from '../store/tables.ts';
import { draftTextOf, type ShownTool } from './draft-text.ts';
import { splitText } from './split-text.ts';

export interface StreamingDraftsSettings {
  readonly store: Store;
  readonly channels: (id: string) => Channel | undefined;
  /** Where the answer of a run will be shown; undefined when it will be shown nowhere. */
  readonly surfaceOf: (runId: string) => Promise<Surface | undefined>;
  /** Set where several nodes share the store: whether this node shows the drafts of this surface. */
  readonly isHere?: ((surface: Surface) => boolean) | undefined;
  readonly now: () => number;
  readonly warn: Say;
}

interface DraftPlace {
  readonly surface: Surface;
  readonly channel: Channel;
  readonly drafts: Drafts;
  readonly mode: DraftMode;
}

/** What is known of the draft of one run. */
interface RunDraft {
  readonly runId: string;
  /** Undefined until it is known whether and where the run has a draft. */
  place: DraftPlace | undefined;
  call: number;
  text: string;
  tools: readonly ShownTool[];
  shown: string;
  shownAt: number;
  handle: JsonValue | undefined;
  /** A first show may have arrived, and its handle is not known. */
  isUncertain: boolean;
  timer: NodeJS.Timeout | undefined;
  /** The show that is going on. */
  showing: Promise<void> | undefined;
  isOver: boolean;
}

const SHOW_LIMIT_MS = 10_000;

export class StreamingDrafts {
  readonly #settings: StreamingDraftsSettings;
  readonly #runs = new Map<string, RunDraft>();
  /** Withdrawals that are going on. */
  readonly #sweeps = new Set<Promise<void>>();
  /** Runs that go on, and whose drafts another node has shown until it died. */
  readonly #takenOver = new Set<string>();
  #isClosed = false;

  constructor(settings: StreamingDraftsSettings) {
    this.#settings = settings;
  }

  /** Withdraws what earlier processes left behind, as far as no run and no part needs it any more. */
  async open(): Promise<void> {
    // A node takes over the drafts of an account together with the account.
    if (this.#settings.isHere) return;
    for (const { runId } of await this.#settings.store.select('drafts', {})) this.#sweepLater(runId);
  }

  /** From now on this node shows the drafts of this account; what the node before has left behind is withdrawn. Never rejects. */
  async takeOver({ channel, accountId }: Pick<Surface, 'channel' | 'accountId'>): Promise<void> {
    try {
      for (const { runId, surface } of await this.#settings.store.select('drafts', {})) {
        if (surface.channel !== channel || surface.accountId !== accountId) continue;
        if (!this.#runs.has(runId)) this.#takenOver.add(runId);
        this.#sweepLater(runId);
      }
    } catch (error) {
      this.#settings.warn(`Drafts of ${channel} that another node has left could not be read: ${oneLine(error)}`);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const runs = [...this.#runs.values()];
    for (const run of runs) this.#end(run);
    await Promise.all([...runs.map(({ showing }) => showing), ...this.#sweeps]);
  }

  watch(event: LiveEvent): void {
    if (this.#isClosed) return;
    const { runId } = event;
    if (event.type === 'run-start') {
      void this.#begin(runId);
      return;
    }
    if (event.type === 'delivery-end' && event.outcome !== 'sent') this.#sweepLater(runId);
    const run = this.#runs.get(runId);
    if (!run) {
      if (event.type === 'run-end' && this.#takenOver.delete(runId)) this.#sweepLater(runId);
      return;
    }
    if (event.type === 'text-delta') {
      run.text = run.call === event.call ? run.text + event.text : event.text;
      run.call = event.call;
      this.#schedule(run);
    } else if (event.type === 'text-reset') {
      run.text = '';
    } else if (event.type === 'tool-start') {
      const { toolCallId, name } = event;
      run.tools = [...run.tools, { toolCallId, name, state: 'working' }];
      this.#schedule(run);
    } else if (event.type === 'tool-end') {
      const state = event.isError ? 'failed' : 'done';
      run.tools = run.tools.map((tool) => (tool.toolCallId === event.toolCallId ? { ...tool, state } : tool));
      this.#schedule(run);
    } else if (event.type === 'run-end') {
      this.#end(run);
      this.#sweepLater(runId);
    }
  }

  /**
   * Gives the handle of the draft that this part replaces. The draft is not edited any more from here on. Rejects when
   * it is not known whether there is a draft and the channel cannot be asked now.
   */
  async take({ runId, surfaceId: place }: Pick<OutboxRow, 'runId' | 'surfaceId'>): Promise<JsonValue | undefined> {
    const run = this.#runs.get(runId);
    if (run) {
      this.#end(run);
      await run.showing;
    }
    const row = await this.#rowOf(runId);
    if (!row || surfaceId(row.surface) !== place) return undefined;
    const { drafts } = this.#settings.channels(row.surface.channel) ?? {};
    if (modeOf(drafts, row.surface) === 'progress') {
      // What tools did is no part of the answer, so the answer is a message of its own, which people are notified of.
      await this.#withdraw(row);
      return undefined;
    }
    const found = await this.#locate(row);
    if (found.outcome === 'retry') throw new Error(`It is not known whether there is a draft: ${found.reason}`);
    return found.outcome === 'done' ? (found.value ?? undefined) : undefined;
  }

  /** Whether the surface shows words of the run's answer in a draft, which the answer will replace. */
  async isShown(runId: string): Promise<boolean> {
    const row = await this.#rowOf(runId);
    return (
      row !== undefined && modeOf(this.#settings.channels(row.surface.channel)?.drafts, row.surface) !== 'progress'
    );
  }

  async #begin(runId: string): Promise<void> {
    const { surfaceOf, channels, isHere, warn } = this.#settings;
    const run: RunDraft = {
      runId,
      place: undefined,
      call: 0,
      text: '',
      tools: [],
      shown: '',
      shownAt: 0,
      handle: undefined,
      isUncertain: false,
      timer: undefined,
      showing: undefined,
      isOver: false,
    };
    this.#runs.set(runId, run);
    try {
      const surface = await surfaceOf(runId);
      const channel = surface && channels(surface.channel);
      const mode = surface ? modeOf(channel?.drafts, surface) : 'off';
      if (!surface || !channel?.drafts || mode === 'off' || isHere?.(surface) === false) return this.#end(run);
      const row = await this.#rowOf(runId);
      run.handle = row?.handle ?? undefined;
      run.isUncertain = row?.handle === null;
      run.place = { surface, channel, drafts: channel.drafts, mode };
      this.#schedule(run);
    } catch (error) {
      this.#end(run);
      warn(`The draft of ${runId} is not shown: ${oneLine(error)}`, { runId });
    }
  }

  #end(run: RunDraft): void {
    run.isOver = true;
    clearTimeout(run.timer);
    if (this.#runs.get(run.runId) === run && !run.showing) this.#runs.delete(run.runId);
  }

  #schedule(run: RunDraft): void {
    const { place } = run;
    if (!place || run.isOver || run.timer || run.showing || textOf(run, place) === '') return;
    const wait = Math.max(0, run.shownAt + place.drafts.everyMs - this.#settings.now());
    run.timer = setTimeout(() => {
      run.timer = undefined;
      if (run.isOver) return;
      run.showing = this.#show(run, place).finally(() => {
        run.showing = undefined;
        if (run.isOver) this.#end(run);
        else if (textOf(run, place) !== run.shown) this.#schedule(run);
      });
    }, wait);
    run.timer.unref();
  }

  async #show(run: RunDraft, place: DraftPlace): Promise<void> {
    const { runId } = run;
    const { surface, channel, drafts } = place;
    const whole = textOf(run, place);
    const [text = ''] = splitText(whole, drafts.maxTextLength ?? channel.maxTextLength);
    const isNew = whole !== run.shown;
    run.shown = whole;
    run.shownAt = this.#settings.now();
    if (text === '' || !isNew) return;
    if (run.handle === undefined && !(await this.#mayAppear(run, place))) {
      // It is tried again at the pace of the draft, also when the text stays as it is.
      run.shown = '';
      return;
    }
    const { handle } = run;
    if (handle === undefined) await this.#note({ runId, surface, handle: null, shownAt: run.shownAt });
    if (run.isOver) return;
    const outcome = await this.#ask((signal) => drafts.show({ surface, runId, text, handle }, signal));
    if (outcome.outcome === 'failed') run.isOver = true;
    if (outcome.outcome === 'failed' && handle === undefined) await this.#forget(runId);
    if (outcome.outcome === 'retry' && handle === undefined) {
      run.isUncertain = true;
      run.shown = '';
    }
    if (outcome.outcome !== 'done' || isSame(outcome.value, handle)) return;
    run.handle = outcome.value;
    await this.#note({ runId, surface, handle: outcome.value, shownAt: run.shownAt });
  }

  /** Says whether a draft without a handle may be shown now. A handle that the channel finds is in the run after this. */
  async #mayAppear(run: RunDraft, { surface, drafts }: DraftPlace): Promise<boolean> {
    const { runId } = run;
    const queued = { surfaceId: surfaceId(surface), status: 'queued' } as const;
    // While the store cannot say whether a part waits, the draft waits too.
    const isFree = await this.#settings.store.count('outbox', queued).then(
      (count) => count === 0,
      () => false,
    );
    if (!isFree || run.isOver) return false;
    if (!run.isUncertain) return true;
    if (!drafts.find) {
      run.isOver = true;
      return false;
    }
    const found = await this.#locate({ runId, surface, handle: null, shownAt: run.shownAt });
    if (found.outcome === 'failed') run.isOver = true;
    if (found.outcome !== 'done') return false;
    run.isUncertain = false;
    run.handle = found.value ?? undefined;
    return !run.isOver;
  }

  async #note(row: DraftRow): Promise<void> {
    await this.#commit([
      { remove: 'drafts', where: { runId: row.runId } },
      { insert: 'drafts', row },
    ]);
  }

  async #forget(runId: string): Promise<void> {
    await this.#commit([{ remove: 'drafts', where: { runId } }]);
  }

  #sweepLater(runId: string): void {
    const sweep = this.#sweep(runId)
      .catch((error: unknown) =>
        this.#settings.warn(`The draft of ${runId} was not withdrawn: ${oneLine(error)}`, { runId }),
      )
      .finally(() => this.#sweeps.delete(sweep));
    this.#sweeps.add(sweep);
  }

  /** Withdraws the draft of a run that is over and has no part that will replace it. */
  async #sweep(runId: string): Promise<void> {
    const { store } = this.#settings;
    await this.#runs.get(runId)?.showing;
    const row = await this.#rowOf(runId);
    if (!row || this.#settings.isHere?.(row.surface) === false) return;
    const [run] = await store.select('runs', { where: { runId }, limit: 1 });
    if (run && run.endedAt === null) return;
    const isReplaced = modeOf(this.#settings.channels(row.surface.channel)?.drafts, row.surface) !== 'progress';
    const replacing = {
      runId,
      part: 1,
      surfaceId: surfaceId(row.surface),
      status: { in: ['queued', 'sent'] },
    } as const;
    if (isReplaced && (await store.count('outbox', replacing)) > 0) return;
    await this.#withdraw(row);
  }

  async #withdraw(row: DraftRow): Promise<void> {
    const { runId, surface } = row;
    const { drafts } = this.#settings.channels(surface.channel) ?? {};
    const found = await this.#handleOf(row);
    const handle = found.outcome === 'done' ? found.value : null;
    const outcome =
      drafts && handle !== null ? await this.#ask((signal) => drafts.withdraw({ surface, handle }, signal)) : found;
    // What cannot be withdrawn now is tried again at the next start.
    if (outcome.outcome !== 'retry') await this.#forget(runId);
  }

  /** Like `#handleOf`, and keeps in mind what the channel found. */
  async #locate(row: DraftRow): Promise<ActionOutcome<JsonValue>> {
    const found = await this.#handleOf(row);
    if (row.handle !== null || found.outcome === 'retry') return found;
    if (found.outcome === 'done' && found.value !== null) await this.#note({ ...row, handle: found.value });
    else await this.#forget(row.runId);
    return found;
  }

  /** The handle in the row, or what the channel finds when an earlier show did not get as far as its row. */
  async #handleOf({ runId, surface, handle }: DraftRow): Promise<ActionOutcome<JsonValue>> {
    const { drafts } = this.#settings.channels(surface.channel) ?? {};
    const find = drafts?.find?.bind(drafts);
    if (handle !== null || !find) return { outcome: 'done', value: handle };
    return this.#ask((signal) => find({ surface, runId }, signal));
  }

  async #rowOf(runId: string): Promise<DraftRow | undefined> {
    const [row] = await this.#settings.store.select('drafts', { where: { runId }, limit: 1 });
    return row;
  }

  /** A channel that breaks its contract or takes too long counts as one that could not do it now. */
  async #ask<Value>(act: (signal: AbortSignal) => Promise<ActionOutcome<Value>>): Promise<ActionOutcome<Value>> {
    const limit = timeLimit(SHOW_LIMIT_MS, () => new Error('the channel did not answer in time'));
    const late = new Promise<never>((_, reject) => {
      limit.signal.addEventListener('abort', () => reject(limit.signal.reason), { once: true });
    });
    try {
      return await Promise.race([act(limit.signal), late]);
    } catch (error) {
      return { outcome: 'retry', reason: oneLine(error) };
    } finally {
      limit.clear();
    }
  }

  async #commit(writes: readonly Write[]): Promise<void> {
    await this.#settings.store.commit(writes, { site: 'draft', lazy: true }).catch((error: unknown) => {
      this.#settings.warn(`A draft could not be kept in mind: ${oneLine(error)}`);
    });
  }
}

function modeOf(drafts: Drafts | undefined, surface: Surface): DraftMode {
  return drafts?.modeOf?.(surface) ?? 'partial';
}

function textOf(run: RunDraft, { mode }: DraftPlace): string {
  const text = draftTextOf(mode, run);
  return text.trim() === '' ? '' : text;
}

function isSame(value: JsonValue, other: JsonValue | undefined): boolean {
  return JSON.stringify(value) === JSON.stringify(other);
}
