// Counts what became of every message: accepted = answered + failed visibly, and nothing else. A message without an
// answer and without a visible failure is lost; one that has two of them is a duplicate.

import type { Store } from '../src/store/store.ts';
import type { ApiAnswer } from '../src/testkit/api-client.ts';
import type { RecordedRequest } from '../src/testkit/model-server.ts';
import type { WebClient } from '../src/testkit/web-client.ts';
import { answerTo, markOf, nameOf, resultsOf } from './scripted-model.ts';

export interface Counts {
  readonly said: number;
  readonly accepted: number;
  readonly answered: number;
  readonly failed: number;
  readonly lost: number;
  readonly duplicates: number;
  readonly outOfOrder: number;
}

export interface ToolCounts {
  readonly marks: number;
  /** Messages whose model was told that its call was interrupted. */
  readonly cut: number;
  readonly repeated: number;
  /** The model was told that it ran, and it left no mark. */
  readonly missing: number;
}

export interface KeptCounts {
  /** Calls that a person was asked about. */
  readonly asked: number;
  readonly allowed: number;
  /** A person was shown the same question twice, or asked twice about the same message. */
  readonly askedTwice: number;
  /** What was denied ran, what was allowed did not, or it ran twice. */
  readonly disobeyed: number;
  /** Slots of jobs that became runs. */
  readonly slots: number;
  /** A slot that has not exactly one run, or whose answer was not shown exactly once. */
  readonly slotsWrong: number;
  readonly children: number;
  /** How many children ended in each way. */
  readonly childEnds: Readonly<Record<string, number>>;
  /** A child that was spawned twice, has not ended, or whose result was not told exactly once. */
  readonly childrenWrong: number;
  readonly compactions: number;
  /** Runs whose answer says something else about what they used than their calls do. */
  readonly usageWrong: number;
  /** Runs, triggers and approvals that still wait. */
  readonly leftOver: number;
}

export interface WebTalk {
  readonly client: WebClient;
  /** The names of the messages, in order. */
  readonly said: string[];
}

export interface ApiMessage {
  readonly text: string;
  readonly user: string;
  readonly key: string;
}

export function countWeb(talks: readonly WebTalk[]): Counts {
  return talks
    .map(({ client, said }) => {
      const runs = said.map((name) => client.accepted.get(name)?.runId);
      const accepted = runs.filter((runId) => runId !== undefined);
      const shown = runs.map((runId) => client.parts.filter((part) => part.runId === runId).map(({ text }) => text));
      const isAnswered = (texts: readonly string[], index: number) => texts.includes(answerTo(said[index] ?? ''));
      // Questions and notes are messages of their own, and come when they come.
      const order = client.parts.map(({ runId }) => accepted.indexOf(runId)).filter((place) => place >= 0);
      return {
        said: said.length,
        accepted: accepted.length,
        answered: shown.filter(isAnswered).length,
        failed: shown.filter((texts, index) => texts.length > 0 && !isAnswered(texts, index)).length,
        lost: shown.filter((texts) => texts.length === 0).length,
        duplicates: shown.filter((texts) => texts.length > 1).length + (accepted.length - new Set(accepted).size),
        outOfOrder: order.filter((place, index) => index > 0 && place < (order[index - 1] ?? 0)).length,
      };
    })
    .reduce(addCounts, NONE);
}

/** `ask` asks once more under the same key, which must bring the same answer. */
export async function countApi(
  asked: readonly { readonly message: ApiMessage; readonly answer: ApiAnswer | undefined }[],
  ask: (message: ApiMessage) => Promise<ApiAnswer | undefined>,
): Promise<Counts> {
  const counts = { ...NONE };
  const runs = new Set<string | undefined>();
  for (const { message, answer } of asked) {
    counts.said += 1;
    if (!answer) {
      counts.lost += 1;
      continue;
    }
    counts.accepted += 1;
    const name = /This is (\S+)\./.exec(message.text)?.[1] ?? '';
    if (answer.status === 200 && answer.text === answerTo(name)) counts.answered += 1;
    else counts.failed += 1;
    const again = await ask(message);
    if (again?.runId !== answer.runId || again?.text !== answer.text || runs.has(answer.runId)) counts.duplicates += 1;
    runs.add(answer.runId);
  }
  return counts;
}

function isCut(result: string): boolean {
  return result.includes('interrupted');
}

export function countTools(tally: string, requests: readonly RecordedRequest[]): ToolCounts {
  const marks = new Map([...tally.matchAll(/^<(.+)>(x*)$/gm)].map(([, name = '', found = '']) => [name, found.length]));
  const told = new Map<string, boolean>();
  for (const request of requests) {
    const results = resultsOf(request);
    const name = nameOf(request);
    if (results.length > 0 && request.body.includes(markOf(name))) told.set(name, results.some(isCut));
  }
  const counts = [...marks.values()];
  return {
    marks: counts.reduce((sum, count) => sum + count, 0),
    cut: [...told.values()].filter(Boolean).length,
    repeated: counts.filter((count) => count > 1).length,
    missing: [...told].filter(([name, wasCut]) => !wasCut && marks.get(name) === 0).length,
  };
}

