// A limit on what model calls may cost, as the operator sets it, and who is counted together under it. Money is in the
// currency in which the configuration gives its prices. It is pure; what was spent is in the store.

import type { ModelRef } from './model-ref.ts';

export interface SpendSettings {
  /** The limits in the order of the configuration. Every limit that concerns a call must have room for it. */
  readonly limits: readonly SpendLimit[];
  /** How many tokens an answer is taken to have at most, for models whose `maxTokens` is not configured. */
  readonly answerTokens: number;
  /** Days and months are those of this time zone. */
  readonly timezone: string;
}

export interface SpendLimit extends SpendScope {
  /** Where the limit is written, such as `limits.spend[0]`. */
  readonly setting: string;
  readonly per: SpendPeriodKind;
  /** At least one of the two is set. */
  readonly money?: number | undefined;
  readonly tokens?: number | undefined;
  /** The share of the limit at which the operator is told. */
  readonly warnAt: number;
  /** The model that answers when there is no room for the one that was chosen. Without it the call is refused. */
  readonly cheaper?: ModelRef | undefined;
  /** What becomes of a call under a limit in money when the price of its model is not known. */
  readonly unknownPrice: 'refuse' | 'allow';
}

export const SPEND_PERIODS = ['day', 'month', 'session'] as const;
export type SpendPeriodKind = (typeof SPEND_PERIODS)[number];

/** Whose calls a limit counts: those of a name, or of `*`, each for itself, or without a value, of all together. */
export interface SpendScope {
  readonly agent?: string | undefined;
  readonly session?: string | undefined;
  /** `channel:sender`. */
  readonly sender?: string | undefined;
}

/** Who makes a call. */
export interface Spender {
  readonly agent: string;
  readonly session: string;
  readonly sender: string;
}

/** The text under which a limit counts the calls of a spender; undefined when the limit does not concern them. */
export function subjectOf({ agent, session, sender }: SpendScope, spender: Spender): string | undefined {
  const parts = [
    partOf(agent, spender.agent),
    partOf(session, spender.session),
    partOf(sender, spender.sender),
  ] as const;
  return parts.includes(undefined) ? undefined : JSON.stringify(parts);
}

/** Whether a counter with this subject belongs to the limit. */
export function isSubjectOf({ agent, session, sender }: SpendScope, subject: string): boolean {
  const found = parseSubject(subject);
  const pairs = [
    [agent, found.agent],
    [session, found.session],
    [sender, found.sender],
  ] as const;
  return pairs.every(([wanted, is]) =>
    wanted === undefined ? is === undefined : wanted === '*' ? is !== undefined : wanted === is,
  );
}

/** The names in a subject. A part that the limit does not tell apart is undefined. */
export function parseSubject(subject: string): SpendScope {
  const [agent, session, sender] = JSON.parse(subject) as readonly (string | null)[];
  return { agent: agent ?? undefined, session: session ?? undefined, sender: sender ?? undefined };
}

/** Says who is counted, for people: `the agent "main"`, `each sender`, `all agents together`. */
export function describeScope({ agent, session, sender }: SpendScope): string {
  const named = [describePart('agent', agent), describePart('session', session), describePart('sender', sender)].filter(
    (part) => part !== undefined,
  );
  return named.length === 0 ? 'all agents together' : named.join(', ');
}

function describePart(noun: string, value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  return value === '*' ? `each ${noun}` : `the ${noun} "${value}"`;
}

function partOf(wanted: string | undefined, is: string): string | null | undefined {
  if (wanted === undefined) return null;
  return wanted === '*' || wanted === is ? is : undefined;
}
