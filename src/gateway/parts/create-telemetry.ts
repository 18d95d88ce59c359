// Builds what listens to facts for people and programs outside: metrics, and what a collector is sent. Nothing of it is
// loaded unless the operator asks for it, so a gateway without it pays nothing.

import { hostname } from 'node:os';
import type { Environment } from '../../config/environment.ts';
import type { Config } from '../../config/schema.ts';
import { type OtelSettings, telemetrySettingsOf } from '../../config/telemetry-settings.ts';
import type { FactListener } from '../../facts/teller.ts';
import type { Say } from '../../protocol/log.ts';
import type { Redactor } from '../../recorder/redactor.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { GaugeParts } from '../upkeep/read-gauges.ts';

export interface TelemetryOptions {
  readonly environment: Pick<Environment, 'variables'>;
  readonly config: Pick<Config, 'diagnostics'>;
  /** What is read when somebody asks for the metrics. */
  readonly gauges: () => GaugeParts;
  readonly now: () => number;
  readonly warn: Say;
  readonly redactor?: Redactor | undefined;
}

export interface Telemetry {
  readonly listeners: readonly FactListener[];
  /** Sentences for the status about what was asked for and does not happen. */
  readonly problems: readonly string[];
  /** The metrics as Prometheus reads them; undefined when they are not wanted. */
  readonly prometheus: (() => Promise<string>) | undefined;
  open(): void;
  /** Sends what is left within this time. */
  close(ms: number): Promise<void>;
}

export async function createTelemetry(options: TelemetryOptions): Promise<Telemetry> {
  const { environment, config, warn } = options;
  const { otel, isPrometheusOn, problems } = telemetrySettingsOf(environment, config);
  for (const problem of problems) warn(problem);
  const nothing: Telemetry = {
    listeners: [],
    problems,
    prometheus: undefined,
    open: () => {},
    close: async () => {},
  };
  if (!otel && !isPrometheusOn) return nothing;
  const metrics = await createMetrics(options);
  const { countFacts } = await import('../../telemetry/count-facts.ts');
  const { formatPrometheus } = await import('../../telemetry/format-prometheus.ts');
  const exporters = otel ? await createExporters(otel, metrics, options) : { listeners: [], parts: [] };
  return {
    listeners: [countFacts(metrics), ...exporters.listeners],
    problems,
    prometheus: isPrometheusOn ? async () => formatPrometheus(await metrics.read()) : undefined,
    open: () => {
      for (const part of exporters.parts) part.open();
    },
    close: async (ms) => {
      await Promise.all(exporters.parts.map((part) => part.close(ms)));
    },
  };
}

async function createMetrics({ gauges }: TelemetryOptions): Promise<Metrics> {
  const [{ Metrics }, { readGauges }] = await Promise.all([
    import('../../telemetry/metrics.ts'),
    import('../upkeep/read-gauges.ts'),
  ]);
  return new Metrics(() => readGauges(gauges()));
}

interface Exporter {
  open(): void;
  close(ms: number): Promise<void>;
}

async function createExporters(
  settings: OtelSettings,
  metrics: Metrics,
  { now, warn, redactor }: TelemetryOptions,
): Promise<{ readonly listeners: readonly FactListener[]; readonly parts: readonly Exporter[] }> {
  const { tracesUrl, metricsUrl, headers, serviceName, sampleRate, flushIntervalMs, content } = settings;
  const [{ OtlpEndpoint }, { SpanExporter }, { MetricExporter }, { RunSpans }] = await Promise.all([
    import('../../telemetry/otlp/otlp-endpoint.ts'),
    import('../../telemetry/otlp/span-exporter.ts'),
    import('../../telemetry/otlp/metric-exporter.ts'),
    import('../../telemetry/run-spans.ts'),
  ]);
  const resource = { serviceName, instanceId: `${hostname()}:${process.pid}` };
  const endpoint = (what: string, url: string) => new OtlpEndpoint({ what, url, headers, warn });
  const listeners: FactListener[] = [];
  const parts: Exporter[] = [];
  if (tracesUrl !== undefined) {
    const spans = new SpanExporter({
      endpoint: endpoint('Traces', tracesUrl),
      resource,
      flushIntervalMs,
      warn,
      dropped: (count) => metrics.add('atrium.telemetry.dropped', {}, count),
    });
    listeners.push(new RunSpans({ emit: spans.add, sampleRate, content, now, redact: redactor?.text }).listen);
    parts.push(spans);
  }
  if (metricsUrl !== undefined) {
    const to = endpoint('Metrics', metricsUrl);
    parts.push(new MetricExporter({ endpoint: to, resource, metrics, flushIntervalMs, since: now(), now }));
  }
  return { listeners, parts };
}
