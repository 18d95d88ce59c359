// The models that a run is answered by, first choice first. A trigger that names a model, such as that of a job, puts it
// in the place of the agent's first choice: the fallbacks follow it, and the first choice is not asked. Without one, the
// model that a person chose for the session, or those of the call that spawned it, stand before the agent's own models,
// which answer when an asked one cannot be used. A model that a person chose is the one that answers: when it fails,
// nobody else is sent the conversation.

import type { Inbound } from '../protocol/inbound.ts';
import type { ModelRef } from '../protocol/model-ref.ts';
import { sessionModelOf } from '../sessions/session-model.ts';
import type { ChildRow, SessionRow } from '../store/tables.ts';
import type { ModelPort } from './run-parts.ts';

interface AskingRun {
  readonly agentId: string;
  readonly child?: ChildRow | undefined;
  readonly inbound: Pick<Inbound, 'wishes'>;
  readonly session: Pick<SessionRow, 'state'>;
}

export function modelsOfRun(models: Pick<ModelPort, 'candidates' | 'wished'>, run: AskingRun): readonly ModelRef[] {
  const { model, fallbacks } = run.inbound.wishes ?? {};
  const isWished = model !== undefined || (fallbacks !== undefined && sessionModelOf(run.session) === undefined);
  return isWished ? models.wished(run.agentId, { model, fallbacks }) : models.candidates(run.agentId, askedModels(run));
}

/** The names that stand before the agent's own models. */
export function askedModels(run: AskingRun): readonly string[] {
  if (run.inbound.wishes?.model !== undefined) return [];
  const chosen = sessionModelOf(run.session);
  return chosen === undefined ? (run.child?.models ?? []) : [chosen];
}

/** Whether a person chose this model for the session, and it is another one than the agent's own first choice. */
export function isChosenByPerson(models: Pick<ModelPort, 'candidates'>, run: AskingRun, ref: ModelRef): boolean {
  const chosen = run.inbound.wishes?.model === undefined ? sessionModelOf(run.session) : undefined;
  if (chosen === undefined) return false;
  const [first] = models.candidates(run.agentId, [chosen]);
  const [own] = models.candidates(run.agentId);
  return isSame(ref, first) && !isSame(ref, own);
}

function isSame(a: ModelRef, b: ModelRef | undefined): boolean {
  return a.provider === b?.provider && a.model === b.model;
}
