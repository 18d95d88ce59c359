// Replays many runs, one after the other, and says of each what became of its prompt, its tokens and its cost. Runs are read
// page by page, and nothing of a run is kept, so the memory does not grow with their number.

import { tokensOfFrame, tokensOfMessage } from '../../../agent/compaction/request-size.ts';
import type { ReplayedRequest } from '../../../agent/replay-request.ts';
import { costOf } from '../../../models/cost-of.ts';
import type { ModelRequest } from '../../../models/model.ts';
import { isAtriumError, ReplayInputGoneError } from '../../../protocol/errors.ts';
import type { ModelPrices } from '../../../protocol/model-prices.ts';
import { NO_USAGE } from '../../../protocol/usage.ts';
import type { Store } from '../../../store/store.ts';
import type { RunRow } from '../../../store/tables.ts';
import { runsSince } from '../runs-since.ts';
import { type AskedChanges, isUnchanged, unknownFiles, unknownNames } from './replay-changes.ts';
import { replayRun } from './replay-run.ts';

export interface AskedRuns {
  readonly since: number;
  readonly sessionKey?: string | undefined;
  readonly changes: AskedChanges;
  /** Undefined where the prices of a model are not known. */
  readonly pricesOf: (provider: string, model: string) => Promise<ModelPrices | undefined>;
}

export type ReplayVerdict =
  /** Every request has the bytes that were sent. */
  | 'same'
  /** The asked changes give other bytes. */
  | 'changed'
  /** Without any change the bytes are others: a fault, or another version of the serialiser. */
  | 'differs'
  /** An input is not stored any more, or no model was asked. */
  | 'gone'
  /** With the asked changes, the run could not have started. */
  | 'refused';

export interface ReplayedRun {
  readonly runId: string;
  readonly sessionKey: string;
  readonly agentId: string;
  readonly startedAt: number;
  readonly verdict: ReplayVerdict;
  /** Which input is gone, or why the run could not have started. */
  readonly reason?: string | undefined;
  /** The sizes of all its requests together. Undefined when it was not replayed. */
  readonly sizes?: { readonly before: PromptSize; readonly after: PromptSize } | undefined;
  /** What could not be done again, one sentence each. */
  readonly notes: readonly string[];
  /** The asked authors and files that this run does not have. */
  readonly unknown: readonly string[];
}

export interface PromptSize {
  /** Estimated. */
  readonly tokens: number;
  /** What these tokens cost as fresh input; undefined when a price is not known. */
  readonly cost: number | undefined;
  /** How many characters of files were cut from the prompt to fit. */
  readonly cutChars: number;
}

export function countRuns(
  store: Store,
  { since, sessionKey }: Pick<AskedRuns, 'since' | 'sessionKey'>,
): Promise<number> {
  return store.count('runs', { startedAt: { gte: since }, ...(sessionKey === undefined ? {} : { sessionKey }) });
}

export async function* replayRuns(store: Store, asked: AskedRuns): AsyncGenerator<ReplayedRun> {
  for await (const run of runsSince(store, asked)) yield await replayOne(store, run, asked);
}

async function replayOne(store: Store, run: RunRow, { changes, pricesOf }: AskedRuns): Promise<ReplayedRun> {
  const { runId, sessionKey, agentId, startedAt } = run;
  const told = { runId, sessionKey, agentId, startedAt };
  try {
    const { calls, recorded } = await replayRun(store, runId, changes);
    const isFaithful = calls.every((each) => each.isFaithful);
    const isSame = calls.every((each) => each.isSame);
    const priced = await Promise.all(
      calls.map(async (call) => {
        const { provider, model } = call.recorded.capture;
        return { ...call, prices: await pricesOf(provider, model) };
      }),
    );
    const measure = (side: 'before' | 'after') =>
      priced.map(({ prices, ...call }) => sizeOf(call[side], prices)).reduce(addSizes);
    return {
      ...told,
      verdict: !isFaithful ? 'differs' : isSame ? 'same' : 'changed',
      sizes: { before: measure('before'), after: measure('after') },
      notes: [...new Set(calls.flatMap(({ after }) => after.notes))],
      unknown: [
        ...unknownNames(changes.without, recorded.frame),
        ...unknownFiles(changes.files.keys(), recorded.frame),
      ],
    };
  } catch (error) {
    if (!isAtriumError(error)) throw error;
    if (error instanceof ReplayInputGoneError) return { ...told, verdict: 'gone', reason: error.message, ...NOTHING };
    if (isUnchanged(changes)) throw error;
    return { ...told, verdict: 'refused', reason: error.message, ...NOTHING };
  }
}

const NOTHING = { notes: [], unknown: [] } as const;

function sizeOf({ request, composition }: ReplayedRequest, prices: ModelPrices | undefined): PromptSize {
  const tokens = tokensOfRequest(request);
  const cutChars = composition.report.cuts.reduce((sum, { chars }) => sum + chars, 0);
  return { tokens, cost: costOf({ ...NO_USAGE, input: tokens }, prices), cutChars };
}

export function tokensOfRequest(request: ModelRequest): number {
  return request.messages.reduce((sum, message) => sum + tokensOfMessage(message), tokensOfFrame(request));
}

/** The system prompt is the same in every request of a run, so its cuts count once. */
function addSizes(sum: PromptSize, each: PromptSize): PromptSize {
  const cost = sum.cost === undefined || each.cost === undefined ? undefined : sum.cost + each.cost;
  return { tokens: sum.tokens + each.tokens, cost, cutChars: sum.cutChars };
}
