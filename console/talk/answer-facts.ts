// What an answer took: its model, its time, its tokens and its cost, as one line for people.

import type { RunCost, ToldRun } from '../client/gateway-client.ts';
import { formatCost, formatCount, formatDuration } from '../view/format.ts';

export interface AnswerFacts {
  readonly model: string | undefined;
  /** The rest of the line, in order. */
  readonly details: readonly string[];
}

export function factsOfRun({ outcome, startedAt, endedAt }: ToldRun, cost: RunCost | undefined): AnswerFacts {
  const { usage, model, toolCalls } = outcome ?? {};
  return {
    model,
    details: [
      ...(endedAt === null ? [] : [formatDuration(endedAt - startedAt)]),
      ...(usage ? [`${formatCount(usage.input)} in`, `${formatCount(usage.output)} out`] : []),
      ...(usage?.cacheRead ? [`${formatCount(usage.cacheRead)} cached`] : []),
      ...(cost?.cost == null ? [] : [formatCost(cost)]),
      ...(toolCalls ? [`${formatCount(toolCalls)} tool ${toolCalls === 1 ? 'call' : 'calls'}`] : []),
    ],
  };
}
