// `atrium status`: whether a gateway runs on this state directory, and what it is doing.

import { loadConfig } from '../../config/load-config.ts';
import { storePlaceOf } from '../../config/store-place.ts';
import type { GatewayStatus } from '../../gateway/services/gateway-status.ts';
import { formatBytes } from '../../protocol/attachment.ts';
import { countOf } from '../../protocol/count-of.ts';
import type { CliIo } from '../cli-io.ts';
import { type Answer, command } from '../command.ts';
import { describeDebugLog } from '../debug.ts';
import { GatewayDownError } from '../errors.ts';
import { changedLines } from '../output/changed-settings.ts';
import { type Columns, formatFacts, formatTable } from '../output/format-table.ts';
import { formatAge, formatTime } from '../output/format-time.ts';
import { keyLines } from '../output/key-sources.ts';
import { line } from '../output/text.ts';
import { unusedLines } from '../output/unused-settings.ts';
import { isUnreachable, lazyClient, openGatewayClient, type UnreachableError } from './gateway-client.ts';

export const status = command({
  path: 'status',
  printsTimes: true,
  summary: 'say whether a gateway runs here, and what it is doing',
  examples: ['status', 'status --json | jq .deadLetters'],
  notes: 'Exit code: 0 when it runs, 1 when it does not, or does not answer.',
  async run(_, { io }) {
    const client = lazyClient(() => openGatewayClient(io));
    try {
      const told = await client.get<GatewayStatus>('/api/status');
      return { json: { isRunning: true, ...told }, text: (width) => formatStatus(told, io, width) };
    } catch (error) {
      if (isUnreachable(error)) return unreachableStatus(error, io);
      if (!(error instanceof GatewayDownError)) throw error;
      const { stateDir, message, stray } = error;
      // It may be what keeps a gateway from starting. A configuration that cannot be used has other commands to say so.
      const unused = await loadConfig({ environment: io.environment }).then(
        (loaded) => loaded.unused,
        () => [],
      );
      const text = [message, ...unusedLines(unused)].map((each) => `${each}\n`).join('');
      return { json: { isRunning: false, stateDir, message, stray, unused }, text, ok: false };
    }
  },
});

/** What can be known of a gateway that runs and cannot be asked: who it is, and what its store says. */
async function unreachableStatus({ message, url, pid }: UnreachableError, io: CliIo): Promise<Answer> {
  const { stateDir } = io.environment;
  const { openStore } = await import('../../store/open-store.ts');
  const { config } = await loadConfig({ environment: io.environment }).catch(() => ({ config: {} }));
  const store = await openStore(storePlaceOf(io.environment, config), { readOnly: true });
  try {
    const [waiting, running, queued] = await Promise.all([
      store.count('inbox', { status: 'queued' }),
      store.count('runs', { status: 'running' }),
      store.count('outbox', { status: 'queued' }),
    ]);
    const facts = formatFacts([
      ['gateway', `${url}, process ${pid}`],
      ['state', stateDir],
      ['runs', `${running} running, ${waiting} waiting`],
      ['outbox', `${queued} queued`],
    ]);
    const json = { isRunning: true, isAnswering: false, message, url, pid, stateDir, running, waiting, queued };
    return { json, text: `${message}\n\n${facts}`, ok: false };
  } finally {
    await store.close();
  }
}

/** A gateway of an older version does not say it. */
function describeTrajectory(trajectory: GatewayStatus['trajectory'] | undefined): string | undefined {
  if (!trajectory) return undefined;
  return trajectory.isOn
    ? trajectory.dir
    : 'off (OPENCLAW_TRAJECTORY, recorder.trajectory.enabled or recorder.enabled)';
}

function describeNodes(nodes: NonNullable<GatewayStatus['nodes']>): string {
  const named = nodes.map(({ node, status, isHere }) => {
    const marks = [isHere ? 'here' : '', status === 'up' ? '' : status].filter(Boolean).join(', ');
    return marks === '' ? node : `${node} (${marks})`;
  });
  return `${named.join(', ')} (atrium nodes list)`;
}

function describePairing({ waiting, refused }: GatewayStatus['pairing']): string {
  const asked = waiting === 0 ? 'none waiting' : `${waiting} waiting (atrium pairing list)`;
  return refused === 0 ? asked : `${asked}, ${countOf(refused, 'message')} refused`;
}

