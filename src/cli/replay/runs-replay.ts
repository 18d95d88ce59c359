// `atrium runs replay`: composes many recorded runs again and sums up what a change would have done to them.

import { loadConfig } from '../../config/load-config.ts';
import { resolveTimezone } from '../../config/timezone.ts';
import { BadFlagError } from '../../gateway/errors.ts';
import { type AskedChanges, isUnchanged } from '../../gateway/services/replay/replay-changes.ts';
import { countRuns, type PromptSize, type ReplayedRun, replayRuns } from '../../gateway/services/replay/replay-runs.ts';
import { countOf } from '../../protocol/count-of.ts';
import { formatCost } from '../../protocol/usage.ts';
import type { CliIo } from '../cli-io.ts';
import { command } from '../command.ts';
import { type Columns, formatFacts, formatTable } from '../output/format-table.ts';
import { formatTime } from '../output/format-time.ts';
import { formatList } from '../output/text.ts';
import { parseSince, SINCE_TEXT } from '../parse-since.ts';
import { checkSession } from './check-session.ts';
import { askedChanges, REPLAY_OPTIONS } from './replay-options.ts';

export const runsReplay = command({
  path: 'runs replay',
  summary: 'compose many recorded runs again, and sum up what a change would have done',
  options: {
    '--since <when>': { text: `runs from then on: ${SINCE_TEXT}`, default: '7d' },
    '--session <key>': 'only the runs of this session',
    ...REPLAY_OPTIONS,
  },
  about: `Reads the runs one after the other and calls no handler, plugin, tool, model or gateway. Tokens are estimated; costs are those of
the prompts as fresh input, where models.providers has prices. Exits with 1 when a run differs without a change.`,
  examples: ['runs replay --since 7d --with-file AGENTS.md=new.md', 'runs replay --since 24h --without time-context'],
  async run({ since, session, without, withFile, config }, { io }) {
    const { openReplay } = await import('../../gateway/services/replay/open-replay.ts');
    const replay = await openReplay({ environment: io.environment });
    try {
      const changes = await askedChanges({ without, withFile, config }, replay, io);
      const timezone = resolveTimezone((await loadConfig({ environment: io.environment })).config, io.environment);
      const asked = {
        since: parseSince(since, io.now().getTime(), timezone),
        sessionKey: session,
        changes,
        pricesOf: replay.pricesOf,
      };
      const sums = new ReplaySums();
      const count = await countRuns(replay.store, asked);
      if (count === 0 && session !== undefined) await checkSession(replay.store, session);
      const progress = progressOf(io, count);
      for await (const run of replayRuns(replay.store, asked)) {
        sums.add(run);
        progress.step();
      }
      progress.end();
      refuseUnknown(sums, changes);
      return {
        json: sums.toJson(),
        text: (width) => formatSums(sums, changes, timezone, width),
        ok: sums.counts.differs === 0,
      };
    } finally {
      await replay.close();
    }
  },
});

/** A name that none of the runs has is a misspelt one, and looks like a change that changes nothing. */
function refuseUnknown({ counts, unknown }: ReplaySums, { without, files }: AskedChanges): void {
  const replayed = counts.same + counts.changed + counts.differs;
  const isNowhere = (name: string) => replayed > 0 && unknown.get(name) === replayed;
  const author = without.find(isNowhere);
  if (author !== undefined)
    throw new BadFlagError({ flag: '--without', value: author, expected: 'an author of any of these runs' });
  const file = [...files.keys()].find(isNowhere);
  if (file !== undefined)
    throw new BadFlagError({
      flag: '--with-file',
      value: file,
      expected: 'the name or path of a file that any of these runs read or missed',
    });
}

/** Runs that are listed by name; more are only counted. */
const MOST_LISTED = 20;

type Counts = Record<ReplayedRun['verdict'], number>;

interface SizeSum {
  tokens: number;
  cost: number;
  /** Runs whose prices are not known. */
  unpriced: number;
  /** Runs in which something was cut. */
  cut: number;
}

/** What is known of all runs together. A few are kept by name, so it does not grow with their number. */
class ReplaySums {
  readonly counts: Counts = { same: 0, changed: 0, differs: 0, gone: 0, refused: 0 };
  readonly before: SizeSum = { tokens: 0, cost: 0, unpriced: 0, cut: 0 };
  readonly after: SizeSum = { tokens: 0, cost: 0, unpriced: 0, cut: 0 };
  readonly reasons = new Map<string, number>();
  readonly notes = new Map<string, number>();
  /** By the name of an author or file, how many runs do not have it. */
  readonly unknown = new Map<string, number>();
  readonly differing: string[] = [];
  /** Runs whose cuts are others than they were. */
  readonly cuts: (Pick<ReplayedRun, 'runId' | 'startedAt' | 'agentId'> & {
    readonly before: number;
    readonly after: number;
  })[] = [];
  cutChanges = 0;

  get runs(): number {
    return Object.values(this.counts).reduce((sum, each) => sum + each, 0);
  }

