// A collector of traces and metrics for tests: a real HTTP server on loopback that takes OTLP as JSON. It is strict: what
// the protocol does not allow is answered with 400 and kept as a problem. A test can make it refuse, wait or vanish.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';

const nanos = z.string().regex(/^\d{1,20}$/);
const count = z.string().regex(/^\d{1,20}$/);
const anyValue: z.ZodType = z.union([
  z.strictObject({ stringValue: z.string() }),
  z.strictObject({ boolValue: z.boolean() }),
  z.strictObject({ intValue: z.string().regex(/^-?\d{1,20}$/) }),
  z.strictObject({ doubleValue: z.number() }),
  z.strictObject({ arrayValue: z.strictObject({ values: z.array(z.lazy(() => anyValue)) }) }),
]);
const attributes = z
  .array(z.strictObject({ key: z.string().min(1), value: anyValue }))
  .refine((list) => new Set(list.map(({ key }) => key)).size === list.length, 'an attribute stands there twice');
const resource = z.strictObject({ attributes });
const scope = z.strictObject({ name: z.string().min(1), version: z.string() });
const idOf = (digits: number) =>
  z
    .string()
    .regex(new RegExp(`^[0-9a-f]{${digits}}$`))
    .refine((id) => /[^0]/.test(id), 'an id of zeros');

const span = z
  .strictObject({
    traceId: idOf(32),
    spanId: idOf(16),
    parentSpanId: idOf(16).optional(),
    name: z.string().min(1),
    kind: z.int().min(1).max(5),
    startTimeUnixNano: nanos,
    endTimeUnixNano: nanos,
    attributes,
    events: z.array(z.strictObject({ name: z.string().min(1), timeUnixNano: nanos, attributes })).optional(),
    status: z.strictObject({ code: z.int().min(0).max(2).optional(), message: z.string().optional() }),
  })
  .refine(
    ({ startTimeUnixNano, endTimeUnixNano }) => BigInt(startTimeUnixNano) <= BigInt(endTimeUnixNano),
    'it ends before it begins',
  );

const traces = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({ resource, scopeSpans: z.array(z.strictObject({ scope, spans: z.array(span).min(1) })) }),
  ),
});

const times = { startTimeUnixNano: nanos, timeUnixNano: nanos, attributes };
const numbers = z.array(z.strictObject({ ...times, asDouble: z.number() })).min(1);
const histogramPoint = z
  .strictObject({
    ...times,
    count,
    sum: z.number(),
    bucketCounts: z.array(count),
    explicitBounds: z.array(z.number()),
  })
  .refine(({ bucketCounts, explicitBounds }) => bucketCounts.length === explicitBounds.length + 1, 'wrong classes')
  .refine(
    ({ bucketCounts, count: all }) => bucketCounts.reduce((sum, each) => sum + Number(each), 0) === Number(all),
    'the classes do not make up the count',
  );
const named = { name: z.string().min(1), description: z.string(), unit: z.string() };
const metric = z.union([
  z.strictObject({ ...named, gauge: z.strictObject({ dataPoints: numbers }) }),
  z.strictObject({
    ...named,
    sum: z.strictObject({ dataPoints: numbers, aggregationTemporality: z.literal(2), isMonotonic: z.literal(true) }),
  }),
  z.strictObject({
    ...named,
    histogram: z.strictObject({ dataPoints: z.array(histogramPoint).min(1), aggregationTemporality: z.literal(2) }),
  }),
]);
const metrics = z.strictObject({
  resourceMetrics: z.array(
    z.strictObject({ resource, scopeMetrics: z.array(z.strictObject({ scope, metrics: z.array(metric) })) }),
  ),
});

/** A span as a test reads it: attributes by name. */
export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string | undefined;
  readonly name: string;
  readonly kind: number;
  readonly isError: boolean;
  readonly ms: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly events: readonly string[];
}

export type CollectorAnswer = number | 'hang';

export class OtlpCollector {
  readonly #server: Server;
  readonly #waiting = new Set<() => void>();
  /** Whatever a request had that the protocol does not allow. */
  readonly problems: string[] = [];
  readonly spans: CollectedSpan[] = [];
  /** The last value of each metric, by its name. */
  readonly metrics = new Map<string, z.infer<typeof metric>>();
  /** The headers and the body of every request. */
  readonly requests: { readonly path: string; readonly headers: IncomingMessage['headers']; readonly body: string }[] =
    [];
  /** What is answered from now on: a status, or nothing at all. */
  answer: CollectorAnswer = 200;

  private constructor() {
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch(() => response.destroy());
    });
  }

  static async start(port = 0): Promise<OtlpCollector> {
    const collector = new OtlpCollector();
    await new Promise<void>((resolve, reject) => {
      collector.#server.once('error', reject);
      collector.#server.listen(port, '127.0.0.1', resolve);
    });
    return collector;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Resolves when the condition holds. It is looked at after each request. */
  async until(isDone: (collector: OtlpCollector) => boolean): Promise<void> {
    while (!isDone(this)) await new Promise<void>((resolve) => this.#waiting.add(resolve));
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString('utf8');
    const path = request.url ?? '';
    this.requests.push({ path, headers: request.headers, body });
    const { answer } = this;
    if (answer === 200) {
      const problem = this.#take(request, path, body);
      if (problem !== undefined) this.problems.push(problem);
      response.writeHead(problem === undefined ? 200 : 400, { 'content-type': 'application/json' });
      response.end(problem ?? '{}');
    } else if (answer !== 'hang') {
      response.writeHead(answer, { 'content-type': 'text/plain' });
      response.end('not now');
    }
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }

  #take(request: IncomingMessage, path: string, body: string): string | undefined {
    if (request.method !== 'POST') return `${request.method} is not POST`;
    if (request.headers['content-type'] !== 'application/json') return 'the content type is not JSON';
    const json: unknown = JSON.parse(body);
    if (path === '/v1/traces') {
      const read = traces.safeParse(json);
      if (!read.success) return z.prettifyError(read.error);
      const found = read.data.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
      this.spans.push(...found.map(collected));
      return undefined;
    }
    if (path !== '/v1/metrics') return `there is no ${path}`;
    const read = metrics.safeParse(json);
    if (!read.success) return z.prettifyError(read.error);
    for (const { scopeMetrics } of read.data.resourceMetrics)
      for (const each of scopeMetrics) for (const one of each.metrics) this.metrics.set(one.name, one);
    return undefined;
  }
}

function collected({ status, attributes: list, events = [], ...rest }: z.infer<typeof span>): CollectedSpan {
  const { startTimeUnixNano, endTimeUnixNano, traceId, spanId, parentSpanId, name, kind } = rest;
  return {
    traceId,
    spanId,
    parentSpanId,
    name,
    kind,
    isError: status.code === 2,
    ms: Number(BigInt(endTimeUnixNano) - BigInt(startTimeUnixNano)) / 1e6,
    attributes: Object.fromEntries(list.map(({ key, value }) => [key, plain(value)])),
    events: events.map((event) => event.name),
  };
}

function plain(value: unknown): unknown {
  const [[kind, inner] = ['', undefined]] = Object.entries(value as object);
  if (kind === 'intValue') return Number(inner);
  return kind === 'arrayValue' ? (inner as { values: unknown[] }).values.map(plain) : inner;
}
