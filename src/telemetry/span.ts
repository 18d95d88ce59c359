// A span: something that took time, as part of a trace. Plain data, in the terms of OpenTelemetry.

export interface Span {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  readonly parentSpanId?: string | undefined;
  readonly name: string;
  readonly kind: 'internal' | 'client' | 'producer' | 'consumer';
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly attributes: Attributes;
  readonly events?: readonly SpanEvent[] | undefined;
  readonly isError: boolean;
}

export interface SpanEvent {
  readonly name: string;
  readonly at: number;
  readonly attributes: Attributes;
}

/** Undefined values are left out. */
export type Attributes = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;
