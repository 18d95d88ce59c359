// Brings what an operator switches on or off at one node to all of them, because the run that is looked at may be on any. The node at which
// it was done last tells the others, again from time to time and when a node joins, because a message may be lost.
// Errors: none.

import type { Cluster } from '../../cluster/cluster.ts';
import type { JsonValue } from '../../protocol/json.ts';
import type { DebugSwitches, SwitchedOn } from '../../recorder/debug-switches.ts';

export interface SharedDebugParts {
  readonly cluster: Pick<Cluster, 'publish' | 'subscribe' | 'watchMembers'>;
  readonly switches: DebugSwitches;
  readonly now: () => number;
}

const TELL_EVERY_MS = 10_000;

export class SharedDebug {
  readonly #parts: SharedDebugParts;
  /** When it was changed last, at whatever node. */
  #changedAt = 0;
  /** Whether that was here. */
  #isTeller = false;
  #undo: readonly (() => void)[] = [];

  constructor(parts: SharedDebugParts) {
    this.#parts = parts;
  }

  open(): void {
    const { cluster, switches } = this.#parts;
    switches.changed = () => this.#changed();
    const timer = setInterval(() => this.#tell(), TELL_EVERY_MS);
    timer.unref();
    this.#undo = [
      () => clearInterval(timer),
      cluster.subscribe('debug', (message) => this.#heard(message)),
      cluster.watchMembers(({ change }) => change === 'joined' && this.#tell()),
    ];
  }

  close(): void {
    this.#parts.switches.changed = () => undefined;
    for (const undo of this.#undo) undo();
  }

  #changed(): void {
    // A later change has a later number, also when the clock of this node is behind.
    this.#changedAt = Math.max(this.#parts.now(), this.#changedAt + 1);
    this.#isTeller = true;
    this.#tell();
  }

  #tell(): void {
    if (!this.#isTeller) return;
    const { cluster, switches } = this.#parts;
    cluster.publish('debug', { changedAt: this.#changedAt, switched: switches.switchedOn as unknown as JsonValue });
  }

  #heard(message: JsonValue): void {
    const { changedAt, switched } = message as unknown as DebugMessage;
    if (changedAt <= this.#changedAt) return;
    this.#changedAt = changedAt;
    this.#isTeller = false;
    this.#parts.switches.follow(switched);
  }
}

interface DebugMessage {
  readonly changedAt: number;
  readonly switched: readonly SwitchedOn[];
}
