// Finds mistakes in the tool settings of the configuration: names that no tool has, rules that allow nothing. It reads
// only the configuration and opens or starts nothing.

import type { Environment } from '../config/environment.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import { HookRunner } from '../hooks/runner.ts';
import { emptyStore } from './composer/empty-store.ts';
import { createDraftParts } from './parts/create-draft-parts.ts';

export function listToolProblems(environment: Environment, loaded: LoadedConfig): readonly string[] {
  const now = Date.now;
  const store = emptyStore(environment.stateDir);
  const { exec, toolWarnings } = createDraftParts({ environment, loaded, store, hooks: new HookRunner({ now }), now });
  return [...exec.problems(), ...toolWarnings()];
}