/** What the store says when everything is over. */
export async function countKept(
  store: Store,
  about: {
    readonly signed: string;
    readonly requests: readonly RecordedRequest[];
    readonly clients: readonly WebClient[];
  },
): Promise<KeptCounts> {
  const approvals = await store.select('approvals');
  const allowed = approvals.filter(({ decision }) => decision === 'allow-once');
  const cut = new Set(about.requests.filter((each) => resultsOf(each).some(isCut)).map(nameOf));
  const nameOfApproval = ({ params }: (typeof approvals)[number]) =>
    /^echo (\S+)/.exec(String(params.command))?.[1] ?? '';
  const marks = (name: string) => about.signed.split('\n').filter((line) => line === name).length;
  const shown = about.clients.flatMap(({ parts }) => parts);
  const questions = shown.flatMap(({ text }) => /^Approval needed[\s\S]*\/approve (\S+) /.exec(text)?.[1] ?? []);
  const names = approvals.map(nameOfApproval);
  const runs = await store.select('runs');
  const usage = await store.select('usage', { where: { purpose: 'run' } });
  const slots = await store.select('jobSlots');
  const fired = slots.flatMap(({ runId }) => runId ?? []);
  const told = (runId: string) => shown.filter((part) => part.runId === runId).length;
  const open = ['running', 'suspended'];
  return {
    asked: approvals.length,
    allowed: allowed.length,
    askedTwice: repeated(questions) + repeated(names),
    disobeyed: approvals.filter((approval) => {
      const name = nameOfApproval(approval);
      if (approval.decision !== 'allow-once') return marks(name) > 0;
      // A run that was given up may have been so before its call began.
      const isAnswered = runs.some(({ runId, status }) => runId === approval.runId && status === 'done');
      return isAnswered && !cut.has(name) ? marks(name) !== 1 : marks(name) > 1;
    }).length,
    slots: fired.length,
    slotsWrong: repeated(fired) + fired.filter((runId) => told(runId) !== 1).length,
    ...(await countChildren(store, told)),
    compactions: await store.count('transcript', { kind: 'compaction' }),
    usageWrong: runs.filter(({ runId, outcome }) => {
      const spent = usage.filter((row) => row.runId === runId).reduce((sum, { output }) => sum + output, 0);
      return outcome?.usage !== undefined && outcome.usage.output !== spent;
    }).length,
    leftOver:
      runs.filter(({ status }) => open.includes(status)).length +
      (await store.count('inbox', { status: { in: ['queued', 'claimed'] } })) +
      (await store.count('approvals', { status: 'waiting' })),
  };
}

async function countChildren(
  store: Store,
  told: (runId: string) => number,
): Promise<Pick<KeptCounts, 'children' | 'childEnds' | 'childrenWrong'>> {
  const children = await store.select('children');
  const completions = await store.select('inbox', { where: { kind: 'completion' } });
  const outcomes = new Map(children.map(({ childKey, outcome }) => [childKey, outcome ?? 'not ended']));
  const wrong = children.filter(({ childKey, parentKey, origin, endedAt, isAnswered }) => {
    const [completion, ...more] = completions.filter(({ payload }) => payload?.completionOf === childKey);
    if (more.length > 0 || endedAt === null || !isAnswered) return true;
    // A child that was ended takes its own along, and is told of none of them.
    const isUnheard = ['killed', 'timeout', 'error'].includes(outcomes.get(parentKey) ?? '');
    if (!completion) return !isUnheard;
    // Nothing is shown to people of what children and jobs tell each other, and a client of the API has gone.
    const isShown = origin.channel === 'web' && !/:(subagent|cron):/.test(parentKey);
    return isShown && told(completion.runId) !== 1;
  });
  const childEnds: Record<string, number> = {};
  for (const outcome of outcomes.values()) childEnds[outcome] = (childEnds[outcome] ?? 0) + 1;
  return {
    children: children.length,
    childEnds,
    childrenWrong: wrong.length + repeated(children.map(({ task }) => task)),
  };
}

function repeated(values: readonly string[]): number {
  return values.length - new Set(values).size;
}

const NONE = { said: 0, accepted: 0, answered: 0, failed: 0, lost: 0, duplicates: 0, outOfOrder: 0 };

export function addCounts(a: Counts, b: Counts): Counts {
  return {
    said: a.said + b.said,
    accepted: a.accepted + b.accepted,
    answered: a.answered + b.answered,
    failed: a.failed + b.failed,
    lost: a.lost + b.lost,
    duplicates: a.duplicates + b.duplicates,
    outOfOrder: a.outOfOrder + b.outOfOrder,
  };
}
