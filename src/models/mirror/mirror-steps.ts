// Reads the plain requests in a person's message that Mirror obeys. A line that begins with one of the words below is a
// request; every other line belongs to the `say` above it, or means nothing. The message may carry text that plugins
// put around it, so requests are looked for on every line.

import type { ModelFailure } from '../model.ts';

export type MirrorStep =
  | { readonly type: 'say'; readonly text: string }
  | { readonly type: 'call'; readonly tool: string; readonly input: string }
  | { readonly type: 'wait'; readonly seconds: number }
  | { readonly type: 'fail'; readonly kind: ModelFailure['kind']; readonly retryAfterMs?: number | undefined };

export const LONGEST_WAIT_SECONDS = 60;

const FAILURE_KINDS: readonly ModelFailure['kind'][] = [
  'rate-limit',
  'overloaded',
  'auth',
  'bad-request',
  'context-length',
  'network',
  'timeout',
  'malformed',
  'server',
  'unknown',
];

/** Returns the steps in the order of the lines, or an empty list when the message asks for nothing. */
export function mirrorSteps(message: string, tools: readonly string[]): MirrorStep[] {
  const steps: MirrorStep[] = [];
  for (const line of message.split(/\r?\n/)) {
    const step = stepOf(line.trim(), tools);
    const last = steps.at(-1);
    if (step) steps.push(step);
    else if (last?.type === 'say') steps[steps.length - 1] = { type: 'say', text: `${last.text}\n${line}` };
  }
  return steps.map((step) => (step.type === 'say' ? { ...step, text: step.text.trimEnd() } : step));
}

function stepOf(line: string, tools: readonly string[]): MirrorStep | undefined {
  const [, word = '', rest = ''] = /^(say|call|wait|fail)\b[ \t]*(.*)$/i.exec(line) ?? [];
  switch (word.toLowerCase()) {
    case 'say':
      return rest ? { type: 'say', text: rest } : undefined;
    case 'call':
      return callOf(rest, tools);
    case 'wait':
      return /^\d+(?:\.\d+)?$/.test(rest)
        ? { type: 'wait', seconds: Math.min(Number(rest), LONGEST_WAIT_SECONDS) }
        : undefined;
    case 'fail':
      return failOf(rest);
    default:
      return undefined;
  }
}

/** "call me later" is not a request: it names no offered tool, and no parameters follow. */
function callOf(rest: string, tools: readonly string[]): MirrorStep | undefined {
  const [, tool = '', input = ''] = /^([\w.:-]+)[ \t]*(.*)$/.exec(rest) ?? [];
  if (input.startsWith('{')) return { type: 'call', tool, input };
  return input === '' && tools.includes(tool) ? { type: 'call', tool, input: '{}' } : undefined;
}

function failOf(rest: string): MirrorStep | undefined {
  const [, name = '', seconds] = /^([\w-]+)(?:[ \t]+(\d+(?:\.\d+)?))?$/.exec(rest) ?? [];
  const kind = FAILURE_KINDS.find((each) => each === name);
  if (!kind) return undefined;
  return { type: 'fail', kind, ...(seconds === undefined ? {} : { retryAfterMs: Number(seconds) * 1000 }) };
}
