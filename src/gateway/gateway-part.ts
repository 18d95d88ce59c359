// The parts of a gateway as a list. They are opened in its order and closed in the reverse order, so that a part may
// use everything before it as long as it is open.
// Errors: when a part cannot be opened, all parts before it are closed, and PartNotOpenedError names it. A part that
// cannot be closed is a warning, and the others are closed all the same: the lock on the state directory is always
// released.

import type { ConfigPath } from '../config/config-path.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import type { Config } from '../config/schema.ts';
import { errorText } from '../protocol/one-line.ts';
import { PartNotOpenedError } from './errors.ts';

export interface GatewayPart {
  /** The name as it appears in a sentence: "the outbox". */
  readonly name: string;
  open?(): unknown;
  close?(stop: GatewayStop): unknown;
  /**
   * The paths of the configuration that may change while the part is open, such as `plugins`; `reopen` takes up the
   * change.
   */
  readonly reads?: readonly string[] | undefined;
  /** Settings below `reads` in which the two configurations differ and which the part takes up only at the next start. */
  waits?(before: Config, after: Config): readonly WaitingPlace[];
  /** Further paths that reopen the part. Whether a change of them needs a restart is said by the parts that read them. */
  readonly sharesReading?: readonly string[] | undefined;
  /** Files and folders beside the configuration; when one of them has changed, the part is reopened. */
  files?(): readonly string[];
  reopen?(loaded: LoadedConfig): Promise<void>;
}

/** Where a setting is written that waits for the next start: in the configuration of the start, and in the present one. */
export interface WaitingPlace {
  readonly atStart: ConfigPath;
  readonly now: ConfigPath;
}

/** Whether a gateway stops without a planned restart, or to be started again at once. */
export type StopReason = 'shutdown' | 'restart';

export interface GatewayStop {
  readonly reason: StopReason;
  /** The milliseconds that are left for stopping, and at least `leastMs`. */
  left(leastMs?: number): number;
}

/** Opens all parts, and gives the function that closes them. */
export async function openParts(
  parts: readonly GatewayPart[],
  warn: (sentence: string) => void,
): Promise<(stop: GatewayStop) => Promise<void>> {
  const opened: GatewayPart[] = [];
  const close = async (stop: GatewayStop) => {
    for (const part of opened.splice(0).reverse()) {
      try {
        await part.close?.(stop);
      } catch (error) {
        warn(`${part.name} could not be closed: ${errorText(error)}`);
      }
    }
  };
  for (const part of parts) {
    try {
      await part.open?.();
      opened.push(part);
    } catch (cause) {
      await close({ reason: 'shutdown', left: (leastMs = 0) => leastMs });
      throw new PartNotOpenedError({ part: part.name, detail: errorText(cause) }, { cause });
    }
  }
  return close;
}
