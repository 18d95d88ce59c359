// `atrium agents list`: every agent, its workspace, and whether it has been through its first run.

import { stat } from 'node:fs/promises';
import { listAgentIds } from '../../config/agents.ts';
import { loadConfig } from '../../config/load-config.ts';
import { loadFirstRunStatus } from '../../context/workspace/workspace-state.ts';
import { command } from '../command.ts';
import { CONFIG_OPTION } from '../common-options.ts';
import { type Columns, formatTable } from '../output/format-table.ts';
import { warningLines } from '../output/warnings.ts';
import { type ResolvedAgent, resolveAgent } from './resolve-agent.ts';

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
  /** Absent where there is no workspace to tell. */
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
