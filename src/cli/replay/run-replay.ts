// `atrium run replay`: composes a recorded run again and compares the bytes; with changes, shows what would have been
// different, and with a model, what that one would have answered.

import { resolveUserPath } from '../../config/user-path.ts';
import { compareCompositions } from '../../context/report/compare-compositions.ts';
import { BadFlagError } from '../../gateway/errors.ts';
import type { OtherAnswer } from '../../gateway/services/replay/ask-other-model.ts';
import type { OpenedReplay } from '../../gateway/services/replay/open-replay.ts';
import {
  type AskedChanges,
  isUnchanged,
  pluginsIn,
  unknownFiles,
  unknownNames,
} from '../../gateway/services/replay/replay-changes.ts';
import { type CallReplay, type RunReplay, replayRun } from '../../gateway/services/replay/replay-run.ts';
import { tokensOfRequest } from '../../gateway/services/replay/replay-runs.ts';
import { ReplayInputGoneError } from '../../protocol/errors.ts';
import { formatCost } from '../../protocol/usage.ts';
import type { CliIo } from '../cli-io.ts';
import { type Answer, command } from '../command.ts';
import { parseWholeNumber } from '../common-options.ts';
import { compareRest } from '../context/compare-rest.ts';
import { formatComparison, withChange } from '../context/format-comparison.ts';
import { askRunning, path } from '../gateway/gateway-client.ts';
import { formatFacts, formatTable } from '../output/format-table.ts';
import { formatTime } from '../output/format-time.ts';
import { formatList, line, oneLine, visibleLine, visibleText, wrapText } from '../output/text.ts';
import { checkSession } from './check-session.ts';
import { compareMessages } from './compare-messages.ts';
import { askedChanges, REPLAY_OPTIONS } from './replay-options.ts';

export const runReplay = command({
  path: 'run replay',
  summary: 'compose a recorded run again, as it was or with something changed',
  args: { '<run>': 'the id of a run, or "last"' },
  options: {
    '--session <key>': 'with "last": the last run of this session',
    '--call <number>': {
      text: 'only this request (default: all of them, and the last one where one is shown)',
      parse: (text: string) => parseWholeNumber('--call', text, 1, 999_999),
    },
    ...REPLAY_OPTIONS,
    '--model <name>': 'really ask this model, and show its answer beside the old one',
  },
  about: `Works on what was recorded: files, what handlers did, tools, history, clock. No handler, plugin, tool or gateway is called.
Exits with 1 when the bytes differ without a change, or when an input is gone.`,
  examples: [
    'run replay last',
    'run replay run_0mh3k9q2x4f8c1d07a5be --without time-context',
    'run replay last --with-file AGENTS.md=new.md',
    'run replay last --config strict.yaml --call 1',
    'run replay last --model openai/gpt-5',
  ],
  async run({ run: named, session, call, without, withFile, config, model }, { io }) {
    const { openReplay } = await import('../../gateway/services/replay/open-replay.ts');
    const replay = await openReplay({ environment: io.environment });
    try {
      const run = named === 'last' ? await lastRun(replay, session) : named;
      const { environment } = io;
      const otherPath = config ? resolveUserPath(config, environment.home, environment.cwd) : undefined;
      const changes = await askedChanges({ without, withFile, config: otherPath }, replay, io);
      const replayed = await replayRun(replay.store, run, changes, { call });
      refuseUnknown(changes, replayed);
      const other = model === undefined ? undefined : await askOther(run, model, changes, otherPath, io);
      return answerOf(replayed, changes, other, io);
    } catch (error) {
      if (!(error instanceof ReplayInputGoneError)) throw error;
      const { runId, input, message } = error;
      return { json: { run: runId, gone: input }, text: `${oneLine(message)}\n`, ok: false };
    } finally {
      await replay.close();
    }
  },
});

/** Among so many of the newest runs, the last one in which a model was asked is meant. */
const MOST_LOOKED_AT = 50;

