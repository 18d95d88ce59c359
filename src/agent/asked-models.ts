// The models that a run asks for by name: those of the call that spawned it, or the one that its trigger names. They stand
// before the agent's own models, which answer when an asked one cannot be used.

import type { Inbound } from '../protocol/inbound.ts';
import type { ChildRow } from '../store/tables.ts';

export function askedModels(run: {
  readonly child?: ChildRow | undefined;
  readonly inbound: Pick<Inbound, 'wishes'>;
}): readonly string[] | undefined {
  const wished = run.inbound.wishes?.model;
  return wished === undefined ? run.child?.models : [wished];
}
