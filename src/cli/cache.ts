// `atrium cache`: how well the prompt caches of the providers are used, and who broke what they had.

import { readConfig } from '../config/load-config.ts';
import { resolveTimezone } from '../config/timezone.ts';
import type { ComparedRequest } from '../gateway/services/cache/compare-request.ts';
import type { CacheBreak, CacheReport } from '../gateway/services/cache/report-cache.ts';
import { formatCost } from '../protocol/usage.ts';
import { checkFilter } from './check-filter.ts';
import { type CliCommand, command } from './command.ts';
import { parseWholeNumber } from './common-options.ts';
import { lastRunId } from './last-run-id.ts';
import { type Columns, formatFacts, formatTable } from './output/format-table.ts';
import { formatTime } from './output/format-time.ts';
import { formatList } from './output/text.ts';
import { parseSince, SINCE_TEXT } from './parse-since.ts';

export const CACHE_COMMANDS: readonly CliCommand[] = [
  command({
    path: 'cache report',
    summary: 'show what prompt caches saved, where prompts changed, and who changed them',
    options: {
      '--since <when>': {
        text: `runs that began from then on: ${SINCE_TEXT}`,
        default: '24h',
      },
      '--agent <id>': 'only of this agent',
      '--session <key>': 'only of this session',
      '--run <run>': 'one run, request by request: its id, or "last"',
      '--limit <number>': {
        text: 'how many breaks to show at most',
        default: '20',
        parse: (text: string) => parseWholeNumber('--limit', text, 1, 200),
      },
    },
    about:
      'It compares every request with the one before it, from what is recorded; nothing is sent. Tokens that were lost are estimated. Costs are known where models.providers has prices for a model.',
    examples: ['cache report', 'cache report --since 7d --agent main', 'cache report --run last'],
    needs: 'reading',
    async run({ since, agent, session, run: named, limit }, { client, io }) {
      const config = await readConfig({ environment: io.environment });
      const timezone = resolveTimezone(config, io.environment);
      const from = parseSince(since, io.now().getTime(), timezone);
      const run = named === 'last' ? await lastRunId(client, session) : named;
      const asked = run === undefined ? { since: from, agent, session } : { run };
      const report = await client.get<CacheReport>('/api/cache', asked);
      if (report.requests.sent === 0) await checkFilter({ agent, session }, client, io);
      return { json: report, text: (width) => formatReport(report, { timezone, limit, width }) };
    },
  }),
];

interface Layout {
  readonly timezone: string;
  readonly limit: number;
  readonly width: number;
}

function formatReport(report: CacheReport, layout: Layout): string {
  const { requests, breaks, calls } = report;
  if (requests.sent === 0) return 'No request to a model is kept from that time.\n';
  const shown = breaks.slice(0, layout.limit);
  return [
    formatTotals(report, layout.width),
    calls ? formatTable(calls, callColumns(layout.timezone), layout.width) : '',
    shown.length === 0 || calls
      ? ''
      : `Breaks, the most expensive first\n${formatTable(shown, breakColumns(layout.timezone), layout.width)}${moreBreaks(report, shown.length)}`,
    formatList('What can be done', adviceFor(breaks)).trimStart(),
  ]
    .filter((part) => part !== '')
    .join('\n');
}

function formatTotals(
  { requests, tokens, saved, unpriced, prefix, breaks, breakCount }: CacheReport,
  width: number,
): string {
  const { runs, sent, first, gone } = requests;
  const lost = breaks.reduce((sum, { lostTokens }) => sum + lostTokens, 0);
  const besides = [
    first > 0 ? `${count(first)} had none before them to share with` : '',
    gone > 0 ? `${count(gone)} are not kept any more` : '',
  ].filter((text) => text !== '');
  return formatFacts(
    [
      [
        'runs',
        `${count(runs)}, with ${count(sent)} ${sent === 1 ? 'request' : 'requests'}${besides.length > 0 ? `; ${besides.join('; ')}` : ''}`,
      ],
      ['tokens', describeTokens(tokens)],
      ['saved', formatCost({ cost: saved, unpriced })],
      ['prefix', describePrefix(prefix)],
      ['breaks', breakCount === 0 ? 'none' : `${count(breakCount)}, about ${count(lost)} tokens lost`],
    ],
    { width },
  );
}

function describeTokens({ input, cacheRead, cacheWrite, uncached }: CacheReport['tokens']): string {
  if (input === 0) return 'the provider did not count any';
  const share = percent(cacheRead / input);
  return `${count(input)} in: ${count(cacheRead)} read from the cache (${share}), ${count(cacheWrite)} written to it, ${count(uncached)} neither`;
}

function describePrefix({ share, sharedBytes, shareableBytes }: CacheReport['prefix']): string {
  if (share === null) return 'nothing could be shared';
  return `${percent(share)} of what could be shared was the same (${count(sharedBytes)} of ${count(shareableBytes)} bytes)`;
}

function breakColumns(timezone: string): Columns<CacheBreak> {
  return {
    when: ({ at }) => formatTime(at, timezone),
    author: describeBreaker,
    where: ({ where }) => where,
    tokens: ({ lostTokens }) => lostTokens,
    cost: { right: ({ lostCost }) => formatCost({ cost: lostCost, unpriced: 0 }) },
    times: ({ times }) => times,
    needless: ({ isInput }) => (isInput ? '-' : 'yes'),
    run: ({ runId }) => runId,
    session: ({ sessionKey }) => sessionKey,
  };
}

function callColumns(timezone: string): Columns<ComparedRequest> {
  return {
    call: ({ call }) => call,
    at: ({ at }) => formatTime(at, timezone),
    bytes: ({ bytes }) => bytes,
    same: ({ sharedBytes }) => sharedBytes,
    'could be': ({ shareableBytes }) => shareableBytes,
    as: describeEarlier,
    broken: ({ break: found }) => (found ? `${found.where}, by ${describeBreaker(found)}` : '-'),
  };
}

export function describeBreaker({
  author,
  line,
}: {
  readonly author: string;
  readonly line?: number | undefined;
}): string {
  return line === undefined ? author : `${author}:${line}`;
}

function describeEarlier({ with: earlier }: ComparedRequest): string {
  if (!earlier) return 'none before it';
  if (earlier.kind === 'call') return `call ${earlier.call}`;
  return `${earlier.kind === 'agent' ? 'another session, ' : ''}${earlier.runId}, call ${earlier.call}`;
}

function moreBreaks({ breakCount }: CacheReport, shown: number): string {
  const more = breakCount - shown;
  return more > 0 ? `${count(more)} more; --limit shows up to 200.\n` : '';
}

/** Each author once. */
function adviceFor(breaks: readonly CacheBreak[]): readonly string[] {
  return [...new Set(breaks.flatMap(({ author, next }) => (next === undefined ? [] : [`${author}: ${next}`])))];
}

function count(number: number): string {
  return number.toLocaleString('en-US');
}

/** Never rounded up to a whole that it is not. */
function percent(share: number): string {
  return `${(Math.floor(share * 1_000) / 10).toFixed(1)} %`;
}
