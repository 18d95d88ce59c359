// How the calls of a handler failed since the gateway started, in one line for people; nothing for one that never failed.

import type { HandlerStatus } from '../../gateway/services/hook-control.ts';

export function describeFailures({ hook, owner, errors, timeouts, calls, lastFailure }: HandlerStatus): string[] {
  if (!lastFailure) return [];
  const how = lastFailure.error ?? lastFailure.outcome;
  return [`${hook} of ${owner} failed in ${errors + timeouts} of ${calls} calls, the last time: ${how}`];
}
