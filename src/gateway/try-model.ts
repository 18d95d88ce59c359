// Asks a model one short question, to see that its address, its key and its name are right. Uses the same code as a run; no
// agent, no session and no record is involved.

import type { Model } from '../models/model.ts';
import { errorText } from '../protocol/one-line.ts';

export type ModelTrial =
  | { readonly ok: true; readonly answer: string; readonly ms: number }
  | { readonly ok: false; readonly problem: string };

const QUESTION = 'Answer with one word: ready';
const PATIENCE_MS = 60_000;
const LONGEST_ANSWER = 200;

/** Never rejects: what is wrong with the settings is an answer too. */
export async function tryModel(make: () => Promise<Model>): Promise<ModelTrial> {
  const startedAt = performance.now();
  try {
    const model = await make();
    const wire = await model.prepare({
      system: [],
      tools: [],
      messages: [{ role: 'user', content: QUESTION }],
    });
    let answer = '';
    for await (const event of model.stream(wire, AbortSignal.timeout(PATIENCE_MS))) {
      if (event.type === 'text-delta') answer = (answer + event.text).slice(0, LONGEST_ANSWER);
      if (event.type === 'end' && (event.stop === 'error' || event.stop === 'aborted')) {
        return { ok: false, problem: event.error?.message ?? 'it did not answer in time' };
      }
    }
    return { ok: true, answer: answer.trim(), ms: Math.round(performance.now() - startedAt) };
  } catch (error) {
    return { ok: false, problem: errorText(error) };
  }
}
