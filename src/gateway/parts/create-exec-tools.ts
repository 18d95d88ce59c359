// `exec` and `process` for the agents of one configuration. Building them starts nothing and writes nothing.

import { join } from 'node:path';
import { listAgentIds } from '../../config/agents.ts';
import type { Environment } from '../../config/environment.ts';
import { withExecApprovals } from '../../config/exec-approvals.ts';
import type { Config } from '../../config/schema.ts';
import { execSettingsOf } from '../../config/tool-settings.ts';
import type { SessionSight } from '../../sessions/session-visibility.ts';
import { lineageOf } from '../../store/lineage-of.ts';
import type { Store } from '../../store/store.ts';
import { BackgroundProcesses } from '../../tools/exec/background-processes.ts';
import { createExecTool } from '../../tools/exec/exec.ts';
import { execEnvironment } from '../../tools/exec/exec-environment.ts';
import { problemOfRule } from '../../tools/exec/match-allow-rule.ts';
import { createProcessTool } from '../../tools/exec/process.ts';
import type { Tool } from '../../tools/tool.ts';

export interface ExecToolsOptions {
  readonly environment: Environment;
  readonly config: Config;
  readonly store: Store;
  readonly sight: SessionSight;
  /** The name of this node, where several share the store. */
  readonly node?: string | undefined;
  readonly now: () => number;
  readonly warn: (sentence: string) => void;
}

export interface ExecTools {
  readonly tools: readonly Tool[];
  /** The gateway opens and closes them; a preview does not. */
  readonly processes: BackgroundProcesses;
  /** What the operator configured but cannot work, one sentence each. */
  readonly problems: () => readonly string[];
}

export function createExecTools(options: ExecToolsOptions): ExecTools {
  const { environment, config, store, sight, node, now, warn } = options;
  const { stateDir, variables, home } = environment;
  const processes = new BackgroundProcesses({ store, dir: join(stateDir, 'atrium', 'exec'), node, now, warn });
  const policyOf = (agentId: string) => withExecApprovals(execSettingsOf(config, agentId), home, agentId);
  const agentsAbove = async (sessionKey: string) =>
    (await lineageOf(store, sessionKey)).map(({ parentAgentId }) => parentAgentId);
  const exec = createExecTool({ store, processes, policyOf, agentsAbove, variables, now, home });
  const process = createProcessTool({ processes, now, sight });
  return { tools: [exec, process], processes, problems: () => [...new Set(problemsOf(config, variables))] };
}

function problemsOf(config: Config, variables: Environment['variables']): readonly string[] {
  return listAgentIds(config).flatMap((agentId) => {
    const { allow, env } = execSettingsOf(config, agentId);
    const rules = allow.flatMap((rule) => {
      const problem = problemOfRule(rule);
      return problem === undefined
        ? []
        : [`The rule ${JSON.stringify(rule)} of tools.exec.allow allows nothing: ${problem}.`];
    });
    const { refused } = execEnvironment(variables, env);
    const names = refused.map(
      (name) =>
        `No command is given ${JSON.stringify(name)} of tools.exec.env: it can make programs run something else.`,
    );
    return [...rules, ...names];
  });
}
