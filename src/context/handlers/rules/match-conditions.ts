// Decides whether a rule's conditions hold, and says which one does not.

import { normalizeAgentId } from '../../../protocol/agent-id.ts';
import type { AgentBootstrapHookContext } from '../../../protocol/bootstrap-event.ts';
import { isWithin } from '../time-context/handler.ts';
import type { RuleConditions } from './rule.ts';

export type Variables = Readonly<Record<string, string | undefined>>;

/** Undefined when every condition holds; otherwise the first that does not, in words. */
export function unmetCondition(
  when: RuleConditions,
  context: AgentBootstrapHookContext,
  variables: Variables,
): string | undefined {
  const { timeContext: time, channelContext: channel } = context;
  const hour = time?.hour ?? 0;
  const day = time?.dayOfWeek ?? 0;
  const checks: [condition: keyof RuleConditions, holds: boolean, actual: string][] = [
    [
      'agent',
      anyOf(when.agent, (id) => normalizeAgentId(id) === normalizeAgentId(context.agentId)),
      context.agentId ?? 'none',
    ],
    ['sessionType', anyOf(when.sessionType, (type) => type === context.sessionType), context.sessionType ?? 'none'],
    ['channel', anyOf(when.channel, (name) => sameText(name, channel?.provider)), channel?.provider ?? 'none'],
    ['channelId', anyOf(when.channelId, (id) => sameText(id, channel?.channelId)), channel?.channelId ?? 'none'],
    ['hours', anyOf(when.hours, (span) => isWithinHours(hour, span)), `${hour}:00`],
    ['days', anyOf(when.days, (span) => isWithinDays(day, span)), DAYS[day] ?? ''],
    [
      'weekend',
      when.weekend === undefined || when.weekend === (time?.isWeekend ?? false),
      String(time?.isWeekend ?? false),
    ],
  ];
  const failed = checks.find(([, holds]) => !holds);
  if (failed) return `${failed[0]} is ${failed[2]}, wanted ${JSON.stringify(when[failed[0]])}`;
  return unmetVariable(when.env, variables);
}

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** The values of variables are never shown: they may be secrets. */
function unmetVariable(wanted: RuleConditions['env'], variables: Variables): string | undefined {
  for (const [name, value] of Object.entries(wanted ?? {})) {
    const actual = Object.hasOwn(variables, name) ? variables[name] : undefined;
    const isSet = actual !== undefined && actual !== '';
    const holds = typeof value === 'boolean' ? value === isSet : actual === value;
    if (!holds) return `env ${name} ${isSet ? 'has another value' : 'is not set'}`;
  }
  return undefined;
}

function anyOf(wanted: string | readonly string[] | undefined, holds: (value: string) => boolean): boolean {
  if (wanted === undefined) return true;
  return typeof wanted === 'string' ? holds(wanted) : wanted.some(holds);
}

function sameText(a: string, b: string | undefined): boolean {
  return a.toLowerCase() === b?.toLowerCase();
}

function isWithinHours(hour: number, span: string): boolean {
  const [start = 0, end = 0] = span.split('-').map(Number);
  return isWithin(hour, start, end);
}

function isWithinDays(day: number, span: string): boolean {
  const [first = '', last = first] = span.toLowerCase().split('-');
  const start = DAYS.indexOf(first);
  const end = (DAYS.indexOf(last) + 1) % 7;
  // A span that ends where it began is the whole week.
  return start === end || isWithin(day, start, end);
}
