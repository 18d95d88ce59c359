// `atrium agents init`: creates a workspace and the files that are missing in it, or ends its first run. Needs no
// network and no model key, and never changes a file that exists.

import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { resolveAgentConfig, resolveAgentDefaults } from '../../config/agents.ts';
import { loadConfig } from '../../config/load-config.ts';
import { type SeededWorkspace, seedWorkspace } from '../../context/workspace/ensure-workspace.ts';
import { completeFirstRun, loadFirstRunStatus } from '../../context/workspace/workspace-state.ts';
import { type Answer, command } from '../command.ts';
import { CONFIG_OPTION } from '../common-options.ts';
import { type ResolvedAgent, resolveAgent } from './resolve-agent.ts';

export const agentsInit = command({
  path: 'agents init',
  summary: 'create the workspace of an agent and the files that are missing in it; never overwrites',
  args: { '[id]': 'the agent (default: the configured default agent)' },
  options: { '--done': 'end the first run instead: BOOTSTRAP.md is then no longer shown', ...CONFIG_OPTION },
  examples: [
    'agents init           the workspace of the default agent',
    'agents init ops       of another agent',
    'agents init --done    the first run is over',
  ],
  async run({ id, done, config: configPath }, { io }) {
    const { config } = await loadConfig({ environment: io.environment, configPath });
    const agent = resolveAgent(config, io.environment, id);
    if (done) return endFirstRun(agent, io.now());
    const own = resolveAgentConfig(config, agent.agentId)?.skipBootstrap;
    const isSkipped = (own ?? resolveAgentDefaults(config).skipBootstrap) === true;
    const outcome = await initWorkspace(agent, isSkipped, io.now());
    return { json: { agent: agent.agentId, ...outcome }, text: formatOutcome(agent, outcome) };
  },
});

export interface InitOutcome extends SeededWorkspace {
  readonly kept: readonly string[];
  /** True when the configuration says that no files are to be created. */
  readonly skipped: boolean;
}

export async function initWorkspace(agent: ResolvedAgent, isSkipped: boolean, now: Date): Promise<InitOutcome> {
  const { taxonomy } = agent;
  const seeded = await seedWorkspace({
    dir: agent.workspaceDir,
    now,
    taxonomy,
    ensureBootstrapFiles: !isSkipped,
  });
  const kept: string[] = [];
  for (const { name } of taxonomy.files) {
    if (!seeded.created.includes(name) && (await exists(join(seeded.dir, name)))) kept.push(name);
  }
  return { ...seeded, kept, skipped: isSkipped };
}

export function formatOutcome(agent: ResolvedAgent, outcome: InitOutcome): string {
  const lines = [`Workspace of the agent "${agent.agentId}": ${outcome.dir}`];
  for (const { name } of agent.taxonomy.files) {
    if (outcome.created.includes(name)) lines.push(`  created  ${name}`);
    if (outcome.kept.includes(name)) lines.push(`  kept     ${name}`);
  }
  if (outcome.skipped) lines.push('  No files were created, because skipBootstrap is set in the configuration.');
  const argument = agent.isDefault ? '' : ` ${agent.agentId}`;
  lines.push(
    outcome.firstRun === 'pending'
      ? `The first run is pending: the agent reads BOOTSTRAP.md until it deletes it, or until "atrium agents init${argument} --done".`
      : 'The first run is complete.',
  );
  return `${lines.join('\n')}\n`;
}

async function endFirstRun({ agentId, workspaceDir }: ResolvedAgent, now: Date): Promise<Answer> {
  const before = await loadFirstRunStatus(workspaceDir);
  const { setupCompletedAt } = await completeFirstRun(workspaceDir, now);
  return {
    json: { agent: agentId, dir: workspaceDir, firstRun: 'complete', setupCompletedAt },
    text:
      before === 'complete'
        ? `The first run of the agent "${agentId}" was complete already.\n`
        : `The first run of the agent "${agentId}" is complete. BOOTSTRAP.md stays in ${workspaceDir} and is no longer shown.\n`,
  };
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
