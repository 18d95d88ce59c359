// `atrium agents`: the agents of this home, their workspaces, and what is missing or wrong in those. It needs no
// network and no model key, and never changes a file that exists.

import { lstat, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { listAgentIds, resolveAgentConfig, resolveAgentDefaults } from '../../config/agents.ts';
import { resolveBootstrapLimits } from '../../config/bootstrap-limits.ts';
import type { Environment } from '../../config/environment.ts';
import { loadConfig } from '../../config/load-config.ts';
import type { Config } from '../../config/schema.ts';
import { resolveUserPath } from '../../config/user-path.ts';
import { CachedFileSource } from '../../context/sources/file-source.ts';
import { loadWorkspaceFiles } from '../../context/sources/workspace-files.ts';
import { type SeededWorkspace, seedWorkspace } from '../../context/workspace/ensure-workspace.ts';
import { validateWorkspace, type WorkspaceFinding } from '../../context/workspace/validate-workspace.ts';
import { completeFirstRun, loadFirstRunStatus } from '../../context/workspace/workspace-state.ts';
import { countOf } from '../../protocol/count-of.ts';
import { type Answer, command } from '../command.ts';
import { CONFIG_OPTION } from '../common-options.ts';
import { type Columns, formatTable } from '../output/format-table.ts';
import { oneLine } from '../output/text.ts';
import { warningLines } from '../output/warnings.ts';
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

export const agentsList = command({
  path: 'agents list',
  summary: 'list the agents with their workspaces',
  options: CONFIG_OPTION,
  examples: ['agents list', 'agents list --json    for programs'],
  async run({ config: configPath }, { io: { environment } }) {
    const loaded = await loadConfig({ environment, configPath });
    const ids = listAgentIds(loaded.config);
    const agents = await Promise.all(ids.map((id) => toRow(resolveAgent(loaded.config, environment, id))));
    return {
      json: { agents },
      text: (width) => formatTable(agents, COLUMNS, width),
      warnings: warningLines(loaded),
    };
  },
});

const COLUMNS: Columns<AgentRow> = {
  agent: (row) => row.id,
  default: (row) => (row.default ? 'yes' : '-'),
  files: (row) => row.taxonomy,
  'first run': (row) => row.firstRun ?? '-',
  workspace: (row) =>
    row.exists ? row.workspace : `${row.workspace} (not there: atrium agents init${row.default ? '' : ` ${row.id}`})`,
};

interface AgentRow {
  readonly id: string;
  readonly default: boolean;
  readonly taxonomy: string;
  readonly workspace: string;
  readonly exists: boolean;
  /** Absent where there is no workspace. */
  readonly firstRun?: 'pending' | 'complete';
}

async function toRow({ agentId, isDefault, taxonomy, workspaceDir }: ResolvedAgent): Promise<AgentRow> {
  const exists = await stat(workspaceDir).then(
    (entry) => entry.isDirectory(),
    () => false,
  );
  return {
    id: agentId,
    default: isDefault,
    taxonomy: taxonomy.id,
    workspace: workspaceDir,
    exists,
    ...(exists && { firstRun: await loadFirstRunStatus(workspaceDir) }),
  };
}

export const agentsValidate = command({
  path: 'agents validate',
  summary: 'say what is wrong with a workspace, file by file; exits 1 when something is',
  args: { '[id]': 'the agent (default: all agents)' },
  options: CONFIG_OPTION,
  examples: ['agents validate         all agents', 'agents validate main    one agent'],
  notes:
    'Exit code: 0 when nothing is wrong (warnings are allowed), 1 when something is, 2 when it could not be checked.',
  async run({ id, config: configPath }, { io: { environment } }) {
    const loaded = await loadConfig({ environment, configPath });
    const ids = id === undefined ? listAgentIds(loaded.config) : [id];
    const results = await validateAgents(loaded.config, environment, ids);
    const agents = results.map(({ agent, findings }) => ({
      id: agent.agentId,
      taxonomy: agent.taxonomy.id,
      workspace: agent.workspaceDir,
      valid: findings.every(({ severity }) => severity !== 'error'),
      findings,
    }));
    const valid = agents.every((agent) => agent.valid);
    return {
      json: { valid, agents },
      text: results.map(({ agent, findings }) => formatFindings(agent, findings)).join(''),
      warnings: warningLines(loaded),
      ok: valid,
    };
  },
});

export interface ValidatedAgent {
  readonly agent: ResolvedAgent;
  readonly findings: readonly WorkspaceFinding[];
}

export async function validateAgents(
  config: Config,
  environment: Environment,
  ids: readonly string[],
): Promise<readonly ValidatedAgent[]> {
  const files = new CachedFileSource();
  const allowedRoots = (config.bootstrap?.allowedRoots ?? []).map((root) =>
    resolveUserPath(root, environment.home, environment.cwd),
  );
  const results: ValidatedAgent[] = [];
  for (const agent of ids.map((each) => resolveAgent(config, environment, each))) {
    const findings = await validateWorkspace({
      dir: agent.workspaceDir,
      taxonomy: agent.taxonomy,
      limits: resolveBootstrapLimits(config, agent.agentId),
      load: () => loadWorkspaceFiles(files, agent.workspaceDir, agent.taxonomy, allowedRoots),
    });
    results.push({ agent, findings: agent.isDefault ? findings : findings.map((each) => nameAgent(each, agent)) });
  }
  return results;
}

/** A next step that a person can copy: without an id the command is about the default agent. */
function nameAgent(finding: WorkspaceFinding, { agentId }: ResolvedAgent): WorkspaceFinding {
  return { ...finding, message: finding.message.replace('"atrium agents init"', `"atrium agents init ${agentId}"`) };
}

function formatFindings({ agentId, workspaceDir }: ResolvedAgent, findings: readonly WorkspaceFinding[]): string {
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const warnings = findings.length - errors;
  const verdict = [
    errors === 0 ? 'valid' : countOf(errors, 'error'),
    ...(warnings === 0 ? [] : [countOf(warnings, 'warning')]),
  ];
  const lines = findings.map(({ severity, message }) => `  ${severity.padEnd(7)}  ${oneLine(message)}\n`);
  return `${agentId} (${workspaceDir}): ${verdict.join(', ')}\n${lines.join('')}`;
}
