// A setting of OpenClaw that a configuration has and Atrium does not use, or uses with another meaning, as the status
// tells it.

/** How bad it is that a setting is not used as it was meant. The most dangerous kind is first. */
export const DANGERS = ['protects', 'missing', 'differs', 'harmless'] as const;
/**
 * `protects`: what the setting would have kept away is not kept away by it. `missing`: something that was asked for does
 * not happen. `differs`: it is used with another meaning. `harmless`: there is nothing that it could concern, or Atrium
 * is as strict by itself.
 */
export type Danger = (typeof DANGERS)[number];

/** What is refused as long as the operator has not accepted that the setting is not used. */
export type Gate = 'start' | 'tools';

export interface UnusedSetting {
  /** Such as `agents.list[0].sandbox.mode`, or the name of an environment variable. */
  readonly path: string;
  readonly danger: Danger;
  /** What follows from it. */
  readonly sentence: string;
  /** What is refused because of it. Null when nothing is, or when the operator accepted it. */
  readonly refuses: Gate | null;
  /** True when `acceptUnused` names it. */
  readonly isAccepted: boolean;
}
