// A persistent API client: it asks with an idempotency key, and asks again with the same key until it has an answer,
// even if the gateway dies several times.

import { setTimeout as sleep } from 'node:timers/promises';
import type { GatewayProcess } from './gateway-process.ts';

export interface ApiAnswer {
  readonly status: number;
  /** The answer, or a sentence that says why there is none. */
  readonly text: string;
  readonly runId: string | undefined;
}

const PAUSE_MS = 25;
/** A request to a process that was just killed may never get an answer; asking again is safe. */
const LONGEST_WAIT_MS = 10_000;

export async function askOverApi(
  gateway: GatewayProcess,
  message: { readonly text: string; readonly user: string; readonly key: string },
  patienceMs = 30_000,
): Promise<ApiAnswer> {
  for (const deadline = Date.now() + patienceMs; Date.now() < deadline; await sleep(PAUSE_MS)) {
    const answer = await askOnce(gateway, message);
    // With 503 the gateway says "not now": it is stopping, or its store refuses.
    if (answer && answer.status !== 503) return answer;
  }
  throw new Error(`The API gave no answer to ${JSON.stringify(message.text)}.`);
}

/** Returns undefined when the connection broke, which says nothing about the message. */
export async function askOnce(
  gateway: GatewayProcess,
  { text, user, key }: { readonly text: string; readonly user: string; readonly key: string },
): Promise<ApiAnswer | undefined> {
  try {
    const response = await gateway.fetch('/v1/chat/completions', {
      body: { model: 'atrium', user, messages: [{ role: 'user', content: text }] },
      headers: { 'idempotency-key': key },
      signal: AbortSignal.timeout(LONGEST_WAIT_MS),
    });
    const body = (await response.json()) as {
      choices?: { message: { content: string } }[];
      error?: { message: string };
    };
    return {
      status: response.status,
      text: body.choices?.[0]?.message.content ?? body.error?.message ?? '',
      runId: response.headers.get('x-atrium-run-id') ?? undefined,
    };
  } catch (error) {
    const isTimeout = error instanceof DOMException && error.name === 'TimeoutError';
    if (isTimeout || error instanceof TypeError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
