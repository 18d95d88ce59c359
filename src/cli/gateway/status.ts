// `atrium status`: whether a gateway runs on this state directory, and what it is doing.

import type { GatewayStatus } from '../../gateway/services/gateway-status.ts';
import { countOf } from '../../protocol/count-of.ts';
import type { CliIo } from '../cli-io.ts';
import type { AddCommand } from '../commands.ts';
import { GatewayDownError } from '../errors.ts';
import { EXIT } from '../exit-code.ts';
import { formatTable, oneLine, outputWidth } from '../output/format-table.ts';
import { formatAge, formatTime } from '../output/format-time.ts';
import { openGatewayClient } from './gateway-client.ts';

interface StatusFlags {
  readonly json?: boolean;
}

export const addStatus: AddCommand = (program, io, exit) => {
  program
    .command('status')
    .description('say whether a gateway runs here, and what it is doing')
    .option('--json', 'print JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  $ atrium status
  $ atrium status --json | jq .deadLetters

Exit code: 0 when it runs, 1 when it does not.`,
    )
    .action(async (flags: StatusFlags) => {
      try {
        const client = await openGatewayClient(io);
        const status = await client.get<GatewayStatus>('/api/status');
        io.out(flags.json ? `${JSON.stringify({ isRunning: true, ...status }, null, 2)}\n` : formatStatus(status, io));
      } catch (error) {
        if (!(error instanceof GatewayDownError)) throw error;
        const { stateDir, message } = error;
        io.out(flags.json ? `${JSON.stringify({ isRunning: false, stateDir, message }, null, 2)}\n` : `${message}\n`);
        exit(EXIT.finding);
      }
    });
};

function formatStatus(status: GatewayStatus, io: CliIo): string {
  const width = outputWidth(io);
  const now = io.now().getTime();
  const { deadLetters, outbox } = status;
  const lines: readonly (readonly [string, string])[] = [
    ['gateway', `${status.url}, version ${status.version}`],
    ['since', `${formatTime(status.startedAt, io.environment.timezone)} (${formatAge(now - status.startedAt)})`],
    ['state', status.stateDir],
    ['store', status.store],
    ['sessions', `${status.sessions} open`],
    ['runs', `${status.running.length} running, ${status.waiting} waiting`],
    ['approvals', status.approvals === 0 ? 'none waiting' : `${status.approvals} waiting (atrium approvals list)`],
    ['jobs', describeSchedule(status.schedule, io)],
    ['outbox', `${outbox.queued} queued, ${outbox.failed} failed`],
    [
      'dead letters',
      deadLetters.in + deadLetters.out === 0
        ? 'none'
        : `${deadLetters.in} in, ${deadLetters.out} out (atrium deadletters list)`,
    ],
  ];
  const parts = [
    lines.map(([name, value]) => `${name.padEnd(14)}${oneLine(value)}\n`).join(''),
    formatTable(
      status.agents,
      [
        { title: 'agent', cell: (agent) => (agent.isDefault ? `${agent.agentId} (default)` : agent.agentId) },
        { title: 'model', cell: (agent) => [agent.model, ...agent.fallbacks].join(', then ') },
        { title: 'workspace', cell: (agent) => agent.workspaceDir },
      ],
      width,
    ),
    formatTable(
      status.channels,
      [
        { title: 'channel', cell: (channel) => channel.id },
        { title: 'delivery', cell: (channel) => channel.guarantee.level },
        { title: 'why', cell: (channel) => channel.guarantee.because },
      ],
      width,
    ),
  ];
  if (status.running.length > 0) {
    parts.push(
      formatTable(
        status.running,
        [
          { title: 'running', cell: (run) => run.runId },
          { title: 'for', cell: (run) => formatAge(now - run.since) },
          { title: 'session', cell: (run) => run.sessionKey },
        ],
        width,
      ),
    );
  }
  if (status.warnings.length > 0) {
    const warnings = status.warnings.map((warning) => `  ${oneLine(warning)}\n`).join('');
    parts.push(`${countOf(status.warnings.length, 'warning')}:\n${warnings}`);
  }
  return parts.join('\n');
}

function describeSchedule({ isEnabled, jobs, next }: GatewayStatus['schedule'], io: CliIo): string {
  if (jobs === 0) return 'none';
  if (!isEnabled) return `${jobs}, and none runs by itself (cron.enabled is false)`;
  return next === null
    ? `${jobs}, none of them due`
    : `${jobs}, next "${next.name}" at ${formatTime(next.at, io.environment.timezone)}`;
}
