// The models that a run asks for by name: the one that its trigger names, else the one that a person chose for the session,
// else those of the call that spawned it. They stand before the agent's own models, which answer when an asked one cannot
// be used. A model that a person chose is the one that answers: when it fails, nobody else is sent the conversation.

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

export function askedModels(run: AskingRun): readonly string[] | undefined {
  const wished = run.inbound.wishes?.model ?? sessionModelOf(run.session);
  return wished === undefined ? run.child?.models : [wished];
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
