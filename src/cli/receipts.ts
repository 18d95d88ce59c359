// `atrium receipts`: the runs in which a text was in the prompt, and those in which it was not, with the reason.

import { readConfig } from '../config/load-config.ts';
import { resolveTimezone } from '../config/timezone.ts';
import { BadFlagError } from '../gateway/errors.ts';
import type { FoundPlace, ListedRun, ReceiptAnswer } from '../gateway/services/receipts/find-receipts.ts';
import { countOf } from '../protocol/count-of.ts';
import { clip } from '../protocol/one-line.ts';
import { checkFilter } from './check-filter.ts';
import { command } from './command.ts';
import { limitOption } from './common-options.ts';
import { describeLines, describePath } from './context/describe-origin.ts';
import { FlagCombinationError } from './errors.ts';
import { type Columns, formatTable } from './output/format-table.ts';
import { formatTime } from './output/format-time.ts';
import { oneLine, wrapText } from './output/text.ts';
import { parseSince, SINCE_TEXT } from './parse-since.ts';

export const receipts = command({
  path: 'receipts',
  summary: 'list the runs in which a text was in the prompt, and why it was not in the others',
  args: { '<text>': 'the text, exactly as it stands in the prompt; it may have several lines' },
  options: {
    '--since <when>': `only from then on: ${SINCE_TEXT}`,
    '--until <when>': 'only before then',
    '--agent <id>': 'only runs of this agent',
    '--session <key>': 'only runs of this session',
    '--present': 'list only runs that had it',
    '--absent': 'list only runs that did not',
    '--ignore-case': 'find it in upper and lower case',
    '--before <run>': 'list only runs before this one, to go on where a list ended',
    '--limit <number>': limitOption(20, 'list at most this many runs'),
  },
  about:
    'System prompts, tools and messages are searched. What was pruned or belongs to a deleted session is no longer known.\nExits with 0 when a run had the text, with 1 when none did.',
  examples: [
    'receipts "never push to main"',
    'receipts "never push to main" --absent --since 7d',
    'receipts "never push" --ignore-case --agent main --json | jq .counts',
    'receipts -- "- a text that begins with a dash"',
  ],
  needs: 'reading',
  async run({ text, since, until, agent, session, present, absent, ignoreCase, before, limit }, { client, io }) {
    if (text.trim() === '' || text.length > MOST_CHARS) {
      const expected = `text to look for, of at most ${MOST_CHARS} characters`;
      throw new BadFlagError({ flag: 'receipts', value: clip(text, 60), expected });
    }
    if (present && absent) {
      throw new FlagCombinationError({ problem: '--present and --absent exclude each other.' });
    }
    const config = await readConfig({ environment: io.environment });
    const timezone = resolveTimezone(config, io.environment);
    const timeOf = (flag: string, when: string | undefined) =>
      when === undefined ? undefined : parseSince(when, io.now().getTime(), timezone, flag);
    const answer = await client.get<ReceiptAnswer>('/api/receipts', {
      text,
      ignoreCase: ignoreCase === true,
      since: timeOf('--since', since),
      until: timeOf('--until', until),
      agent,
      session,
      list: present ? 'present' : absent ? 'absent' : 'all',
      limit,
      before,
    });
    const { present: had, absent: hadNot } = answer.counts;
    if (had + hadNot === 0) await checkFilter({ agent, session }, client, io);
    const view = { home: io.environment.home, timezone };
    return {
      json: { text, ...answer },
      text: (width) => formatAnswer(text, answer, { ...view, width }),
      ok: answer.counts.present > 0,
    };
  },
});

const MOST_CHARS = 1_000;

interface View {
  readonly home: string;
  readonly timezone: string;
  readonly width: number;
}

function formatAnswer(text: string, answer: ReceiptAnswer, view: View): string {
  const { places, missing, runs, next } = answer;
  const parts = [
    formatSummary(text, answer, view),
    places.length === 0
      ? ''
      : formatTable(
          places.slice(0, MOST_GROUPS),
          {
            runs: ({ runs: count }) => count,
            'in the prompt from': (place) => placeText(place, view),
            hash: ({ hash }) => shortHash(hash),
          },
          view.width,
        ),
    missing.length === 0
      ? ''
      : formatTable(
          missing.slice(0, MOST_GROUPS),
          {
            runs: ({ runs: count }) => count,
            'not in it because': ({ reason }) => reason,
            of: (each) => missingText(each, view),
            hash: ({ hash }) => (hash === undefined ? '' : shortHash(hash)),
            why: ({ detail }) => detail,
          },
          view.width,
        ),
    runs.length === 0 ? '' : formatRuns(runs, view),
    next === null
      ? ''
      : `There are more; go on with --before ${next}, or ask for more at once with --limit (500 at most).\n`,
  ];
  return parts.filter((part) => part !== '').join('\n');
}

