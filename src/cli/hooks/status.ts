// `atrium hooks status`: every handler of the running gateway, whether it is called, and how its calls went.

import type { HandlerStatus, HooksStatus, RearmedHandler } from '../../gateway/services/hook-control.ts';
import { countOf } from '../../protocol/count-of.ts';
import { command } from '../command.ts';
import { noteConfigState } from '../gateway/gateway-client.ts';
import { type Columns, formatTable } from '../output/format-table.ts';
import { formatAge } from '../output/format-time.ts';
import { formatList, line } from '../output/text.ts';

export const hooksStatus = command({
  path: 'hooks status',
  summary: 'show every handler of the running gateway: called or not and why, calls, times, failures',
  examples: ['hooks status', 'hooks status --json | jq \'.handlers[] | select(.state != "armed")\''],
  notes: 'The gateway counts since its start. "atrium doctor --hooks" tries the handlers without one.',
  needs: 'gateway',
  async run(_, { client, io }) {
    await noteConfigState(client, io);
    const status = await client.get<HooksStatus>('/api/hooks');
    return { json: status, text: (width) => formatStatus(status, io.now().getTime(), width) };
  },
});

export const hooksRearm = command({
  path: 'hooks rearm',
  summary: 'let handlers be called again that timed out too often',
  args: { '<name>': 'a hook, the id of a handler, or a plugin' },
  examples: [
    'hooks rearm before_tool_call    every suspended handler of a hook',
    'hooks rearm my-plugin           every one of a plugin; one that was stopped is loaded again',
  ],
  notes: '"atrium hooks status" shows who is suspended, and why.',
  needs: 'gateway',
  async run({ name }, { client }) {
    const { rearmed } = await client.post<{ rearmed: readonly RearmedHandler[] }>('/api/hooks/rearm', { name });
    const lines = rearmed.map(({ hook, id, owner }) => line(`${hook} of ${owner} (${id}) is called again.`));
    return { json: { rearmed }, text: lines.join('') || line(`Nothing of ${name} is suspended.`) };
  },
});

function formatStatus({ handlers, absent }: HooksStatus, now: number, width: number): string {
  const owners = [...new Set(handlers.map(({ owner }) => owner))];
  const tables = owners.map((owner) => {
    const own = handlers.filter((each) => each.owner === owner);
    return `${line(owner)}${formatOwner(own, now, width)}`;
  });
  const silent = [
    ...handlers
      .filter(({ state }) => state !== 'armed')
      .map(({ hook, id, owner, state, reason }) => `${hook} of ${owner} (${id}, ${state}): ${reason ?? ''}`),
    ...handlers.filter(isLeftOut).map(({ hook, id, owner, notCalled }) => {
      const times = countOf(notCalled, 'time');
      return `${hook} of ${owner} (${id}): it was due ${times} and not called, because its plugin had no time left in the run, or was too far behind`;
    }),
    ...absent.map(({ owner, state, reason }) => `the plugin ${owner} (${state}): ${reason}`),
  ];
  const failures = handlers.flatMap(({ hook, id, owner, lastFailure }) =>
    lastFailure
      ? [`${hook} of ${owner} (${id}): ${lastFailure.outcome}${lastFailure.error ? `, ${lastFailure.error}` : ''}`]
      : [],
  );
  const isSuspended = handlers.some(({ state }) => state === 'suspended');
  return [
    tables.length === 0 ? 'No handler is registered.\n' : tables.join('\n'),
    formatList('Not called', silent),
    isSuspended ? 'Let a suspended one be called again with "atrium hooks rearm <id>".\n' : '',
    formatList('Last failures', failures),
  ].join('');
}

/** It looks as if it were called, and was not, at least now and then. */
function isLeftOut({ state, notCalled }: HandlerStatus): boolean {
  return state === 'armed' && notCalled > 0;
}

function formatOwner(handlers: readonly HandlerStatus[], now: number, width: number): string {
  const isOnly = ({ hook }: HandlerStatus) => handlers.filter((each) => each.hook === hook).length === 1;
  const columns: Columns<HandlerStatus> = {
    hook: (each) => (isOnly(each) ? each.hook : `${each.hook} (${each.id})`),
    state: ({ state }) => state,
    calls: ({ calls }) => calls,
    'p50 ms': { right: ({ p50Ms }) => formatMs(p50Ms) },
    'p95 ms': { right: ({ p95Ms }) => formatMs(p95Ms) },
    errors: ({ errors }) => errors,
    timeouts: ({ timeouts }) => timeouts,
    ...(handlers.some(({ notCalled }) => notCalled > 0)
      ? { 'not called': ({ notCalled }: HandlerStatus) => notCalled }
      : {}),
    'last fired': ({ lastFiredAt }) => (lastFiredAt === null ? 'never' : `${formatAge(now - lastFiredAt)} ago`),
  };
  return formatTable(handlers, columns, width);
}

function formatMs(ms: number | null): string {
  if (ms === null) return '-';
  return ms < 10 ? ms.toFixed(1) : String(Math.round(ms));
}
