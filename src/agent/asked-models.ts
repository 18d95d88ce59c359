// The models that a run asks for by name: the one that its trigger names, else the one that a person chose for the session,
// else those of the call that spawned it. They stand before the agent's own models, which answer when an asked one cannot
// be used.

import type { Inbound } from '../protocol/inbound.ts';
import { sessionModelOf } from '../sessions/session-model.ts';
import type { ChildRow, SessionRow } from '../store/tables.ts';

export function askedModels(run: {
  readonly child?: ChildRow | undefined;
  readonly inbound: Pick<Inbound, 'wishes'>;
  readonly session: Pick<SessionRow, 'state'>;
}): readonly string[] | undefined {
  const wished = run.inbound.wishes?.model ?? sessionModelOf(run.session);
  return wished === undefined ? run.child?.models : [wished];
}