/** More are counted in the JSON. */
const MOST_GROUPS = 10;

function formatSummary(text: string, { counts, firstAt, lastAt }: ReceiptAnswer, { timezone, width }: View): string {
  const { present, absent, unseen, blocked, unrecorded } = counts;
  const quoted = `"${clip(oneLine(text), 60)}"`;
  const times =
    firstAt === null || lastAt === null
      ? ''
      : `, first ${formatTime(firstAt, timezone)}, last ${formatTime(lastAt, timezone)}`;
  const all = present + absent;
  const sentences = [
    all === 0
      ? 'There are no runs that could be looked at.'
      : present === 0
        ? `${quoted} was in the prompt of none of ${countOf(all, 'run')}.`
        : `${quoted} was in the prompt of ${present.toLocaleString('en-US')} of ${countOf(all, 'run')}${times}.`,
    unrecorded === 0
      ? ''
      : `${countOf(unrecorded, 'more run')} cannot be looked at: records are no longer kept, or no model was asked.`,
    blocked === 0 ? '' : `${countOf(blocked, 'run')} blocked by a gate left no record.`,
    unseen === 0
      ? ''
      : `${countOf(unseen, 'recorded run')} not looked at yet, because the index is not complete: a running gateway completes it in the background.`,
  ];
  return sentences
    .filter((sentence) => sentence !== '')
    .map((sentence) => `${wrapText(sentence, width).join('\n')}\n`)
    .join('');
}

function formatRuns(runs: readonly ListedRun[], view: View): string {
  const columns: Columns<ListedRun> = {
    run: ({ runId }) => runId,
    began: ({ at }) => formatTime(at, view.timezone),
    session: ({ sessionKey }) => sessionKey,
    text: ({ verdict }) => ({ present: 'in', absent: 'not in', unrecorded: 'unknown' })[verdict],
    'where or why': (run) => whereOrWhy(run, view),
  };
  return formatTable(runs, columns, view.width);
}

function whereOrWhy({ places, missing }: ListedRun, view: View): string {
  if (missing === null) {
    return places.map((place) => `${placeText(place, view)} (${shortHash(place.hash)})`).join(', ');
  }
  if (!('what' in missing)) return `${missing.reason}: ${missing.detail}`;
  const of = missingText(missing, view);
  const hash = missing.hash === undefined ? '' : ` (${shortHash(missing.hash)})`;
  return `${missing.reason}: ${of === '' ? '' : `${of}${hash}, `}${missing.detail}`;
}

/** `~/agent/AGENTS.md:25`, `handler global-files from ~/.openclaw/AGENTS.md:1`, `tool read`, `message`. */
function placeText({ kind, name, path, lines, where }: FoundPlace, view: View): string {
  const source = path === undefined ? '' : fileText(path, lines, view);
  if (kind === 'file') return source;
  if (kind === 'product') return `Atrium (${name})`;
  if (kind === 'conversation') return oneLine(name);
  if (kind === 'tool') return where === 'tools' ? `tool ${name}` : `result of tool ${name}`;
  return oneLine(`${kind} ${name}${source === '' ? '' : ` from ${source}`}`);
}

function missingText(
  {
    what,
    path,
    lines,
  }: { readonly what: string; readonly path?: string | undefined; readonly lines?: FoundPlace['lines'] },
  view: View,
): string {
  return path === undefined ? oneLine(what) : fileText(path, lines, view);
}

/** Runs of several workspaces stand in one list, so no path is written relative to one of them. */
function fileText(path: string, lines: FoundPlace['lines'], { home }: View): string {
  return `${describePath(path, { workspaceDir: path, home })}${lines ? `:${describeLines(lines)}` : ''}`;
}

function shortHash(hash: string): string {
  return hash.slice(0, 12);
}
