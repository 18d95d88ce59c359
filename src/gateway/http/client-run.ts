// A request of an API client becomes a run, or lets the run go on that waits for its results. A run belongs to its client:
// when the client disconnects, the run is stopped, unless an idempotency key says that the client will ask again.

import { setTimeout } from 'node:timers/promises';
import { parseClientCallId } from '../../protocol/client-call-id.ts';
import type { HandedCall } from '../../store/tables.ts';
import type { KnownEnd } from '../services/awaited-ends.ts';
import { handedCalls } from '../services/client-calls.ts';
import { type ClientTurn, readClientTurn } from '../services/client-turns.ts';
import type { Services } from '../services/services.ts';
import { bringFiles, givenFiles } from './bring-files.ts';
import type { ChatRequest } from './chat-request.ts';
import { type ErrorAnswer, errorBody } from './error-answer.ts';
import { JsonReply } from './json-reply.ts';
import { findReceived, receiveOnce } from './receive-once.ts';
import type { RunFollower } from './run-follower.ts';

export interface ClientRun {
  readonly runId: string;
  readonly sessionKey: string;
  /** False when the client asked for it before; then it gets the answer in one piece. */
  readonly isNew: boolean;
  /** The message was accepted just now, and nothing else was waited for since. */
  readonly isJustBegun: boolean;
}

export async function beginClientRun(
  services: Services,
  request: ChatRequest,
  {
    at,
    signal,
    isKept = request.idempotencyKey !== undefined,
  }: { readonly at: number; readonly signal: AbortSignal; readonly isKept?: boolean | undefined },
): Promise<ClientRun> {
  if (request.results) {
    const resumed = await services.clientCalls.give(request.results, request.agentId, request.client);
    return { ...resumed, isJustBegun: false };
  }
  const { seed: _, results: __, passedOver, ...said } = request;
  const message = {
    ...said,
    at,
    user: request.user ?? request.sessionKey,
    isAwaited: !isKept,
    given: givenFiles(request),
  };
  const earlier = message.given === undefined ? undefined : await findReceived(services, message);
  const accepted =
    earlier ?? (await receiveOnce(services, { ...message, ...(await bringFiles(services, request, signal)) }));
  const isNew = accepted.outcome === 'accepted';
  if (isNew) await leaveBehind(services, passedOver);
  const { runId, sessionKey } = accepted;
  return { runId, sessionKey, isNew, isJustBegun: isNew && passedOver.length === 0 };
}

/** A new message instead of the results stops the run that waits for them, also when the client names no session. */
async function leaveBehind({ store, runs }: Services, passedOver: readonly string[]): Promise<void> {
  for (const runId of new Set(passedOver.map((id) => parseClientCallId(id)?.runId))) {
    if (runId === undefined || (await handedCalls(store, runId)).length === 0) continue;
    await runs.stop(runId, 'a new message came instead of the result of the client’s tool');
  }
}

/** How the run stands at the end of a turn: over, or with calls for the client. */
export interface EndedTurn {
  readonly run: KnownEnd;
  readonly calls: readonly HandedCall[];
  readonly usage: ClientTurn['usage'] | undefined;
}

/** Resolves when the run is over, or waits for its client. */
export async function endOfTurn(services: Services, run: ClientRun, signal: AbortSignal): Promise<EndedTurn> {
  const turned = await services.runs.turn(run.runId, signal, { isNew: run.isJustBegun });
  // Only a run with several turns must be counted by turns.
  const isWhole = turned.calls.length === 0 && run.isJustBegun;
  const turn = isWhole ? undefined : await readClientTurn(services.store, run.runId);
  return { ...turned, usage: turn?.usage };
}

/** The words beside calls leave the gateway only when no handler decides about what goes out. */
export function wordsBeside(services: Services, [first]: readonly HandedCall[]): string {
  return services.areAnswersJudged() ? '' : (first?.said ?? '');
}

export function stopWhenGone(services: Services, runId: string, gone: AbortSignal): void {
  const stop = () => void services.runs.stop(runId).catch(() => {});
  if (gone.aborted) stop();
  else gone.addEventListener('abort', stop, { once: true });
}

/** The client of a stream may leave in two ways: its connection ends, or it reads no further. */
export function leavingWith(signal: AbortSignal): AbortController {
  const client = new AbortController();
  const leave = () => client.abort();
  signal.addEventListener('abort', leave, { once: true });
  if (signal.aborted) leave();
  return client;
}

/**
 * The end of a turn that ends before it has begun to answer; undefined as soon as it has begun, or when that takes long. A
 * failure that is known so early gets a status of its own, because many clients read no errors out of a stream.
 */
export async function earlyEnd<End>(end: Promise<End>, follower: RunFollower, runId: string): Promise<End | undefined> {
  const waiting = new AbortController();
  const isLate = setTimeout(LONGEST_WITHOUT_HEADERS_MS, undefined, { signal: waiting.signal, ref: false });
  try {
    return await Promise.race([end, follower.begun(runId).then(() => undefined), isLate]);
  } finally {
    waiting.abort();
    isLate.catch(() => {});
  }
}

/** Then the stream is opened, so that no proxy takes the connection for dead. */
const LONGEST_WITHOUT_HEADERS_MS = 5_000;

/** A session key may contain characters that a header cannot. */
export function runHeaders({ runId, sessionKey }: ClientRun): Record<string, string> {
  const isPlain = /^[\x21-\x7e]+$/.test(sessionKey);
  return { 'x-atrium-run-id': runId, ...(isPlain && { 'x-openclaw-session-key': sessionKey }) };
}

/**
 * Clients repeat a request on such a status by themselves. The run's work must not be repeated without the person
 * knowing, so a header tells the client not to retry.
 */
export function failedAnswer(failure: ErrorAnswer, headers: Readonly<Record<string, string>>): JsonReply {
  return new JsonReply(errorBody(failure, true), {
    status: failure.status,
    headers: { ...headers, 'x-should-retry': 'false' },
  });
}

/** No client reads this status; it keeps a client that left from looking like an error. */
export const CLIENT_GONE_STATUS = 499;
