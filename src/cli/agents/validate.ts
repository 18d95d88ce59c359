// `atrium agents validate`: what is wrong with a workspace, file by file.

import { listAgentIds } from '../../config/agents.ts';
import { resolveBootstrapLimits } from '../../config/bootstrap-limits.ts';
import type { Environment } from '../../config/environment.ts';
import { loadConfig } from '../../config/load-config.ts';
import type { Config } from '../../config/schema.ts';
import { resolveUserPath } from '../../config/user-path.ts';
import { CachedFileSource } from '../../context/sources/file-source.ts';
import { validateWorkspace, type WorkspaceFinding } from '../../context/workspace/validate-workspace.ts';
import { countOf } from '../../protocol/count-of.ts';
import { command } from '../command.ts';
import { CONFIG_OPTION } from '../common-options.ts';
import { EXIT } from '../exit-code.ts';
import { oneLine } from '../output/text.ts';
import { warningLines } from '../output/warnings.ts';
import { type ResolvedAgent, resolveAgent } from './resolve-agent.ts';

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
      exit: valid ? EXIT.ok : EXIT.finding,
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
      read: (path) => files.read(path, [agent.workspaceDir, ...allowedRoots]),
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
