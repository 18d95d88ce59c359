// What the environment and the configuration say about traces and metrics: whether they are wanted, where they are sent,
// and how much is in them. The configuration wins over the environment. The functions are pure.

import type { Environment } from './environment.ts';
import type { Config } from './schema.ts';

export interface TelemetrySettings {
  /** Undefined when nothing is sent to a collector. */
  readonly otel: OtelSettings | undefined;
  readonly isPrometheusOn: boolean;
  /** One sentence for each thing that was asked for and does not happen. */
  readonly problems: readonly string[];
}

export interface OtelSettings {
  /** Undefined when traces are not wanted. */
  readonly tracesUrl: string | undefined;
  readonly metricsUrl: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  readonly sampleRate: number;
  readonly flushIntervalMs: number;
  readonly content: CapturedContent;
}

/** Which words of people and models are in a trace. */
export interface CapturedContent {
  readonly inputMessages: boolean;
  readonly outputMessages: boolean;
  readonly systemPrompt: boolean;
  readonly toolInputs: boolean;
  readonly toolOutputs: boolean;
}

const FLUSH_INTERVAL_MS = 5_000;

export function telemetrySettingsOf(
  { variables }: Pick<Environment, 'variables'>,
  { diagnostics = {} }: Pick<Config, 'diagnostics'> = {},
): TelemetrySettings {
  const isPrometheusOn = diagnostics.prometheus?.enabled === true;
  const asked = diagnostics.otel ?? {};
  if (asked.enabled !== true || diagnostics.enabled === false) return { otel: undefined, isPrometheusOn, problems: [] };
  const nothing = (problem: string) => ({ otel: undefined, isPrometheusOn, problems: [problem] });
  if (asked.protocol === 'grpc')
    return nothing(
      'Traces and metrics are not sent: Atrium speaks OTLP over HTTP and not over gRPC. Set diagnostics.otel.protocol to "http/json" and name the HTTP port of the collector, usually 4318.',
    );
  const endpoint = asked.endpoint?.trim() ?? variables.OTEL_EXPORTER_OTLP_ENDPOINT?.trim();
  const urlOf = (isWanted: boolean, given: string | undefined, path: string) =>
    isWanted ? (given?.trim() ?? (endpoint ? `${endpoint.replace(/\/+$/, '')}${path}` : undefined)) : undefined;
  const tracesUrl = urlOf(asked.traces !== false, asked.tracesEndpoint, '/v1/traces');
  const metricsUrl = urlOf(asked.metrics !== false, asked.metricsEndpoint, '/v1/metrics');
  if (tracesUrl === undefined && metricsUrl === undefined) {
    return nothing(
      'Traces and metrics are not sent: there is no address. Set diagnostics.otel.endpoint, such as "http://127.0.0.1:4318".',
    );
  }
  const wrong = [tracesUrl, metricsUrl].find((url) => url !== undefined && !isHttp(url));
  if (wrong !== undefined)
    return nothing(
      'Traces and metrics are not sent: diagnostics.otel.endpoint is not an address that begins with http.',
    );
  return {
    otel: {
      tracesUrl,
      metricsUrl,
      headers: asked.headers ?? {},
      serviceName: asked.serviceName?.trim() ?? (variables.OTEL_SERVICE_NAME?.trim() || 'atrium'),
      sampleRate: asked.sampleRate ?? 1,
      flushIntervalMs: asked.flushIntervalMs ?? FLUSH_INTERVAL_MS,
      content: contentOf(asked.captureContent),
    },
    isPrometheusOn,
    problems: [],
  };
}

type Otel = NonNullable<NonNullable<Config['diagnostics']>['otel']>;

function contentOf(asked: Otel['captureContent']): CapturedContent {
  const parts = typeof asked === 'object' ? asked : {};
  const isOn = typeof asked === 'object' ? asked.enabled === true : asked === true;
  return {
    inputMessages: isOn && parts.inputMessages !== false,
    outputMessages: isOn && parts.outputMessages !== false,
    systemPrompt: isOn && parts.systemPrompt !== false,
    toolInputs: isOn && parts.toolInputs !== false,
    toolOutputs: isOn && parts.toolOutputs !== false,
  };
}

function isHttp(url: string): boolean {
  return URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol);
}
