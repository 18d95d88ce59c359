// Spans and metrics in the JSON form of OTLP, the protocol by which collectors take them. Ids are hexadecimal, and whole
// numbers of 64 bits are texts, as the protocol asks. The functions are pure.

import { VERSION } from '../../protocol/version.ts';
import type { MetricPoint, MetricSeries } from '../metrics.ts';
import type { Attributes, Span, SpanEvent } from '../span.ts';

/** Attributes of the program that sends. */
export interface OtlpResource {
  readonly serviceName: string;
  readonly instanceId: string;
}

export function tracesOf(resource: OtlpResource, spans: readonly Span[]): object {
  return {
    resourceSpans: [{ resource: resourceOf(resource), scopeSpans: [{ scope: SCOPE, spans: spans.map(spanOf) }] }],
  };
}

/** Counters and histograms count since the start. */
export function metricsOf(resource: OtlpResource, series: readonly MetricSeries[], since: number, at: number): object {
  const times = { startTimeUnixNano: nanosOf(since), timeUnixNano: nanosOf(at) };
  const metrics = series.map(({ name, row, points }) => ({
    name,
    description: row.summary,
    unit: row.unit,
    ...dataOf(row.kind, row.bounds ?? [], points, times),
  }));
  return { resourceMetrics: [{ resource: resourceOf(resource), scopeMetrics: [{ scope: SCOPE, metrics }] }] };
}

const SCOPE = { name: 'atrium', version: VERSION };
const CUMULATIVE = 2;
const KINDS = { internal: 1, client: 3, producer: 4, consumer: 5 } as const;
const STATUS_ERROR = 2;

function resourceOf({ serviceName, instanceId }: OtlpResource): object {
  return {
    attributes: attributesOf({
      'service.name': serviceName,
      'service.version': VERSION,
      'service.instance.id': instanceId,
      'telemetry.sdk.name': 'atrium',
      'telemetry.sdk.language': 'nodejs',
      'telemetry.sdk.version': VERSION,
    }),
  };
}

function spanOf({ traceId, spanId, parentSpanId, name, kind, startedAt, endedAt, ...rest }: Span): object {
  const { attributes, events = [], isError } = rest;
  return {
    traceId,
    spanId,
    ...(parentSpanId === undefined ? {} : { parentSpanId }),
    name,
    kind: KINDS[kind],
    startTimeUnixNano: nanosOf(startedAt),
    endTimeUnixNano: nanosOf(Math.max(startedAt, endedAt)),
    attributes: attributesOf(attributes),
    ...(events.length === 0 ? {} : { events: events.map(eventOf) }),
    status: isError ? { code: STATUS_ERROR } : {},
  };
}

function eventOf({ name, at, attributes }: SpanEvent): object {
  return { name, timeUnixNano: nanosOf(at), attributes: attributesOf(attributes) };
}

interface Times {
  readonly startTimeUnixNano: string;
  readonly timeUnixNano: string;
}

function dataOf(
  kind: MetricSeries['row']['kind'],
  bounds: readonly number[],
  points: readonly MetricPoint[],
  times: Times,
): object {
  if (kind === 'histogram') {
    const dataPoints = points.map(({ labels, value, counts = [] }) => ({
      ...times,
      attributes: attributesOf(labels),
      count: String(counts.reduce((sum, count) => sum + count, 0)),
      sum: value,
      bucketCounts: counts.map(String),
      explicitBounds: bounds,
    }));
    return { histogram: { dataPoints, aggregationTemporality: CUMULATIVE } };
  }
  const dataPoints = points.map(({ labels, value }) => ({
    ...times,
    attributes: attributesOf(labels),
    asDouble: value,
  }));
  if (kind === 'gauge') return { gauge: { dataPoints } };
  return { sum: { dataPoints, aggregationTemporality: CUMULATIVE, isMonotonic: true } };
}

function attributesOf(attributes: Attributes): readonly object[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: anyValueOf(value) }],
  );
}

function anyValueOf(value: NonNullable<Attributes[string]>): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number') return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { arrayValue: { values: value.map((each) => ({ stringValue: each })) } };
}

/** A number of milliseconds has microseconds at best, so nothing is lost. */
function nanosOf(ms: number): string {
  return String(BigInt(Math.round(ms * 1_000)) * 1_000n);
}
