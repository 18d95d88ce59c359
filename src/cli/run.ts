// `atrium run`: how a message became an answer, or the exact bytes that a model was sent.

import type { ContextReport } from '../context/report/build-report.ts';
import { BadFlagError } from '../gateway/errors.ts';
import type { CacheReport } from '../gateway/services/cache/report-cache.ts';
import type { RequestSpans } from '../gateway/services/read-request-spans.ts';
import type { UsageReport } from '../gateway/services/usage.ts';
import { clip } from '../protocol/one-line.ts';
import { formatCost } from '../protocol/usage.ts';
import type { OutboxRow, RunRow } from '../store/tables.ts';
import { describeBreaker } from './cache.ts';
import { checkFilter } from './check-filter.ts';
import type { CliIo } from './cli-io.ts';
import { type CliCommand, command } from './command.ts';
import { parseWholeNumber } from './common-options.ts';
import { describePath } from './context/describe-origin.ts';
import { findLeftOut, type LeftOut } from './context/find-left-out.ts';
import { formatAbsent } from './context/format-absent.ts';
import { findInSpans, formatFoundPlaces } from './context/format-spans.ts';
import { GatewayRefusedError } from './errors.ts';
import { path } from './gateway/gateway-client.ts';
import { lastRunId } from './last-run-id.ts';
import { type Columns, formatFacts, formatTable, listText } from './output/format-table.ts';
import { formatTime } from './output/format-time.ts';
import { formatList, oneLine, visibleText } from './output/text.ts';

/** A run as the API gives it. A run that has not begun is `queued`. */
export type ToldRun = Omit<RunRow, 'status' | 'progressClaim' | 'observed' | 'node' | 'stopReason'> & {
  readonly status: string;
};

