// Sends all metrics to a collector at regular times. They count since the start, so one that was not taken loses nothing.

import type { Metrics } from '../metrics.ts';
import type { OtlpEndpoint } from './otlp-endpoint.ts';
import { metricsOf, type OtlpResource } from './otlp-json.ts';
import { RegularFlush } from './regular-flush.ts';

export interface MetricExporterSettings {
  readonly endpoint: Pick<OtlpEndpoint, 'send'>;
  readonly resource: OtlpResource;
  readonly metrics: Pick<Metrics, 'read'>;
  readonly flushIntervalMs: number;
  readonly since: number;
  readonly now: () => number;
}

export class MetricExporter {
  readonly #settings: MetricExporterSettings;
  readonly #regular: RegularFlush;

  constructor(settings: MetricExporterSettings) {
    this.#settings = settings;
    this.#regular = new RegularFlush(settings.flushIntervalMs, (signal) => this.#send(signal));
  }

  open(): void {
    this.#regular.open();
  }

  flush(): Promise<void> {
    return this.#regular.flush();
  }

  close(ms: number): Promise<void> {
    return this.#regular.close(ms);
  }

  async #send(signal: AbortSignal): Promise<void> {
    const { endpoint, resource, metrics, since, now } = this.#settings;
    // A store that refuses is told by the part that watches it.
    const series = await metrics.read().catch(() => []);
    if (series.length > 0) await endpoint.send(metricsOf(resource, series, since, now()), signal);
  }
}
