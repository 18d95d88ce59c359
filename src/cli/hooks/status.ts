// `atrium hooks status`: every handler of the running gateway, whether it is called, and how its calls went.

import type { HandlerStatus, HooksStatus } from '../../gateway/services/hook-control.ts';
import type { CliIo } from '../cli-io.ts';
import type { AddCommand } from '../commands.ts';
import { openGatewayClient } from '../gateway/gateway-client.ts';
import { hooksGroup } from '../hooks-group.ts';
import { formatTable, oneLine, outputWidth } from '../output/format-table.ts';
import { formatAge } from '../output/format-time.ts';

export const addHooksStatus: AddCommand = (program, io) => {
  hooksGroup(program)
    .command('status')
    .description('show every handler of the running gateway: called or not and why, calls, times, failures')
    .option('--json', 'print JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  $ atrium hooks status
  $ atrium hooks status --json | jq '.handlers[] | select(.state != "armed")'

Needs a running gateway, which counts since its start. "atrium doctor --hooks" tries the handlers without one.`,
    )
    .action(async (flags: { readonly json?: boolean }) => {
      const client = await openGatewayClient(io);
      const status = await client.get<HooksStatus>('/api/hooks');
      await client.close();
      io.out(flags.json ? `${JSON.stringify(status, null, 2)}\n` : formatStatus(status, io));
    });
};

function formatStatus({ handlers, absent }: HooksStatus, io: CliIo): string {
  const owners = [...new Set(handlers.map(({ owner }) => owner))];
  const tables = owners.map((owner) => {
    const own = handlers.filter((each) => each.owner === owner);
    return `${oneLine(owner)}\n${formatOwner(own, io)}`;
  });
  const silent = [
    ...handlers
      .filter(({ state }) => state !== 'armed')
      .map(({ hook, id, owner, state, reason }) => `${hook} of ${owner} (${id}, ${state}): ${reason ?? ''}`),
    ...absent.map(({ owner, state, reason }) => `the plugin ${owner} (${state}): ${reason}`),
  ];
  const failures = handlers.flatMap(({ hook, id, owner, lastFailure }) =>
    lastFailure
      ? [`${hook} of ${owner} (${id}): ${lastFailure.outcome}${lastFailure.error ? `, ${lastFailure.error}` : ''}`]
      : [],
  );
  const isSuspended = handlers.some(({ state }) => state === 'suspended');
  return [
    tables.length === 0 ? 'Nobody has registered a handler.\n' : tables.join('\n'),
    formatList('Not called', silent),
    isSuspended ? 'Let a suspended one be called again with "atrium hooks rearm <id>".\n' : '',
    formatList('Last failures', failures),
  ].join('');
}

function formatOwner(handlers: readonly HandlerStatus[], io: CliIo): string {
  const now = io.now().getTime();
  const isOnly = ({ hook }: HandlerStatus) => handlers.filter((each) => each.hook === hook).length === 1;
  return formatTable(
    handlers,
    [
      { title: 'hook', cell: (each) => (isOnly(each) ? each.hook : `${each.hook} (${each.id})`) },
      { title: 'state', cell: ({ state }) => state },
      { title: 'calls', cell: ({ calls }) => calls },
      { title: 'p50 ms', cell: ({ p50Ms }) => formatMs(p50Ms), align: 'right' },
      { title: 'p95 ms', cell: ({ p95Ms }) => formatMs(p95Ms), align: 'right' },
      { title: 'errors', cell: ({ errors }) => errors },
      { title: 'timeouts', cell: ({ timeouts }) => timeouts },
      { title: 'last fired', cell: ({ lastFiredAt }) => (lastFiredAt === null ? 'never' : agoOf(now - lastFiredAt)) },
    ],
    outputWidth(io),
  );
}

/** Not a table: a reason that is cut off explains nothing. */
export function formatList(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `\n${title}:\n${lines.map((line) => `  ${oneLine(line)}\n`).join('')}`;
}

function formatMs(ms: number | null): string {
  if (ms === null) return '-';
  return ms < 10 ? ms.toFixed(1) : String(Math.round(ms));
}

function agoOf(ms: number): string {
  return `${formatAge(ms)} ago`;
}
