// One short question to a model, to see whether it answers: as a run would ask it, with its own serialiser and its key. There
// is no fallback and no second attempt, and nothing is recorded. It never rejects: a model that cannot be used is an answer too. Silence is a
// failure, because most of what answers with nothing readable is not a model.

import type { ModelRef } from '../../protocol/model-ref.ts';
import { errorText } from '../../protocol/one-line.ts';
import { NO_USAGE, type Usage } from '../../protocol/usage.ts';
import type { ModelRegistry } from './model-registry.ts';

export interface ModelTrial {
  readonly ok: boolean;
  readonly provider: string;
  readonly model: string;
  readonly ms: number;
  readonly text: string;
  readonly usage: Usage;
  /** Why it failed, as a sentence with the next step where there is one. */
  readonly problem?: string | undefined;
}

const QUESTION = 'Are you there? Answer with one short word.';
const MOST_TOKENS = 512;
const LONGEST_MS = 60_000;

export async function askModel(
  registry: Pick<ModelRegistry, 'model'>,
  { provider, model: name }: ModelRef,
  now: () => number = performance.now.bind(performance),
): Promise<ModelTrial> {
  const began = now();
  const trial = { provider, model: name, text: '', usage: NO_USAGE };
  const failed = (problem: string): ModelTrial => ({ ...trial, ok: false, ms: Math.round(now() - began), problem });
  try {
    const model = await registry.model({ provider, model: name });
    const wire = await model.prepare({
      system: [],
      tools: [],
      messages: [{ role: 'user', content: QUESTION }],
      maxOutputTokens: MOST_TOKENS,
    });
    let text = '';
    let isThinking = false;
    for await (const event of model.stream(wire, AbortSignal.timeout(LONGEST_MS))) {
      if (event.type === 'text-delta') text += event.text;
      if (event.type === 'reasoning-delta') isThinking = true;
      if (event.type !== 'end') continue;
      if (event.stop === 'aborted') return failed(`${provider} did not finish within ${LONGEST_MS / 1000} seconds.`);
      if (event.error) return failed(withStep(event.error.kind, event.error.message, provider, name));
      // A model that thinks for long may reach the limit of this question before it says anything.
      if (text.trim() === '' && !(isThinking && event.stop === 'length')) break;
      return { ...trial, ok: true, ms: Math.round(now() - began), text: text.trim(), usage: event.usage };
    }
    return failed(
      `The server answered with nothing that can be read. Look at models.providers.${provider}.baseUrl and .api: is it the address of an API that this api speaks?`,
    );
  } catch (error) {
    return failed(errorText(error));
  }
}

function withStep(kind: string, message: string, provider: string, model: string): string {
  const sentence = message.replace(/[.\s]*$/, '.');
  if (kind === 'auth') return `${sentence} Look at the key: "atrium models list" says where it comes from.`;
  if (kind === 'network' || kind === 'timeout')
    return `${sentence} Look at models.providers.${provider}.baseUrl, and whether the server runs.`;
  if (kind === 'bad-request')
    return `${sentence} Look at the name "${model}": "atrium models refresh ${provider}" asks which models there are.`;
  return sentence;
}
