// The requests that are kept, and the one that came before each: of the same session, or, where a session begins, of
// another session of the same agent. It only reads, and remembers a few requests, because most are compared twice.

import type { SentFacts } from '../../../agent/capture-call.ts';
import { FRAME_CALL, type RequestFrame } from '../../../agent/request-frame.ts';
import { isCronSessionKey, isSharedSurfaceSessionKey, isSubagentSessionKey } from '../../../protocol/session-key.ts';
import { type PromptText, readPromptTexts } from '../../../recorder/cache-prefix.ts';
import { readCapture } from '../../../recorder/capture.ts';
import type { Store } from '../../../store/store.ts';
import type { CaptureRow, RunRow } from '../../../store/tables.ts';
import { spansOfRequest } from '../read-request-spans.ts';
import type { KnownRequest } from './judge-break.ts';

export interface SentRequest {
  readonly run: RunRow;
  readonly capture: CaptureRow;
}

/**
 * `call`: the request before in the same run. `run`: the last one of an earlier run of the same session. `agent`: the last
 * one of another session of the agent, of the same kind.
 */
export type Earlier = SentRequest & { readonly kind: 'call' | 'run' | 'agent' };

export class CapturedRequests {
  readonly #store: Store;
  readonly #pieces = new Recent<readonly PromptText[] | undefined>();
  readonly #captures = new Recent<readonly CaptureRow[]>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** The requests of a run, without those for summaries. */
  ofRun(runId: string): Promise<readonly CaptureRow[]> {
    return this.#captures.get(runId, () =>
      this.#store.select('captures', { where: { runId, call: { gt: FRAME_CALL } }, orderBy: [['call', 'asc']] }),
    );
  }

  /** Undefined when a part of the request is not stored any more. */
  pieces({ runId, call }: Pick<CaptureRow, 'runId' | 'call'>): Promise<readonly PromptText[] | undefined> {
    return this.#pieces.get(`${runId} ${call}`, async () => {
      const kept = await readCapture(this.#store, runId, call);
      return kept?.body === undefined ? undefined : readPromptTexts(kept.body);
    });
  }

  /** The request with what was recorded about it; undefined when the request itself is not stored any more. */
  async known({ runId, call }: Pick<CaptureRow, 'runId' | 'call'>): Promise<KnownRequest | undefined> {
    const pieces = await this.pieces({ runId, call });
    if (!pieces) return undefined;
    const kept = await readCapture(this.#store, runId, FRAME_CALL);
    if (kept?.body === undefined) return { pieces, spans: [] };
    const frame = JSON.parse(kept.body) as RequestFrame;
    const captures = (await this.ofRun(runId)).filter((capture) => capture.call <= call);
    return { pieces, frame, spans: spansOfRequest(frame, captures) };
  }

  /** The request before this one in its session, whatever the model. */
  async predecessor(request: SentRequest): Promise<Earlier | undefined> {
    for await (const earlier of this.#inSession(request)) return earlier;
    return undefined;
  }

  /** The latest request to the same model of which this one can have a beginning in common. */
  async before(request: SentRequest): Promise<Earlier | undefined> {
    for await (const earlier of this.#inSession(request)) if (isSameModel(earlier, request)) return earlier;
    return this.#ofAgent(request);
  }

  /** The latest first. */
  async *#inSession({ run, capture }: SentRequest): AsyncGenerator<Earlier> {
    const own = (await this.ofRun(run.runId)).filter(({ call }) => call < capture.call);
    for (const each of own.toReversed()) yield { kind: 'call', run, capture: each };
    // Runs of a session come one after the other, so no two begin at the same moment.
    const { sessionKey, sessionId, startedAt } = run;
    const runs = await this.#store.select('runs', {
      where: { sessionKey, sessionId, startedAt: { lt: startedAt } },
      orderBy: [['startedAt', 'desc']],
      limit: MOST_RUNS_BACK,
    });
    for (const earlier of runs) {
      const sent = await this.ofRun(earlier.runId);
      for (const each of sent.toReversed()) yield { kind: 'run', run: earlier, capture: each };
    }
  }

  async #ofAgent({ run, capture }: SentRequest): Promise<Earlier | undefined> {
    const { provider, model, at } = capture;
    const latest = await this.#store.select('captures', {
      where: { provider, model, at: { lte: at }, call: { gt: FRAME_CALL } },
      orderBy: [['at', 'desc']],
      limit: MOST_REQUESTS_BACK,
    });
    const ids = [...new Set(latest.map(({ runId }) => runId))];
    const runs = await this.#store.select('runs', { where: { runId: { in: ids }, agentId: run.agentId } });
    const kind = kindOfSession(run.sessionKey);
    const fitting = new Map(
      runs
        .filter((each) => each.sessionId !== run.sessionId && kindOfSession(each.sessionKey) === kind)
        .map((each) => [each.runId, each]),
    );
    const found = latest.find(({ runId }) => fitting.has(runId));
    const earlier = found && fitting.get(found.runId);
    return found && earlier && { kind: 'agent', run: earlier, capture: found };
  }
}

/** Far enough for a session that changes between models. */
const MOST_RUNS_BACK = 20;
const MOST_REQUESTS_BACK = 100;

export function isSameModel({ capture: a }: SentRequest, { capture: b }: SentRequest): boolean {
  return a.provider === b.provider && a.model === b.model;
}

/** Sessions of different kinds read different files, so their prompts differ on purpose. */
function kindOfSession(sessionKey: string): 'subagent' | 'cron' | 'shared' | 'private' {
  if (isSubagentSessionKey(sessionKey)) return 'subagent';
  if (isCronSessionKey(sessionKey)) return 'cron';
  return isSharedSurfaceSessionKey(sessionKey) ? 'shared' : 'private';
}

/** How the request was written down; undefined for requests of older versions. */
export function sentFacts({ envelope }: CaptureRow): SentFacts | undefined {
  const { sent } = envelope;
  return typeof sent === 'object' && sent !== null ? (sent as unknown as SentFacts) : undefined;
}

/** The values that were asked for last. */
class Recent<Value> {
  readonly #values = new Map<string, Promise<Value>>();

  get(key: string, make: () => Promise<Value>): Promise<Value> {
    const value = this.#values.get(key) ?? make();
    this.#values.delete(key);
    this.#values.set(key, value);
    const [oldest] = this.#values.keys();
    if (this.#values.size > MOST_REMEMBERED && oldest !== undefined) this.#values.delete(oldest);
    return value;
  }
}

const MOST_REMEMBERED = 64;
