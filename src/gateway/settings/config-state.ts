// How far a running gateway follows its configuration files, as data and in sentences for people. `ConfigWatch` finds it
// out; the log, the status and the commands say it.

import type { JsonValue } from '../../protocol/json.ts';

/** How far the running gateway follows its configuration files. */
export interface ConfigState {
  /** The files that were read last. */
  readonly files: readonly string[];
  /** What the files say differently from the running gateway; it is taken up at the next start. */
  readonly waiting: readonly string[];
  /** Why the files cannot be used as they are now; null when they can. */
  readonly problem: string | null;
}

/** A setting that no part takes up while it is open. Secrets are hidden; null means that it is not set. */
export interface WaitingSetting {
  readonly path: string;
  readonly inUse: JsonValue;
  readonly inFile: JsonValue;
}

/** What people are told; empty when the gateway follows its files. */
export function describeConfigState({ waiting, problem }: Omit<ConfigState, 'files'>): readonly string[] {
  return [
    ...(problem === null
      ? []
      : [`The configuration was changed and cannot be used, so everything stays as it is. ${problem}`]),
    ...(waiting.length === 0
      ? []
      : [`The configuration was changed in ${waiting.join(', ')}. That is taken up at the next start.`]),
  ];
}
