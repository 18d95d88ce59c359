// Suite workspace-dir: where an agent's workspace and state are, given a configuration and environment variables. The
// home of the cases is a scratch directory in which the state directory exists, as it did when they were recorded.

import { resolveAgentWorkspaceDir, resolveDefaultAgentWorkspaceDir } from '../../src/config/agent-workspace.ts';
import { listAgentIds, resolveAgentDir, resolveDefaultAgentId } from '../../src/config/agents.ts';
import { applyCliProfileEnv } from '../../src/config/cli-profile.ts';
import type { EnvironmentVariables } from '../../src/config/home-dir.ts';
import type { Config } from '../../src/config/schema.ts';
import { resolveStateDir } from '../../src/config/state-dir.ts';
import type { SuiteAdapter } from '../adapter.ts';
import { withScratchTree } from '../scratch-tree.ts';

export const workspaceDir: SuiteAdapter = {
  resolveAgentWorkspaceDir: (input) =>
    inScratchHome(input as AgentInput, ({ cfg, agentId, env }) => ({
      workspaceDir: resolveAgentWorkspaceDir(cfg, agentId, env),
      agentDir: resolveAgentDir(cfg, agentId, env),
      defaultAgentId: resolveDefaultAgentId(cfg),
      agentIds: listAgentIds(cfg),
      stateDir: resolveStateDir(env),
    })),
  applyCliProfileEnv: (input) =>
    inScratchHome(input as ProfileInput, (given) => {
      const env = applyCliProfileEnv(given.profile, given.env);
      return {
        env,
        defaultWorkspace: resolveDefaultAgentWorkspaceDir(env),
        otherAgentWorkspace: resolveAgentWorkspaceDir({}, 'work', env),
      };
    }),
};

interface AgentInput {
  readonly cfg: Config;
  readonly agentId: string;
  readonly env: EnvironmentVariables;
}

interface ProfileInput {
  readonly profile: string;
  readonly env: EnvironmentVariables;
}

function inScratchHome<Input>(input: Input, resolve: (input: Input) => unknown): Promise<unknown> {
  return withScratchTree({ $HOME: 'home', $CWD: process.cwd() }, async (scratch) => {
    await scratch.write(scratch.path('$HOME'), { '.openclaw': { dir: true } });
    return scratch.toPlaceholders(resolve(scratch.toReal(input)));
  });
}
