// Leaves out the files that this kind of run has no use for: first-run guidance once the first run is over, the
// heartbeat checklist when heartbeats are off. It runs before the handlers and again after them.

import { join } from 'node:path';
import type { Absence, CompositionState, ContextFile, Stage } from '../composition.ts';
import { isHeartbeat } from '../situation.ts';
import { belongsInFirstRun } from '../workspace/bootstrap-mode.ts';

export const selectFiles: Stage = {
  name: 'select',
  summary: 'leave out what this kind of run has no use for',
  run(state: CompositionState): CompositionState {
    const kept: ContextFile[] = [];
    const absences: Absence[] = [];
    for (const file of state.files) {
      const objection = objectionTo(file, state);
      if (!objection) kept.push(file);
      else if (!file.missing) absences.push({ what: file.name, path: file.path, text: file.content, ...objection });
    }
    if (kept.length === state.files.length) return state;
    return { ...state, files: kept, absences: [...state.absences, ...absences] };
  },
};

type Objection = Pick<Absence, 'reason' | 'detail'>;

/** Why a run has no use for first-run guidance; undefined when it has. */
export function objectionToFirstRun({
  input,
  firstRunComplete,
}: Pick<CompositionState, 'input' | 'firstRunComplete'>): FirstRunObjection | undefined {
  if (firstRunComplete) return { reason: 'disabled', detail: 'the first run is complete' };
  if (belongsInFirstRun({ ...input.situation, status: 'pending' })) return undefined;
  return { reason: 'filtered-session', detail: 'first-run guidance is for a person who meets the agent itself' };
}

interface FirstRunObjection {
  readonly reason: 'disabled' | 'filtered-session';
  readonly detail: string;
}

function objectionTo(file: ContextFile, state: CompositionState): Objection | undefined {
  const { input, handlers } = state;
  const { policy, situation, taxonomy, workspaceDir } = input;
  const beforeHandlers = handlers.length === 0;
  if (policy.contextMode === 'none' && beforeHandlers)
    return { reason: 'disabled', detail: 'context injection is off' };
  if (
    policy.contextMode === 'lightweight' &&
    beforeHandlers &&
    !(isHeartbeat(situation) && file.name === 'HEARTBEAT.md')
  ) {
    return { reason: 'disabled', detail: 'this run is lightweight' };
  }
  const known = taxonomy.files.find((candidate) => candidate.name === file.name);
  // Only the workspace's own first-run file is meant; a handler may bring another of the same name.
  if (known?.firstRun && file.path === join(workspaceDir, file.name)) {
    const objection = objectionToFirstRun(state);
    if (objection) return objection;
  }
  if (known?.dynamic && file.name === 'HEARTBEAT.md' && !policy.heartbeatGuidance && !isHeartbeat(situation)) {
    return { reason: 'disabled', detail: 'heartbeats are switched off' };
  }
  return undefined;
}
