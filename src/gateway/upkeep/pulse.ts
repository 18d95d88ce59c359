// A short memory of how the gateway was: a sample every few seconds, the last hour of them, in the memory of the process. A
// restart forgets it; an operator who needs more collects the metrics.
// Promise: the series is bounded, and a sample costs a few calls of the file system.

import { stat } from 'node:fs/promises';
import type { LiveEvent } from '../../protocol/live-event.ts';
import type { PulseSample } from '../../protocol/pulse-sample.ts';

export interface PulseParts {
  /** The files of the store. */
  readonly files: readonly string[];
  readonly running: () => number;
  readonly now: () => number;
  readonly memory?: (() => number) | undefined;
  /** Called with each new sample. */
  readonly sampled: (sample: PulseSample) => void;
}

export const PULSE_EVERY_MS = 5_000;
export const MOST_PULSE_SAMPLES = 720;

export class Pulse {
  readonly #parts: PulseParts;
  #samples: PulseSample[] = [];
  #ended = 0;
  #lastAt: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: PulseParts) {
    this.#parts = parts;
    this.#lastAt = parts.now();
  }

  open(): void {
    this.#timer = setInterval(() => void this.sample(), PULSE_EVERY_MS);
    this.#timer.unref();
    void this.sample();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Counts the runs that end. */
  readonly watch = (event: LiveEvent): void => {
    if (event.type === 'run-end') this.#ended += 1;
  };

  /** The oldest sample first. */
  get samples(): readonly PulseSample[] {
    return this.#samples;
  }

  async sample(): Promise<void> {
    const { files, running, now, memory = () => process.memoryUsage.rss(), sampled } = this.#parts;
    const sizes = await Promise.all(
      files.map((file) =>
        stat(file)
          .then(({ size }) => size)
          .catch(() => 0),
      ),
    );
    const at = now();
    const seconds = Math.max(0.001, (at - this.#lastAt) / 1_000);
    const sample: PulseSample = {
      at,
      turnsPerSecond: this.#samples.length === 0 ? 0 : this.#ended / seconds,
      running: running(),
      memoryBytes: memory(),
      storeBytes: sizes.reduce((sum, size) => sum + size, 0),
    };
    this.#ended = 0;
    this.#lastAt = at;
    this.#samples.push(sample);
    if (this.#samples.length > MOST_PULSE_SAMPLES) this.#samples = this.#samples.slice(-MOST_PULSE_SAMPLES);
    sampled(sample);
  }
}