function formatStatus(status: GatewayStatus, io: CliIo, width: number): string {
  const now = io.now().getTime();
  const { deadLetters, outbox, agents, channels, running, warnings } = status;
  const letters = `${deadLetters.in} in, ${deadLetters.out} out (atrium deadletters list)`;
  const parts = [
    formatFacts([
      ['gateway', `${status.url}, version ${status.version}`],
      ['since', `${formatTime(status.startedAt, io.environment.timezone)} (${formatAge(now - status.startedAt)})`],
      ['state', status.stateDir],
      ['store', status.store],
      ...(status.nodes ? [['nodes', describeNodes(status.nodes)] as const] : []),
      ['sessions', `${status.sessions} open`],
      ['runs', `${running.length} running, ${status.waiting} waiting`],
      ['approvals', status.approvals === 0 ? 'none waiting' : `${status.approvals} waiting (atrium approvals list)`],
      ['pairing', describePairing(status.pairing)],
      ['jobs', describeSchedule(status.schedule, io)],
      ['outbox', `${outbox.queued} queued, ${outbox.failed} failed`],
      ['dead letters', deadLetters.in + deadLetters.out === 0 ? 'none' : letters],
      ['debug logs', describeDebug(status.debug, io)],
      ['trajectories', describeTrajectory(status.trajectory)],
      ['records', describeSizes(status.records, undefined)],
      ['of the store', describeSizes(status.records, 'store')],
    ]),
    formatTable(agents, AGENT_COLUMNS, width),
    formatTable(channels, CHANNEL_COLUMNS, width) + describeAccounts(channels),
  ];
  const columns: Columns<GatewayStatus['running'][number]> = {
    running: (run) => run.runId,
    for: (run) => formatAge(now - run.since),
    session: (run) => run.sessionKey,
  };
  if (running.length > 0) parts.push(formatTable(running, columns, width));
  if (warnings.length > 0) {
    parts.push(`${countOf(warnings.length, 'warning')}:\n${warnings.map((each) => `  ${line(each)}`).join('')}`);
  }
  if ((status.changedSinceStart ?? []).length > 0) parts.push(joined(changedLines(status.changedSinceStart)));
  if ((status.keys ?? []).length > 0) parts.push(joined(keyLines(status.keys)));
  if (status.unused.length > 0) parts.push(joined(unusedLines(status.unused)));
  return parts.join('\n');
}

function joined(lines: readonly string[]): string {
  return lines.map((each) => `${each}\n`).join('');
}

const AGENT_COLUMNS: Columns<GatewayStatus['agents'][number]> = {
  agent: (agent) => `${agent.agentId}${agent.isDefault ? ' (default)' : ''}`,
  name: ({ name, emoji }) => [emoji, name].filter((part) => part !== undefined).join(' '),
  model: (agent) => [agent.model, ...agent.fallbacks].join(', then '),
  workspace: (agent) => agent.workspaceDir,
};

const CHANNEL_COLUMNS: Columns<GatewayStatus['channels'][number]> = {
  channel: ({ id, accounts = [] }) => {
    const states = accounts.map(
      ({ accountId, state, node }) => `${accountId}: ${state}${node === undefined ? '' : ` on ${node}`}`,
    );
    return states.length === 0 ? id : `${id} (${states.join('; ')})`;
  },
  delivery: (channel) => channel.guarantee.level,
  why: (channel) => channel.guarantee.because,
};

/** What happened to accounts, and what to do about it: one line for each sentence. */
function describeAccounts(channels: GatewayStatus['channels']): string {
  return channels
    .flatMap(({ id, accounts = [] }) =>
      accounts.flatMap(({ accountId, detail, nextStep }) =>
        [detail, nextStep].flatMap((sentence) => (sentence ? [line(`${id} (${accountId}): ${sentence}`)] : [])),
      ),
    )
    .join('');
}

function describeSizes(records: GatewayStatus['records'] = [], place: 'store' | undefined): string {
  const shown = records.filter(({ bytes, within }) => bytes > 0 && within === place);
  if (shown.length === 0) return 'none';
  return shown
    .map(({ what, bytes, bytesPerDay }) => {
      const growth =
        bytesPerDay === undefined ? '' : ` (${bytesPerDay < 0 ? '-' : '+'}${formatBytes(Math.abs(bytesPerDay))} a day)`;
      return `${what} ${formatBytes(bytes)}${growth}`;
    })
    .join(', ');
}

/** A gateway of an older version says nothing about them. */
function describeDebug(debug: GatewayStatus['debug'] = [], io: CliIo): string {
  return debug.length === 0
    ? 'off'
    : `ON: ${debug.map((each) => describeDebugLog(each, io)).join(', ')} (atrium debug status)`;
}

function describeSchedule({ isEnabled, jobs, next }: GatewayStatus['schedule'], io: CliIo): string {
  if (jobs === 0) return 'none';
  if (!isEnabled) return `${jobs}, and none runs by itself (cron.enabled is false)`;
  return next === null
    ? `${jobs}, none of them due`
    : `${jobs}, next "${next.name}" at ${formatTime(next.at, io.environment.timezone)}`;
}