async function lastRun({ store }: OpenedReplay, sessionKey: string | undefined): Promise<string> {
  const where = sessionKey === undefined ? {} : { sessionKey };
  const runs = await store.select('runs', { where, orderBy: [['startedAt', 'desc']], limit: MOST_LOOKED_AT });
  // A command asks no model, and so there is nothing to compose again.
  const captures = await store.select('captures', { where: { runId: { in: runs.map(({ runId }) => runId) } } });
  const recorded = new Set(captures.map(({ runId }) => runId));
  const last = runs.find(({ runId }) => recorded.has(runId)) ?? runs[0];
  if (!last && sessionKey !== undefined) await checkSession(store, sessionKey);
  if (!last) throw new BadFlagError({ flag: 'run', value: 'last', expected: 'the id of a run: there is none yet' });
  return last.runId;
}

/** A misspelt name would look like an author or a file that changes nothing. */
function refuseUnknown({ without, files: texts }: AskedChanges, { recorded: { frame } }: RunReplay): void {
  const [file] = unknownFiles(texts.keys(), frame);
  if (file !== undefined) {
    const names = new Set((frame.inputs?.composition.files ?? []).map(({ name }) => name));
    throw new BadFlagError({
      flag: '--with-file',
      value: file,
      expected: `the name or path of a file that this run read or missed: ${[...names].join(', ')}`,
    });
  }
  const [unknown] = unknownNames(without, frame);
  if (unknown === undefined) return;
  const { handlers = [], files = [] } = frame.inputs?.composition ?? {};
  const known = [
    ...pluginsIn(frame),
    ...handlers.map(({ id }) => id),
    ...files.filter((file) => file.text !== undefined).map(({ name }) => name),
  ];
  throw new BadFlagError({
    flag: '--without',
    value: unknown,
    expected: `an author of this run: ${known.join(', ')}`,
  });
}

/** The gateway asks, if one runs: then it counts what the answer costs. Else it is counted in the store directly. */
async function askOther(
  runId: string,
  model: string,
  { without, files }: AskedChanges,
  config: string | undefined,
  io: CliIo,
): Promise<OtherAnswer> {
  const asked = { model, without, config };
  const answer = await askRunning(io, (client) =>
    client.post<OtherAnswer>(path`/api/runs/${runId}/replay`, { ...asked, files: Object.fromEntries(files) }),
  );
  if (answer) return answer;
  const { openModelReplays } = await import('../../gateway/services/replay/open-model-replays.ts');
  const { replays, close } = await openModelReplays({
    environment: io.environment,
    now: () => io.now().getTime(),
    warn: (sentence) => io.err(line(sentence)),
  });
  try {
    return await replays.ask({ ...asked, runId, files }, new AbortController().signal);
  } finally {
    await close();
  }
}

function answerOf(replayed: RunReplay, changes: AskedChanges, other: OtherAnswer | undefined, io: CliIo): Answer {
  const { recorded, calls } = replayed;
  const { run } = recorded;
  const isFaithful = calls.every((each) => each.isFaithful);
  const isSame = calls.every((each) => each.isSame);
  const shown = calls.at(-1);
  const difference = shown && !shown.isSame && !isUnchanged(changes) ? differenceOf(shown) : undefined;
  return {
    json: {
      run: run.runId,
      same: isSame,
      faithful: isFaithful,
      calls: calls.map((each) => callJson(each)),
      notes: notesOf(calls),
      ...(difference && { difference: { sections: changedSections(difference), rest: difference.rest } }),
      ...(other && { answers: { recorded: run.outcome?.reply ?? null, other } }),
    },
    text: (width) =>
      [
        formatFacts([
          ['run', run.runId],
          ['session', run.sessionKey],
          ['began', formatTime(run.startedAt, io.environment.timezone)],
        ]),
        `\n${formatCalls(calls, width)}`,
        `${verdictOf(calls, changes)}\n`,
        isFaithful ? '' : `\n${calls.flatMap(firstDifference).join('\n')}`,
        difference
          ? `\n${formatComparison(difference.left, difference.right, { ...difference, home: io.environment.home, width })}`
          : '',
        formatList('Not done again', notesOf(calls)),
        formatList('Not in the prompt', absentFiles(shown, changes)),
        other ? `\n${formatAnswers(run.outcome?.reply, other, width)}` : '',
      ].join(''),
    ok: isFaithful,
  };
}

