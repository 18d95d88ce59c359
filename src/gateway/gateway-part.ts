// The parts of a gateway as a list. They are opened in its order and closed in the reverse one, so that a part may use
// everything that stands before it for as long as it is open.
//
// Errors: a part that cannot be opened closes all that were opened before it, and PartNotOpenedError names it. A part that
// cannot be closed is a warning, and the others are closed all the same: the lock on the state directory is always released.

import type { LoadedConfig } from '../config/load-config.ts';
import { errorText } from '../protocol/one-line.ts';
import { PartNotOpenedError } from './errors.ts';

export interface GatewayPart {
  /** As a sentence can use it: "the outbox". */
  readonly name: string;
  open?(): unknown;
  close?(stop: GatewayStop): unknown;
  /** The paths of the configuration that can change while it is open, such as `plugins`; `reopen` takes up the change. */
  readonly reads?: readonly string[] | undefined;
  reopen?(loaded: LoadedConfig): Promise<void>;
}

/** Why a gateway stops: for good as far as it knows, or to be started again at once. */
export type StopReason = 'shutdown' | 'restart';

export interface GatewayStop {
  readonly reason: StopReason;
  /** The milliseconds that are left for stopping, and never less than `leastMs`. */
  left(leastMs?: number): number;
}

/** Opens them all, and gives back what closes them. */
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
