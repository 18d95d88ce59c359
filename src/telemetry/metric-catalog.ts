// The metric catalog: one row per metric, in the order of the documentation. The registry, what a collector is sent, the
// answer of GET /metrics and the table in docs/observability.md all come from the rows. Names and units follow
// OpenTelemetry; the names for Prometheus are derived from them. What counts is in count-facts.ts, and what is read
// when somebody asks is in gateway/read-gauges.ts.

export type MetricKind = 'counter' | 'gauge' | 'histogram';

export interface MetricRow {
  readonly kind: MetricKind;
  /** `s` and `By` are units; `{run}` only says what is counted. */
  readonly unit: string;
  readonly labels: readonly string[];
  /** One sentence. */
  readonly summary: string;
  /** The upper ends of the classes of a histogram. */
  readonly bounds?: readonly number[];
}

const MODEL_LABELS = ['gen_ai.operation.name', 'gen_ai.provider.name', 'gen_ai.request.model'] as const;
const RUN_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 3_600];
/** The classes that the GenAI conventions ask for. */
const MODEL_SECONDS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
const TOKENS = [1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864];

export const METRICS = {
  'atrium.messages': {
    kind: 'counter',
    unit: '{message}',
    labels: ['channel'],
    summary: 'Messages that were accepted.',
  },
  'atrium.runs': {
    kind: 'counter',
    unit: '{run}',
    labels: ['agent', 'status'],
    summary: 'Runs that ended: done, failed, stopped or blocked.',
  },
  'atrium.run.duration': {
    kind: 'histogram',
    unit: 's',
    labels: ['agent', 'status'],
    summary: 'How long runs took, from their last start to their end.',
    bounds: RUN_SECONDS,
  },
  'gen_ai.client.operation.duration': {
    kind: 'histogram',
    unit: 's',
    labels: [...MODEL_LABELS, 'error.type'],
    summary: 'How long calls of models took.',
    bounds: MODEL_SECONDS,
  },
  'gen_ai.client.token.usage': {
    kind: 'histogram',
    unit: '{token}',
    labels: [...MODEL_LABELS, 'gen_ai.token.type'],
    summary: 'Tokens that a call of a model read or wrote.',
    bounds: TOKENS,
  },
  'atrium.cached_tokens': {
    kind: 'counter',
    unit: '{token}',
    labels: ['provider', 'model', 'direction'],
    summary: "Tokens that were read from a provider's cache, or written to it.",
  },
  'atrium.cost': {
    kind: 'counter',
    unit: '{currency}',
    labels: ['provider', 'model'],
    summary: 'What calls of models cost, in the currency of the configured prices.',
  },
  'atrium.unpriced_calls': {
    kind: 'counter',
    unit: '{call}',
    labels: ['provider', 'model'],
    summary: 'Calls of models whose price is not configured.',
  },
  'atrium.tool.calls': {
    kind: 'counter',
    unit: '{call}',
    labels: ['tool', 'outcome'],
    summary: 'Calls of tools that ended: ok or error.',
  },
  'atrium.tool.duration': {
    kind: 'histogram',
    unit: 's',
    labels: ['tool'],
    summary: 'How long tools took.',
    bounds: RUN_SECONDS,
  },
  'atrium.approvals': {
    kind: 'counter',
    unit: '{approval}',
    labels: ['decision'],
    summary: 'Decisions about tool calls.',
  },
  'atrium.approvals.waiting': {
    kind: 'gauge',
    unit: '{approval}',
    labels: [],
    summary: 'Tool calls that wait for a person.',
  },
  'atrium.children': {
    kind: 'counter',
    unit: '{child}',
    labels: ['agent', 'outcome'],
    summary: 'Subagents that ended.',
  },
  'atrium.hook.failures': {
    kind: 'counter',
    unit: '{call}',
    labels: ['hook', 'owner', 'outcome'],
    summary: 'Calls of handlers that threw, took too long, answered nonsense or were left out.',
  },
  'atrium.deliveries': {
    kind: 'counter',
    unit: '{part}',
    labels: ['channel', 'outcome'],
    summary: 'Parts of answers that were sent, suppressed or given up.',
  },
  'atrium.inbox.waiting': {
    kind: 'gauge',
    unit: '{message}',
    labels: [],
    summary: 'Messages and other triggers that wait for their lane.',
  },
  'atrium.lanes.running': { kind: 'gauge', unit: '{run}', labels: [], summary: 'Runs that are at work.' },
  'atrium.runs.suspended': {
    kind: 'gauge',
    unit: '{run}',
    labels: [],
    summary: 'Runs that wait for a person or for subagents.',
  },
  'atrium.outbox.queued': {
    kind: 'gauge',
    unit: '{part}',
    labels: [],
    summary: 'Parts of answers that wait to be sent.',
  },
  'atrium.dead_letters': {
    kind: 'gauge',
    unit: '{letter}',
    labels: ['direction'],
    summary: 'Messages (in) and answers (out) that were given up and can be sent again.',
  },
  'atrium.sessions.open': { kind: 'gauge', unit: '{session}', labels: [], summary: 'Sessions that have not ended.' },
  'atrium.records.size': {
    kind: 'gauge',
    unit: 'By',
    labels: ['what'],
    summary: 'The size of the store, trajectories, logs and exports.',
  },
  'atrium.telemetry.dropped': {
    kind: 'counter',
    unit: '{span}',
    labels: [],
    summary: 'Spans that no collector took in time.',
  },
  'process.memory.usage': { kind: 'gauge', unit: 'By', labels: [], summary: 'The memory of the process (resident).' },
  'process.uptime': { kind: 'gauge', unit: 's', labels: [], summary: 'How long the gateway has been running.' },
} as const satisfies Readonly<Record<string, MetricRow>>;

export type MetricName = keyof typeof METRICS;

/** The names of one kind. */
export type MetricOf<Kind extends MetricKind> = {
  [Name in MetricName]: (typeof METRICS)[Name]['kind'] extends Kind ? Name : never;
}[MetricName];

/** A value for every label of the metric. */
export type LabelsOf<Name extends MetricName> = Readonly<Record<(typeof METRICS)[Name]['labels'][number], string>>;
