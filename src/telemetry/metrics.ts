// Counts what happens, in memory, since the process started. Reading gives every series of every metric.
// Promise: counting is cheap, and memory is bounded for any number of label values: further series of a metric are
// counted together, under the label that OpenTelemetry has for that.

import { type LabelsOf, METRICS, type MetricName, type MetricOf, type MetricRow } from './metric-catalog.ts';

export interface MetricSeries {
  readonly name: MetricName;
  readonly row: MetricRow;
  readonly points: readonly MetricPoint[];
}

export interface MetricPoint {
  readonly labels: Readonly<Record<string, string>>;
  /** The value, or the sum of what a histogram was given. */
  readonly value: number;
  /** A histogram says here how many values fell into each class; the last class has no upper end. */
  readonly counts?: readonly number[] | undefined;
}

/** A value that is read when somebody asks. */
export type GaugeReading = {
  [Name in MetricOf<'gauge'>]: { readonly name: Name; readonly labels: LabelsOf<Name>; readonly value: number };
}[MetricOf<'gauge'>];

const MAX_SERIES = 300;
const OVERFLOW = { 'otel.metric.overflow': 'true' };
const MAX_LABEL_CHARS = 120;

export class Metrics {
  readonly #series = new Map<MetricName, Map<string, Counted>>();
  readonly #gauges: () => Promise<readonly GaugeReading[]>;

  constructor(gauges: () => Promise<readonly GaugeReading[]> = async () => []) {
    this.#gauges = gauges;
  }

  add<Name extends MetricOf<'counter'>>(name: Name, labels: LabelsOf<Name>, amount = 1): void {
    if (amount > 0) this.#counted(name, labels).value += amount;
  }

  observe<Name extends MetricOf<'histogram'>>(name: Name, labels: LabelsOf<Name>, value: number): void {
    const { bounds } = METRICS[name];
    const counted = this.#counted(name, labels);
    const found = bounds.findIndex((bound) => value <= bound);
    const index = found === -1 ? bounds.length : found;
    counted.value += value;
    counted.counts ??= new Array(bounds.length + 1).fill(0);
    counted.counts[index] = (counted.counts[index] ?? 0) + 1;
  }

  /** Every metric that has a value, in the order of the catalog. */
  async read(): Promise<readonly MetricSeries[]> {
    const gauges = await this.#gauges();
    return Object.entries(METRICS).flatMap(([key, row]) => {
      const name = key as MetricName;
      const points: readonly MetricPoint[] =
        row.kind === 'gauge'
          ? gauges.filter((gauge) => gauge.name === name).map(({ labels, value }) => ({ labels, value }))
          : [...(this.#series.get(name)?.values() ?? [])].map(({ labels, value, counts }) => ({
              labels,
              value,
              counts: counts && [...counts],
            }));
      return points.length === 0 ? [] : [{ name, row, points }];
    });
  }

  #counted(name: MetricName, labels: Readonly<Record<string, string>>): Counted {
    let series = this.#series.get(name);
    if (!series) {
      series = new Map();
      this.#series.set(name, series);
    }
    const key = JSON.stringify(Object.values(labels));
    const known = series.get(key);
    if (known) return known;
    return series.size < MAX_SERIES ? begin(series, key, labels) : (series.get('') ?? begin(series, '', OVERFLOW));
  }
}

interface Counted {
  readonly labels: Readonly<Record<string, string>>;
  value: number;
  counts?: number[];
}

/** A label without a value is left out. */
function begin(series: Map<string, Counted>, key: string, labels: Readonly<Record<string, string>>): Counted {
  const shown = Object.entries(labels).filter(([, value]) => value !== '');
  const counted: Counted = {
    labels: Object.fromEntries(shown.map(([name, value]) => [name, value.slice(0, MAX_LABEL_CHARS)])),
    value: 0,
  };
  series.set(key, counted);
  return counted;
}
