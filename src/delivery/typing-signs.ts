// Shows people that an answer is being written, on channels that declare typing, from the start of a run until it ends
// or waits for a person or a child. Nothing depends on the sign, and nothing waits for it.

import type { Channel } from '../channels/channel.ts';
import type { Surface } from '../protocol/inbound.ts';
import type { LiveEvent } from '../protocol/live-event.ts';

export interface TypingSignsSettings {
  readonly channels: (id: string) => Channel | undefined;
  /** Where the answer of a run will be shown; undefined when it will be shown nowhere. */
  readonly surfaceOf: (runId: string) => Promise<Surface | undefined>;
}

export class TypingSigns {
  readonly #settings: TypingSignsSettings;
  /** The timer of each run whose sign is shown; undefined while its surface is being looked up. */
  readonly #runs = new Map<string, NodeJS.Timeout | undefined>();

  constructor(settings: TypingSignsSettings) {
    this.#settings = settings;
  }

  watch({ type, runId }: LiveEvent): void {
    if (type === 'run-start') void this.#begin(runId);
    else if (ENDS.has(type)) this.#end(runId);
  }

  close(): void {
    for (const runId of [...this.#runs.keys()]) this.#end(runId);
  }

  async #begin(runId: string): Promise<void> {
    this.#end(runId);
    this.#runs.set(runId, undefined);
    const surface = await this.#settings.surfaceOf(runId).catch(() => undefined);
    const typing = surface && this.#settings.channels(surface.channel)?.typing;
    if (!this.#runs.has(runId)) return;
    if (!surface || !typing) {
      this.#runs.delete(runId);
      return;
    }
    const show = () => {
      try {
        typing.show(surface);
      } catch {
        // The channel breaks its contract; an answer does not need the sign.
        this.#end(runId);
      }
    };
    const timer = setInterval(show, Math.max(typing.everyMs, SHORTEST_PAUSE_MS));
    timer.unref();
    this.#runs.set(runId, timer);
    show();
  }

  #end(runId: string): void {
    clearInterval(this.#runs.get(runId));
    this.#runs.delete(runId);
  }
}

/** A run that waits for a person or for a child is not writing. It starts again when it goes on. */
const ENDS: ReadonlySet<LiveEvent['type']> = new Set(['run-end', 'approval-start', 'wait-start']);
const SHORTEST_PAUSE_MS = 500;