export interface RunAnswer {
  readonly run: ToldRun;
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

export const RUN_COMMANDS: readonly CliCommand[] = [
  command({
    path: 'run list',
    summary: 'list the runs, the latest first',
    options: {
      '--session <key>': 'only the runs of this session',
      '--limit <number>': {
        text: 'how many at most',
        default: '20',
        parse: (text: string) => parseWholeNumber('--limit', text, 1, 500),
      },
    },
    examples: ['run list', 'run list --session agent:main:main --limit 5'],
    needs: 'reading',
    async run({ session, limit }, { client, io }) {
      const { runs } = await client.get<{ runs: readonly ToldRun[] }>('/api/runs', { session, limit });
      if (runs.length === 0) await checkFilter({ session }, client, io);
      const { timezone } = io.environment;
      const columns: Columns<ToldRun> = {
        run: ({ runId }) => runId,
        status: ({ status }) => status,
        began: ({ startedAt }) => formatTime(startedAt, timezone),
        session: ({ sessionKey }) => sessionKey,
        answer: ({ outcome }) => clip(oneLine(outcome?.reply ?? outcome?.error ?? ''), ANSWER_CHARS),
      };
      return { json: { runs }, text: listText(runs, columns, 'There are no runs.') };
    },
  }),
  command({
    path: 'run show',
    summary: 'show how a run went, or exactly what the model was sent',
    args: { '<run>': 'the id of a run, or "last"' },
    options: {
      '--session <key>': 'with "last": the last run of this session',
      '--request': 'the body of a request to the model, byte for byte',
      '--call <number>': {
        text: 'which request, or summary-<number> (default: the last request)',
        parse: parseCall,
      },
      '--report': 'what was composed for it, as JSON',
      '--explain <text>': 'say who wrote this text in a request to the model, or why it was not in it',
    },
    examples: [
      'run show last',
      'run show run_0mh3k9q2x4f8c1d07a5be',
      'run show run_0mh3k9q2x4f8c1d07a5be --request --call 1 | jq .messages',
      'run show run_0mh3k9q2x4f8c1d07a5be --explain "never delete"',
    ],
    needs: 'reading',
    async run({ run: named, session, request, call, report, explain: text, json }, { client, io }) {
      const run = named === 'last' ? await lastRunId(client, session) : named;
      const at = path`/api/runs/${run}`;
      if (text !== undefined) {
        if (text.trim() === '')
          throw new BadFlagError({ flag: '--explain', value: text, expected: 'text to look for' });
        const { spans } = await client.get<RequestSpans>(`${at}/spans/${call ?? 'last'}`);
        const places = findInSpans(spans, text);
        const composed = await client.get<ContextReport>(`${at}/report`).catch(noReport);
        const leftOut = places.length > 0 || !composed ? NOTHING : await findLeftOut(composed, text);
        const { absent, changed } = leftOut;
        return {
          json: { text, places, absent, changed },
          text: (width) => formatFoundPlaces(text, places, width) + formatLeftOut(leftOut, composed, io, width),
          ok: places.length + absent.length > 0,
        };
      }
      if (request || call !== undefined) {
        const body = await client.getText(`${at}/requests/${call ?? 'last'}`);
        // A file or a program gets every byte as it is; a terminal does not get control codes from untrusted text.
        io.out(io.isTerminal ? `${visibleText(body)}\n` : body);
        return {};
      }
      if (report) {
        const composed = await client.get(`${at}/report`);
        return { json: composed, text: `${JSON.stringify(composed, null, 2)}\n` };
      }
      const answer = await client.get<RunAnswer>(at);
      const spent = await client.get<UsageReport>('/api/usage', { by: 'model', run });
      const cache = await client.get<CacheReport>('/api/cache', { run }).catch(notKnown);
      if (!json) {
        const { records } = await client.get<{ records: readonly CalledHook[] }>(`${at}/hooks`);
        const failures = records.filter(({ outcome }) => outcome !== 'done').map(failedHook);
        return {
          text: (width) =>
            formatRun(answer, { ...spent, cache }, io.environment.timezone, width) +
            formatList('Handlers that failed', failures),
        };
      }
      const { spans } =
        answer.calls.length === 0 ? { spans: [] } : await client.get<RequestSpans>(`${at}/spans/last`).catch(noneKept);
      const { total, totalWithSubagents } = spent;
      return { json: { ...answer, spent: total, spentWithSubagents: totalWithSubagents, cache, spans } };
    },
  }),
];

const ANSWER_CHARS = 80;
const NOTHING: LeftOut = { absent: [], changed: [] };

/** The words of a file may have been left out of a prompt although its report is not stored any more. */
function noReport(error: unknown): undefined {
  if (error instanceof GatewayRefusedError) return undefined;
  throw error;
}

function formatLeftOut(
  { absent, changed }: LeftOut,
  report: ContextReport | undefined,
  { environment }: CliIo,
  width: number,
): string {
  if (!report) return '';
  const places = { workspaceDir: report.situation.workspaceDir, home: environment.home };
  const names = changed.map((file) => describePath(file, places)).join(', ');
  const found = `\nIt stands, as the files are now, in what was left out:\n${formatAbsent(absent, { places, width })}`;
  const note = `\nThese files were changed or removed since the run, and what they said then is not kept: ${names}.\n`;
  return `${absent.length === 0 ? '' : found}${names === '' ? '' : note}`;
}

export interface CalledHook {
  readonly hook: string;
  readonly handler: string;
  readonly owner: string;
  readonly outcome: string;
  readonly error: string | null;
}

export function failedHook({ hook, handler, owner, outcome, error }: CalledHook): string {
  return `${hook} of ${owner} (${handler}): ${outcome}${error === null ? '' : `, ${error}`}`;
}

/** The number of a request, or `summary-1` for one that asked for a summary. */
function parseCall(text: string): string {
  return /^summary-[1-9]\d{0,5}$/.test(text) ? text : String(parseWholeNumber('--call', text, 1, 999_999));
}

/** A run that has not begun, and a gateway of an older version, say nothing about caches. */
function notKnown(error: unknown): undefined {
  if (error instanceof GatewayRefusedError) return undefined;
  throw error;
}

/** A run is shown also when some of its records were removed. */
function noneKept(error: unknown): { readonly spans: readonly [] } {
  if (error instanceof GatewayRefusedError) return { spans: [] };
  throw error;
}

export function formatRun(
  { run, calls, summaries, deliveries }: RunAnswer,
  {
    total: spent,
    totalWithSubagents,
    cache,
  }: Pick<UsageReport, 'total' | 'totalWithSubagents'> & { readonly cache?: CacheReport | undefined },
  timezone: string,
  width: number,
): string {
  const { outcome } = run;
  const took = run.endedAt === null ? '' : `, ${((run.endedAt - run.startedAt) / 1_000).toFixed(1)} s`;
  const usage = outcome?.usage;
  const steps = outcome?.modelCalls;
  const parts = [
    formatFacts([
      ['run', run.runId],
      ['status', run.status],
      ['session', run.sessionKey],
      ['agent', run.agentId],
      ['began', `${formatTime(run.startedAt, timezone)}${took}`],
      ['claims', run.claim > 1 ? `${run.claim}; it went on after a crash or an approval` : undefined],
      ['model', outcome?.model && `${outcome.provider}/${outcome.model}`],
      ['because', outcome?.because],
      ['usage', usage && `${usage.input} in (${usage.cacheRead} from the cache), ${usage.output} out`],
      ['cache', cache && describeCache(cache)],
      ['cost', spent.calls === 0 ? undefined : formatCost(spent)],
      ['with subagents', totalWithSubagents ? formatCost(totalWithSubagents) : undefined],
      ['steps', steps === undefined ? undefined : `${steps} model, ${outcome?.toolCalls ?? 0} tool`],
      ['error', outcome?.error],
      ['notes', outcome?.notes?.join(' ')],
    ]),
  ];
  if (outcome?.reply) parts.push(`${visibleText(outcome.reply).trimEnd()}\n`);
  const asked = [
    ...summaries.map(({ summary, ...rest }) => ({ ...rest, name: `summary-${summary}` })),
    ...calls.map(({ call, ...rest }) => ({ ...rest, name: String(call) })),
  ].sort((a, b) => a.at - b.at);
  const columns = {
    call: (call: (typeof asked)[number]) => call.name,
    at: (call: AskedModel) => formatTime(call.at, timezone),
    bytes: (call: AskedModel) => call.size,
    model: (call: AskedModel) => `${call.provider}/${call.model}`,
  };
  if (asked.length > 0) parts.push(formatTable(asked, columns, width));
  if (deliveries.length > 0) parts.push(formatTable(deliveries, DELIVERY_COLUMNS, width));
  return parts.join('\n');
}

/** How much of the run's requests was as in the ones before, and what the first break cost. */
function describeCache({ calls, prefix, tokens, breaks }: CacheReport): string | undefined {
  // A first request has nothing to share.
  if (!calls || prefix.share === null) return undefined;
  const count = (number: number) => number.toLocaleString('en-US');
  const wrote = tokens.cacheWrite > 0 ? `${count(tokens.cacheWrite)} tokens written; ` : '';
  const shared = `${wrote}${count(prefix.sharedBytes)} bytes as in the requests before`;
  const [broken] = breaks;
  if (!broken) return shared;
  return `${shared}; about ${count(broken.lostTokens)} tokens lost at ${broken.where} by ${describeBreaker(broken)}`;
}

const DELIVERY_COLUMNS: Columns<RunAnswer['deliveries'][number]> = {
  part: ({ part }) => part,
  to: ({ surface }) => `${surface.channel} ${surface.peer.kind} ${surface.peer.id}`,
  delivery: ({ status }) => status,
  tries: ({ attempts }) => attempts,
  trouble: ({ error }) => error ?? '-',
};