/** Why the new text of a file is not in the prompt: a file may be withheld, or be left out by a handler. */
function absentFiles(shown: CallReplay | undefined, { files }: AskedChanges): readonly string[] {
  const absences = shown?.after.composition.report.absences ?? [];
  return [...files.keys()].flatMap((name) =>
    absences
      .filter(({ what, path: at }) => what === name || at === name)
      .map(({ what, reason, detail }) => `${what}: ${reason}${detail === undefined ? '' : `, ${detail}`}`),
  );
}

function notesOf(calls: readonly CallReplay[]): readonly string[] {
  return [...new Set(calls.flatMap(({ after }) => after.notes))];
}

function callJson({ call, recorded, hash, recordedHash, isSame, isFaithful, before, after }: CallReplay): object {
  const { provider, model } = recorded.capture;
  return {
    call,
    provider,
    model,
    same: isSame,
    faithful: isFaithful,
    recordedHash,
    hash,
    tokens: { before: tokensOfRequest(before.request), after: tokensOfRequest(after.request) },
  };
}

function differenceOf({ before, after }: CallReplay) {
  const left = before.composition;
  const right = withChange(after.composition, left);
  const rest = [
    ...compareRest({ composition: left, request: before }, { composition: right, request: after }),
    ...compareMessages(before.spans, after.spans),
  ];
  const prompts = compareCompositions(left, right);
  return { left, right, rest, comparison: { ...prompts, same: prompts.same && rest.length === 0 } };
}

function changedSections({ comparison }: ReturnType<typeof differenceOf>) {
  return comparison.sections.filter(({ change }) => change !== 'same');
}

function formatCalls(calls: readonly CallReplay[], width: number): string {
  return formatTable(
    calls,
    {
      request: ({ call }) => call,
      model: ({ recorded: { capture } }) => `${capture.provider}/${capture.model}`,
      bytes: ({ body }) => Buffer.byteLength(body),
      result: ({ isSame, isFaithful }) => (isSame ? 'same bytes' : isFaithful ? 'changed' : 'differs'),
      sha256: ({ hash }) => hash,
    },
    width,
  );
}

function verdictOf(calls: readonly CallReplay[], changes: AskedChanges): string {
  if (!calls.every((each) => each.isFaithful)) return 'The replay differs from what was sent, without any change.';
  if (isUnchanged(changes))
    return 'Composed again from the record, every request has the same bytes as the one that was sent.';
  return calls.every((each) => each.isSame)
    ? 'With these changes, every request would have been the same, byte for byte.'
    : 'With these changes, the run would have sent other bytes.';
}

const AROUND = 60;

/** Where the recorded and the replayed bytes part. */
function firstDifference({ call, before, recorded, body, isFaithful, isSame }: CallReplay): readonly string[] {
  if (isFaithful || isSame || !before) return [];
  const { body: sent } = recorded.capture;
  let at = 0;
  while (at < sent.length && sent[at] === body[at]) at += 1;
  const piece = (text: string) => visibleLine(text.slice(Math.max(0, at - AROUND), at + AROUND));
  return [
    `Request ${call} differs from character ${at} on:`,
    `  sent      ${piece(sent)}`,
    `  replayed  ${piece(body)}`,
    '',
  ];
}

function formatAnswers(reply: string | undefined, other: OtherAnswer, width: number): string {
  const { usage, cost, toolCalls, error } = other;
  const calls = toolCalls.map(
    ({ name, answered }) => `${name} (${answered === 'record' ? 'from the record' : 'refused'})`,
  );
  const facts = formatFacts([
    ['asked', `${other.provider}/${other.model}`],
    ['usage', `${usage.input} in (${usage.cacheRead} from the cache), ${usage.output} out`],
    ['cost', formatCost({ cost: cost ?? null, unpriced: 0 })],
    ['counted', 'in "atrium usage", under the session replay'],
    ['tools', calls.length === 0 ? undefined : calls.join(', ')],
    ['error', error],
  ]);
  const words = (text: string) =>
    text === ''
      ? '(nothing)\n'
      : `${visibleText(text)
          .trimEnd()
          .split('\n')
          .flatMap((each) => wrapText(each, width))
          .join('\n')}\n`;
  return `${facts}\nThe recorded answer\n${words(reply ?? '')}\nThe other answer\n${words(other.text)}`;
}
