// A rule contributes text without code: a file, a mode, a text, and the conditions under which it holds.

import type { Stability } from '../../../protocol/handler.ts';

export interface Rule {
  readonly id: string;
  readonly file: string;
  readonly mode: 'append' | 'prepend' | 'replace' | 'add' | 'remove';
  /** The text itself, or absolute paths of which the first that is there is read; neither for `remove`. */
  readonly text?: string | undefined;
  readonly from?: readonly string[] | undefined;
  readonly when: RuleConditions;
  readonly priority?: number | undefined;
  readonly stability?: Stability | undefined;
}

/** All given conditions must hold; of a list, one entry must. */
export interface RuleConditions {
  readonly agent?: string | readonly string[] | undefined;
  readonly sessionType?: string | readonly string[] | undefined;
  readonly channel?: string | readonly string[] | undefined;
  readonly channelId?: string | readonly string[] | undefined;
  /** `22-6` holds from 22:00 until 6:00. */
  readonly hours?: string | readonly string[] | undefined;
  /** `mon`, or `mon-fri`. */
  readonly days?: string | readonly string[] | undefined;
  readonly weekend?: boolean | undefined;
  /** The value that a variable must have, or whether it must be set. */
  readonly env?: Readonly<Record<string, string | boolean>> | undefined;
}

/**
 * A rule is as stable as its conditions, unless it says otherwise, because a rule for the night must not break a cached
 * prompt.
 */
export function ruleStability(rule: Pick<Rule, 'stability' | 'when'>): Stability | undefined {
  const { hours, days, weekend, channel, channelId, sessionType } = rule.when;
  if (rule.stability) return rule.stability;
  if (hours !== undefined || days !== undefined || weekend !== undefined) return 'run';
  return channel !== undefined || channelId !== undefined || sessionType !== undefined ? 'session' : undefined;
}
