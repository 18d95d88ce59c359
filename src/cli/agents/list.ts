// `atrium agents list`: every agent, its workspace, and whether it has been through its first run.

import { stat } from 'node:fs/promises';
import { listAgentIds } from '../../config/agents.ts';
import { loadConfig } from '../../config/load-config.ts';
import { loadFirstRunStatus } from '../../context/workspace/workspace-state.ts';
import { agentsGroup } from '../agents-group.ts';
import type { AddCommand } from '../commands.ts';
import { formatTable, outputWidth } from '../output/format-table.ts';
import { writeWarnings } from '../output/warnings.ts';
import { type ResolvedAgent, resolveAgent } from './resolve-agent.ts';

interface AgentsListFlags {
  readonly config?: string;
  readonly json?: boolean;
}

export const addAgentsList: AddCommand = (program, io) => {
  agentsGroup(program)
    .command('list')
    .description('list the agents with their workspaces')
    .option('--config <file>', 'read this configuration file only')
    .option('--json', 'print JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  $ atrium agents list
  $ atrium agents list --json    for programs`,
    )
    .action(async (flags: AgentsListFlags) => {
      const { environment } = io;
      const loaded = await loadConfig({ environment, configPath: flags.config });
      const ids = listAgentIds(loaded.config);
      const rows = await Promise.all(ids.map((id) => toRow(resolveAgent(loaded.config, environment, id))));
      if (flags.json) {
        io.out(`${JSON.stringify({ agents: rows }, null, 2)}\n`);
        return;
      }
      io.out(
        formatTable(
          rows,
          [
            { title: 'agent', cell: (row) => row.id },
            { title: 'default', cell: (row) => (row.default ? 'yes' : '-') },
            { title: 'files', cell: (row) => row.taxonomy },
            { title: 'first run', cell: (row) => row.firstRun ?? '-' },
            {
              title: 'workspace',
              cell: (row) =>
                row.exists ? row.workspace : `${row.workspace} (not there: atrium agents init${initArgument(row)})`,
            },
          ],
          outputWidth(io),
        ),
      );
      writeWarnings(loaded, { warnings: [] }, io);
    });
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

function initArgument(row: AgentRow): string {
  return row.default ? '' : ` ${row.id}`;
}
