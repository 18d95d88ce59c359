// Metrics as the text that Prometheus reads. Names follow the rules by which OpenTelemetry's names become names of
// Prometheus: the unit is part of the name, and counters end in `_total`.

import { METRICS, type MetricName } from './metric-catalog.ts';
import type { MetricPoint, MetricSeries } from './metrics.ts';

export function formatPrometheus(series: readonly MetricSeries[]): string {
  return series
    .map(({ name, row, points }) => {
      const shown = prometheusName(name);
      const head = `# HELP ${shown} ${escapeHelp(row.summary)}\n# TYPE ${shown} ${row.kind}\n`;
      return head + points.map((point) => formatPoint(shown, point, row.bounds)).join('');
    })
    .join('');
}

export function prometheusName(name: MetricName): string {
  const { unit, kind } = METRICS[name];
  const word = UNIT_WORDS[unit];
  return `${name.replaceAll('.', '_')}${word ? `_${word}` : ''}${kind === 'counter' ? '_total' : ''}`;
}

/** What stands in braces is not a unit. */
const UNIT_WORDS: Readonly<Record<string, string>> = { s: 'seconds', By: 'bytes' };

function formatPoint(name: string, { labels, value, counts }: MetricPoint, bounds: readonly number[] = []): string {
  if (!counts) return `${name}${formatLabels(labels)} ${value}\n`;
  let sum = 0;
  const buckets = counts.map((count, index) => {
    sum += count;
    const le = bounds[index] === undefined ? '+Inf' : String(bounds[index]);
    return `${name}_bucket${formatLabels({ ...labels, le })} ${sum}\n`;
  });
  const shown = formatLabels(labels);
  return `${buckets.join('')}${name}_sum${shown} ${value}\n${name}_count${shown} ${sum}\n`;
}

function formatLabels(labels: Readonly<Record<string, string>>): string {
  const shown = Object.entries(labels).map(([name, value]) => `${name.replaceAll('.', '_')}="${escapeLabel(value)}"`);
  return shown.length === 0 ? '' : `{${shown.join(',')}}`;
}

function escapeHelp(text: string): string {
  return text.replace(/\\/g, '\\\\').replace(/\n/g, '\\n');
}

function escapeLabel(text: string): string {
  return escapeHelp(text).replace(/"/g, '\\"');
}
