// Sends spans to a collector, some at a time. Adding one never waits: spans are kept in bounded memory until they were
// taken, and those for which there is no room are counted and left out.

import type { Say } from '../../protocol/log.ts';
import type { Span } from '../span.ts';
import type { OtlpEndpoint } from './otlp-endpoint.ts';
import { type OtlpResource, tracesOf } from './otlp-json.ts';
import { RegularFlush } from './regular-flush.ts';

export interface SpanExporterSettings {
  readonly endpoint: Pick<OtlpEndpoint, 'send'>;
  readonly resource: OtlpResource;
  readonly flushIntervalMs: number;
  readonly warn: Say;
  /** Called with the number of spans that are left out. */
  readonly dropped: (count: number) => void;
}

const MAX_WAITING = 2_048;
const BATCH = 256;

export class SpanExporter {
  readonly #settings: SpanExporterSettings;
  readonly #regular: RegularFlush;
  #waiting: Span[] = [];
  #hasTold = false;

  constructor(settings: SpanExporterSettings) {
    this.#settings = settings;
    this.#regular = new RegularFlush(settings.flushIntervalMs, (signal) => this.#send(signal));
  }

  readonly add = (span: Span): void => {
    if (this.#waiting.length < MAX_WAITING) this.#waiting.push(span);
    else this.#drop(1);
    if (this.#waiting.length === BATCH) setImmediate(() => void this.flush());
  };

  open(): void {
    this.#regular.open();
  }

  /** Sends what waits, until the collector cannot take more. */
  flush(): Promise<void> {
    return this.#regular.flush();
  }

  /** Sends what waits within this time; what is left then is lost. */
  close(ms: number): Promise<void> {
    return this.#regular.close(ms);
  }

  async #send(signal: AbortSignal): Promise<void> {
    const { endpoint, resource } = this.#settings;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, BATCH);
      const outcome = await endpoint.send(tracesOf(resource, batch), signal);
      if (outcome === 'later') return;
      this.#waiting.splice(0, batch.length);
      if (outcome === 'refused') this.#drop(batch.length);
    }
  }

  #drop(count: number): void {
    this.#settings.dropped(count);
    if (this.#hasTold) return;
    this.#hasTold = true;
    this.#settings.warn(
      'Spans of traces are left out, because the collector does not take them in time. The metric atrium.telemetry.dropped counts them.',
    );
  }
}
