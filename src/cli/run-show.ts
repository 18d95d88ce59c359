// `atrium run show`: how one run went, or the exact bytes that a model was sent in it.

import { BadFlagError } from '../gateway/errors.ts';
import type { RequestSpans } from '../gateway/services/read-request-spans.ts';
import type { UsageReport, UsageSum } from '../gateway/services/usage.ts';
import { formatCost } from '../protocol/cost.ts';
import type { OutboxRow, RunRow } from '../store/tables.ts';
import type { CliIo } from './cli-io.ts';
import type { AddCommand } from './commands.ts';
import { findInSpans, formatFoundPlaces } from './context/format-spans.ts';
import { GatewayRefusedError } from './errors.ts';
import { EXIT } from './exit-code.ts';
import { openReadingClient } from './gateway/gateway-client.ts';
import { formatTable, oneLine, outputWidth, visibleLine } from './output/format-table.ts';
import { formatTime } from './output/format-time.ts';
import { runGroup } from './run-group.ts';
import { parseWholeNumber } from './whole-number.ts';

interface RunShowFlags {
  readonly request?: boolean;
  readonly call?: string;
  readonly report?: boolean;
  readonly explain?: string;
  readonly json?: boolean;
}

interface RunAnswer {
  readonly run: Omit<RunRow, 'status'> & { readonly status: string };
  readonly calls: readonly ({ readonly call: number } & AskedModel)[];
  readonly summaries: readonly ({ readonly summary: number } & AskedModel)[];
  readonly deliveries: readonly Pick<OutboxRow, 'seq' | 'part' | 'surface' | 'status' | 'attempts' | 'error'>[];
}

interface AskedModel {
  readonly at: number;
  readonly provider: string;
  readonly model: string;
  readonly size: number;
}

export const addRunShow: AddCommand = (program, io, exit) => {
  runGroup(program)
    .command('show')
    .argument('<run>', 'the id of a run')
    .description('show how a run went, or exactly what the model was sent')
    .option('--request', 'the body of a request to the model, byte for byte')
    .option('--call <number>', 'which request, or summary-<number>; the last request unless you say')
    .option('--report', 'what was composed for it, as JSON')
    .option('--explain <text>', 'say who wrote this text in a request to the model')
    .option('--json', 'print JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  $ atrium run show run_0mh3k9q2x4f8c1d07a5be
  $ atrium run show run_0mh3k9q2x4f8c1d07a5be --request --call 1 | jq .messages
  $ atrium run show run_0mh3k9q2x4f8c1d07a5be --explain "never delete"`,
    )
    .action(async (runId: string, flags: RunShowFlags) => {
      const client = await openReadingClient(io);
      const path = `/api/runs/${encodeURIComponent(runId)}`;
      try {
        const call = flags.call === undefined ? 'last' : parseCall(flags.call);
        if (flags.explain !== undefined) {
          if (flags.explain.trim() === '')
            throw new BadFlagError({ flag: '--explain', value: flags.explain, expected: 'text to look for' });
          const { spans } = await client.get<RequestSpans>(`${path}/spans/${call}`);
          const places = findInSpans(spans, flags.explain);
          io.out(
            flags.json
              ? `${JSON.stringify({ text: flags.explain, places }, null, 2)}\n`
              : formatFoundPlaces(flags.explain, places, outputWidth(io)),
          );
          if (places.length === 0) exit(EXIT.finding);
          return;
        }
        if (flags.request || flags.call !== undefined) {
          const body = await client.getText(`${path}/requests/${call}`);
          // Into a file or a program every byte goes as it is; a terminal is not handed other people's control codes.
          io.out(io.isTerminal ? `${body.split('\n').map(visibleLine).join('\n')}\n` : body);
          return;
        }
        if (flags.report) {
          io.out(`${JSON.stringify(await client.get(`${path}/report`), null, 2)}\n`);
          return;
        }
        const answer = await client.get<RunAnswer>(path);
        const { total } = await client.get<UsageReport>(`/api/usage?by=model&run=${encodeURIComponent(runId)}`);
        if (!flags.json) return io.out(formatRun(answer, total, io));
        const { spans } =
          answer.calls.length === 0
            ? { spans: [] }
            : await client.get<RequestSpans>(`${path}/spans/last`).catch(noneKept);
        io.out(`${JSON.stringify({ ...answer, spent: total, spans }, null, 2)}\n`);
      } finally {
        await client.close();
      }
    });
};

/** The number of a request, or `summary-1` for one that asked for a summary. */
function parseCall(text: string): string {
  return /^summary-[1-9]\d{0,5}$/.test(text) ? text : String(parseWholeNumber('--call', text, 1, 999_999));
}

/** A run is worth showing without what was forgotten of it. */
function noneKept(error: unknown): { readonly spans: readonly [] } {
  if (error instanceof GatewayRefusedError) return { spans: [] };
  throw error;
}

function formatRun({ run, calls, summaries, deliveries }: RunAnswer, spent: UsageSum, io: CliIo): string {
  const { timezone } = io.environment;
  const width = outputWidth(io);
  const { outcome } = run;
  const took = run.endedAt === null ? '' : `, ${((run.endedAt - run.startedAt) / 1_000).toFixed(1)} s`;
  const usage = outcome?.usage;
  const lines: readonly (readonly [string, string | undefined])[] = [
    ['run', run.runId],
    ['status', run.status],
    ['session', run.sessionKey],
    ['agent', run.agentId],
    ['began', `${formatTime(run.startedAt, timezone)}${took}`],
    ['claims', run.claim > 1 ? `${run.claim}; it went on after a crash or an approval` : undefined],
    ['model', outcome?.model && `${outcome.provider}/${outcome.model}`],
    ['usage', usage && `${usage.input} in (${usage.cacheRead} from the cache), ${usage.output} out`],
    ['cost', spent.calls === 0 ? undefined : formatCost(spent)],
    [
      'steps',
      outcome?.modelCalls === undefined ? undefined : `${outcome.modelCalls} model, ${outcome.toolCalls ?? 0} tool`,
    ],
    ['error', outcome?.error],
  ];
  const parts = [
    lines.flatMap(([name, value]) => (value === undefined ? [] : [`${name.padEnd(9)}${oneLine(value)}\n`])).join(''),
  ];
  if (outcome?.reply) parts.push(`${outcome.reply.split('\n').map(visibleLine).join('\n').trimEnd()}\n`);
  const asked = [
    ...summaries.map(({ summary, ...rest }) => ({ ...rest, name: `summary-${summary}` })),
    ...calls.map(({ call, ...rest }) => ({ ...rest, name: String(call) })),
  ];
  if (asked.length > 0) {
    parts.push(
      formatTable(
        asked.sort((a, b) => a.at - b.at),
        [
          { title: 'call', cell: (call) => call.name },
          { title: 'at', cell: (call) => formatTime(call.at, timezone) },
          { title: 'bytes', cell: (call) => call.size },
          { title: 'model', cell: (call) => `${call.provider}/${call.model}` },
        ],
        width,
      ),
    );
  }
  if (deliveries.length > 0) {
    parts.push(
      formatTable(
        deliveries,
        [
          { title: 'part', cell: (part) => part.part },
          { title: 'to', cell: ({ surface }) => `${surface.channel} ${surface.peer.kind} ${surface.peer.id}` },
          { title: 'delivery', cell: (part) => part.status },
          { title: 'tries', cell: (part) => part.attempts },
          { title: 'trouble', cell: (part) => part.error ?? '-' },
        ],
        width,
      ),
    );
  }
  return parts.join('\n');
}