  add({ runId, startedAt, agentId, verdict, reason, sizes, notes, unknown }: ReplayedRun): void {
    this.counts[verdict] += 1;
    if (verdict === 'differs' && this.differing.length < MOST_LISTED) this.differing.push(runId);
    if (reason !== undefined) count(this.reasons, reason.replaceAll(runId, '…'));
    for (const note of notes) count(this.notes, note);
    for (const name of unknown) count(this.unknown, name);
    if (!sizes) return;
    addSize(this.before, sizes.before);
    addSize(this.after, sizes.after);
    const [before, after] = [sizes.before.cutChars, sizes.after.cutChars];
    if (before === after) return;
    this.cutChanges += 1;
    if (this.cuts.length < MOST_LISTED) this.cuts.push({ runId, startedAt, agentId, before, after });
  }

  toJson(): object {
    const { runs, counts, before, after, differing, cuts, cutChanges } = this;
    const told = ({ cost, ...rest }: SizeSum) => ({ ...rest, cost: rest.unpriced === 0 || cost > 0 ? cost : null });
    return {
      runs,
      ...counts,
      before: told(before),
      after: told(after),
      cuts: { changed: cutChanges, runs: cuts },
      differing,
      reasons: Object.fromEntries(this.reasons),
      notes: Object.fromEntries(this.notes),
      unknown: Object.fromEntries(this.unknown),
    };
  }
}

/** Sentences that differ from run to run must not fill the memory. */
const MOST_SENTENCES = 100;

function count(counts: Map<string, number>, sentence: string): void {
  const key = counts.has(sentence) || counts.size < MOST_SENTENCES ? sentence : 'and others';
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function addSize(sum: SizeSum, { tokens, cost, cutChars }: PromptSize): void {
  sum.tokens += tokens;
  if (cost === undefined) sum.unpriced += 1;
  else sum.cost += cost;
  if (cutChars > 0) sum.cut += 1;
}

function formatSums(sums: ReplaySums, changes: AskedChanges, timezone: string, width: number): string {
  const { counts, before, after, cuts, cutChanges } = sums;
  if (sums.runs === 0) return 'There are no runs in that time.\n';
  const facts = formatFacts([
    ['runs', sums.runs.toLocaleString('en-US')],
    ['same bytes', counts.same.toLocaleString('en-US')],
    ['changed', isUnchanged(changes) ? undefined : counts.changed.toLocaleString('en-US')],
    ['could not have started', counts.refused === 0 ? undefined : counts.refused.toLocaleString('en-US')],
    ['differ without a change', counts.differs === 0 ? undefined : `${counts.differs}: ${sums.differing.join(', ')}`],
    ['not replayed', counts.gone === 0 ? undefined : counts.gone.toLocaleString('en-US')],
  ]);
  const rows = [
    { title: 'tokens of the prompts', cells: [before, after].map(({ tokens }) => tokens.toLocaleString('en-US')) },
    { title: 'cost of the prompts', cells: [before, after].map((each) => costText(each, sums)) },
    { title: 'runs with cuts', cells: [before, after].map(({ cut }) => cut.toLocaleString('en-US')) },
  ];
  const table = formatTable(
    rows,
    {
      '': ({ title }) => title,
      before: { right: ({ cells }) => cells[0] ?? '' },
      after: { right: ({ cells }) => cells[1] ?? '' },
    },
    width,
  );
  const columns: Columns<(typeof cuts)[number]> = {
    run: ({ runId }) => runId,
    began: ({ startedAt }) => formatTime(startedAt, timezone),
    agent: ({ agentId }) => agentId,
    'cut before': (each) => each.before,
    'cut after': (each) => each.after,
  };
  const more = cutChanges > cuts.length ? `and ${countOf(cutChanges - cuts.length, 'more run')}\n` : '';
  const cutText =
    cuts.length === 0 ? '' : `\nRuns whose cuts change, in characters\n${formatTable(cuts, columns, width)}${more}`;
  const told = (counted: ReadonlyMap<string, number>) => [...counted].map(([text, times]) => `${times} ×  ${text}`);
  return [
    facts,
    counts.gone === sums.runs ? '' : `\n${table}`,
    cutText,
    formatList('Not replayed', told(sums.reasons)),
    formatList('Not done again', told(sums.notes)),
    formatList('Not in the run, so nothing was changed', told(sums.unknown)),
  ].join('');
}

function costText({ cost, unpriced }: SizeSum, { runs, counts }: ReplaySums): string {
  const priced = runs - counts.gone - counts.refused - unpriced;
  if (unpriced === 0) return formatCost({ cost, unpriced: 0 });
  return priced === 0
    ? 'unknown'
    : `${formatCost({ cost, unpriced: 0 })} and ${countOf(unpriced, 'run')} of unknown cost`;
}

const PROGRESS_MS = 500;

/** On a terminal, one line that is written over; elsewhere nothing. */
function progressOf({ err, isTerminal }: CliIo, all: number) {
  let done = 0;
  let toldAt = Date.now();
  return {
    step() {
      done += 1;
      if (!isTerminal || Date.now() - toldAt < PROGRESS_MS) return;
      toldAt = Date.now();
      err(`\r${done.toLocaleString('en-US')} of ${countOf(all, 'run')}`);
    },
    end() {
      if (isTerminal && toldAt !== 0) err('\r\x1b[K');
    },
  };
}
