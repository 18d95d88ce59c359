// Whether the model that would answer an API client can be told what the client wishes, asked before anything is accepted.
// So a refusal leaves nothing behind: no run, and no results that were taken. It says nothing where a plugin may choose
// another model; the run itself refuses then.
// Errors: rejects with AnswerWishError. A model that cannot be used at all is the matter of the run.

import { AnswerWishError } from '../models/errors.ts';
import type { Model } from '../models/model.ts';
import { isAtriumError } from '../protocol/errors.ts';
import type { ClientRequest, SessionRow } from '../store/tables.ts';
import { modelsOfRun } from './asked-models.ts';
import { firstUsable } from './choose-model.ts';
import type { DraftParts } from './run-parts.ts';
import { findChild } from './subagents/find-child.ts';

export interface WishingClient {
  readonly agentId: string;
  readonly sessionKey: string;
  readonly client: Pick<ClientRequest, 'wishes' | 'tools'> | undefined;
  /** A run of the session waits, so the session does not begin anew. */
  readonly isUnderWay?: true | undefined;
}

export async function checkClientWishes(
  parts: Pick<DraftParts, 'models' | 'hooks' | 'store'>,
  { agentId, sessionKey, client, isUnderWay }: WishingClient,
): Promise<void> {
  const { models, hooks, store } = parts;
  if (!client?.wishes || hooks.has('before_model_resolve') || hooks.has('before_agent_start')) return;
  const [session = FRESH] = await store.select('sessions', { where: { sessionKey }, limit: 1 });
  const child = await findChild(store, sessionKey);
  // A session that has been quiet for long begins anew with this message, and then nobody has chosen a model for it.
  const situations = isUnderWay ? [session] : [session, FRESH];
  let refusal: AnswerWishError | undefined;
  for (const situation of situations) {
    const candidates = modelsOfRun(models, { agentId, child, inbound: {}, session: situation });
    const refused = refusalOf(await usableModel(parts, agentId, candidates), client);
    if (!refused) return;
    refusal ??= refused;
  }
  throw refusal;
}

const FRESH: Pick<SessionRow, 'state'> = { state: {} };

async function usableModel(...asked: Parameters<typeof firstUsable>): Promise<Model | undefined> {
  try {
    return (await firstUsable(...asked)).model;
  } catch (error) {
    if (isAtriumError(error)) return undefined;
    throw error;
  }
}

function refusalOf(
  model: Model | undefined,
  { wishes, tools = [] }: NonNullable<WishingClient['client']>,
): AnswerWishError | undefined {
  try {
    model?.checkWishes({ wishes, tools });
    return undefined;
  } catch (error) {
    if (error instanceof AnswerWishError) return error;
    throw error;
  }
}
