// The calls that runs have handed to their API clients, and the results that clients bring. All results of a step are
// stored in one commit with the trigger that wakes their run, so a result resumes its run once, whatever is sent twice.
// Errors: `give` rejects with ClientCallUnknownError, ClientResultMissingError, ClientResultChangedError,
// ClientToolsChangedError or AnswerWishError. Nothing is stored then, and the run waits as before.

import { createHash } from 'node:crypto';
import type { WishingClient } from '../../agent/check-client-wishes.ts';
import type { Tell } from '../../facts/facts.ts';
import { parseClientCallId } from '../../protocol/client-call-id.ts';
import { PreconditionFailedError } from '../../store/errors.ts';
import type { Store, Write } from '../../store/store.ts';
import type { ClientRequest, HandedCall, InboxRow, WaitRow } from '../../store/tables.ts';
import { wakeRun } from '../../store/wake-run.ts';
import {
  ClientCallUnknownError,
  ClientResultChangedError,
  ClientResultMissingError,
  ClientToolsChangedError,
} from '../errors.ts';

export interface ClientCallsParts {
  readonly store: Store;
  readonly wakeLane: (sessionKey: string) => void;
  readonly tell: Tell;
  /** Rejects with AnswerWishError when the model of the run cannot be told what the client wishes now. */
  readonly checkWishes: (client: WishingClient) => Promise<void>;
  readonly now: () => number;
}

export interface GivenResult {
  /** The id under which the call was handed out. */
  readonly id: string;
  readonly content: string;
}

/** The run that goes on; `isNew` is false when it had these results already. */
export interface ResumedRun {
  readonly runId: string;
  readonly sessionKey: string;
  readonly isNew: boolean;
}

export class ClientCalls {
  readonly #parts: ClientCallsParts;

  constructor(parts: ClientCallsParts) {
    this.#parts = parts;
  }

  /** Hands the results to their run. `client` is what the client asks for from now on. */
  async give(results: readonly GivenResult[], agentId: string, client: ClientRequest): Promise<ResumedRun> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#giveNow(results, agentId, client);
      } catch (error) {
        // The same results came twice at once, or the run was stopped meanwhile: look again.
        if (!(error instanceof PreconditionFailedError) || tries === MOST_TRIES) throw error;
      }
    }
  }

  async #giveNow(results: readonly GivenResult[], agentId: string, client: ClientRequest): Promise<ResumedRun> {
    const { store, now, tell, wakeLane } = this.#parts;
    const { runId, origin } = await this.#runOf(results, agentId);
    const { sessionKey } = origin;
    const known = new Set(origin.payload?.client?.tools?.map(({ name }) => name));
    const added = client.tools?.find(({ name }) => !known.has(name));
    if (added) throw new ClientToolsChangedError({ tool: added.name, runId });
    await refuseChanged(store, runId, results);
    const waiting = await waitingRows(store, runId);
    const given = waiting.flatMap((row) => {
      const result = results.findLast(({ id }) => id === row.handed?.id);
      return result ? [{ row, result }] : [];
    });
    if (given.length === 0) return { runId, sessionKey, isNew: false };
    const missing = waiting.flatMap(({ handed }) =>
      handed && !results.some(({ id }) => id === handed.id) ? [handed.id] : [],
    );
    if (missing.length > 0) throw new ClientResultMissingError({ calls: missing });
    await this.#parts.checkWishes({ agentId, sessionKey, client, isUnderWay: true });
    const waking = await wakeRun(store, runId, {
      kind: 'client',
      fingerprint: fingerprintOf(given.map(({ result }) => result)),
      dedupeKey: JSON.stringify(['client', runId, given[0]?.row.place]),
      // The client knows the ids of its calls and can ask again, so the run does not end with this process.
      renew: ({ inbound: { isAwaited: _, ...inbound }, ...payload }) => ({
        payload: { ...payload, inbound, client },
        acceptedAt: now(),
      }),
    });
    const writes = given.map(
      ({ row: { place }, result: { content } }): Write => ({
        update: 'waits',
        where: { runId, place, status: 'waiting' },
        set: { status: 'over', given: { content } },
        expect: 1,
      }),
    );
    await store.commit([...writes, ...waking], { site: 'client-result', waits: true });
    for (const { row } of given) {
      const { toolCallId } = row;
      void tell('wait-ended', { runId, sessionKey, toolCallId, outcome: 'over' });
    }
    wakeLane(sessionKey);
    return { runId, sessionKey, isNew: true };
  }

  async #runOf(
    results: readonly GivenResult[],
    agentId: string,
  ): Promise<{ readonly runId: string; readonly origin: InboxRow }> {
    const runs = new Set(results.map(({ id }) => parseClientCallId(id)?.runId));
    const [runId] = runs;
    const [origin] =
      runId === undefined
        ? []
        : await this.#parts.store.select('inbox', { where: { runId }, orderBy: [['seq', 'asc']], limit: 1 });
    if (runs.size !== 1 || runId === undefined || !origin || (origin.payload?.agentId ?? agentId) !== agentId)
      throw new ClientCallUnknownError({ call: results[0]?.id.slice(0, 100) ?? '' });
    return { runId, origin };
  }
}

/** The calls that the run has handed to its client and that have no result yet, in the order of the calls. */
export async function handedCalls(store: Store, runId: string): Promise<readonly HandedCall[]> {
  return (await waitingRows(store, runId)).flatMap(({ handed }) => handed ?? []);
}

/** The answer to other results would be the answer to the first ones, and the client could not see that. */
async function refuseChanged(store: Store, runId: string, results: readonly GivenResult[]): Promise<void> {
  const taken = await store.select('inbox', { where: { runId, kind: 'client' } });
  const hashes = Object.assign({}, ...taken.map(({ fingerprint }) => JSON.parse(fingerprint ?? '{}'))) as object;
  const before = new Map(Object.entries(hashes));
  for (const [id, { content }] of new Map(results.map((result) => [result.id, result]))) {
    const hash = before.get(id);
    if (hash !== undefined && hash !== hashOf(content))
      throw new ClientResultChangedError({ call: id.slice(0, 100), runId });
  }
}

/** What is left of the results when the run is over: a hash of each, by the id of its call. */
function fingerprintOf(results: readonly GivenResult[]): string {
  return JSON.stringify(Object.fromEntries(results.map(({ id, content }) => [id, hashOf(content)])));
}

function hashOf(content: string): string {
  return createHash('sha256').update(content).digest('base64url');
}

async function waitingRows(store: Store, runId: string): Promise<readonly WaitRow[]> {
  const rows = await store.select('waits', { where: { runId, status: 'waiting' } });
  return rows.filter(({ handed }) => handed).sort((a, b) => indexOf(a) - indexOf(b));
}

function indexOf({ place }: WaitRow): number {
  return Number(place.split('.')[1]);
}

const MOST_TRIES = 20;
