// Counts what became of every message: accepted = answered + failed visibly, and nothing else. A message of which nobody
// was told anything is lost; one that was told of twice is a duplicate.

import type { ApiAnswer } from '../src/testkit/api-client.ts';
import type { RecordedRequest } from '../src/testkit/model-server.ts';
import type { WebClient } from '../src/testkit/web-client.ts';
import { answerTo, nameOf, resultsOf } from './scripted-model.ts';

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
      const order = client.parts.map(({ runId }) => accepted.indexOf(runId));
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

export function countTools(tally: string, requests: readonly RecordedRequest[]): ToolCounts {
  const marks = new Map([...tally.matchAll(/^<(.+)>(x*)$/gm)].map(([, name = '', found = '']) => [name, found.length]));
  const told = new Map<string, boolean>();
  for (const request of requests) {
    const results = resultsOf(request);
    if (results.length > 0)
      told.set(
        nameOf(request),
        results.some((text) => text.includes('interrupted')),
      );
  }
  const counts = [...marks.values()];
  return {
    marks: counts.reduce((sum, count) => sum + count, 0),
    cut: [...told.values()].filter(Boolean).length,
    repeated: counts.filter((count) => count > 1).length,
    missing: [...told].filter(([name, isCut]) => !isCut && marks.get(name) === 0).length,
  };
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
