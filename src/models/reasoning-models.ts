// What is known of OpenAI's models that think before they answer: the o series, and GPT from 5 on except its chat
// variants. They refuse the settings that choose between likely words. GPT 5.1 and the later ones of that generation take
// some of them while they are told not to think.

import type { AnswerWishes, WishName } from '../protocol/answer-wishes.ts';

export function isReasoningModel(name: string): boolean {
  if (/^o\d+(?:-|$)/.test(name)) return true;
  const { major, minor, variant } = gptOf(name);
  return major >= 5 && !(minor === undefined && variant.startsWith('chat'));
}

/** Why a model of this name does not take a wish; undefined when it does. */
export function reasoningGap(name: string, wish: WishName, { effort }: AnswerWishes): string | undefined {
  if (!isReasoningModel(name) || !REFUSED.has(wish)) return undefined;
  if (!TAKEN_WITHOUT_THOUGHTS.has(wish)) return 'models that think before they answer do not take it';
  const { major, minor = 0 } = gptOf(name);
  const mayTakeIt = major === 5 && minor >= 1;
  if (mayTakeIt && effort === 'none') return undefined;
  const unless = mayTakeIt ? ', unless the effort of their thinking is "none"' : '';
  return `models that think before they answer do not take it${unless}`;
}

const REFUSED: ReadonlySet<WishName> = new Set([
  'temperature',
  'topP',
  'presencePenalty',
  'frequencyPenalty',
  'logitBias',
]);
const TAKEN_WITHOUT_THOUGHTS: ReadonlySet<WishName> = new Set(['temperature', 'topP']);

function gptOf(name: string): { readonly major: number; readonly minor: number | undefined; readonly variant: string } {
  const [, major, minor, variant = ''] = /^gpt-(\d+)(?:\.(\d+))?(?:-(.+))?$/.exec(name) ?? [];
  return { major: Number(major), minor: minor === undefined ? undefined : Number(minor), variant };
}
