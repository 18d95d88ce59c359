// Creates a workspace for programs, with defaults filled in.

import { resolveUserPath } from '../config/user-path.ts';
import { type AgentWorkspace, ensureAgentWorkspace as ensure } from '../context/workspace/ensure-workspace.ts';

export type EnsureWorkspaceOptions = Omit<Parameters<typeof ensure>[0], 'dir' | 'now'> & {
  readonly dir: string;
  readonly now?: Date;
};

/** Creates the directory and writes the templates that are missing; never overwrites. */
export function ensureAgentWorkspace(options: EnsureWorkspaceOptions): Promise<AgentWorkspace> {
  return ensure({ now: new Date(), ...options, dir: resolveUserPath(options.dir) });
}
