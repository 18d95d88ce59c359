import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { anyString } from '../testkit/any-string.ts';
import { forAllAsync } from '../testkit/for-all.ts';
import { parsePrometheus } from './fixtures/parse-prometheus.ts';
import { formatPrometheus, prometheusName } from './format-prometheus.ts';
import { METRICS, type MetricName } from './metric-catalog.ts';
import { Metrics } from './metrics.ts';

it('counts, and what is counted can be read by Prometheus', async () => {
  const metrics = new Metrics(async () => [{ name: 'atrium.outbox.queued', labels: {}, value: 3 }]);
  metrics.add('atrium.runs', { agent: 'main', status: 'done' });
  metrics.add('atrium.runs', { agent: 'main', status: 'done' });
  metrics.observe('atrium.run.duration', { agent: 'main', status: 'done' }, 0.2);
  metrics.observe('atrium.run.duration', { agent: 'main', status: 'done' }, 9_999);
  const read = parsePrometheus(formatPrometheus(await metrics.read()));
  expect(read.get('atrium_runs_total')?.samples).toEqual([
    { name: 'atrium_runs_total', labels: { agent: 'main', status: 'done' }, value: 2 },
  ]);
  expect(read.get('atrium_outbox_queued')?.samples[0]?.value).toBe(3);
  const duration = read.get('atrium_run_duration_seconds')?.samples ?? [];
  const bucket = (le: string) => duration.find(({ labels }) => labels.le === le)?.value;
  expect([bucket('0.1'), bucket('0.25'), bucket('3600'), bucket('+Inf')]).toEqual([0, 1, 1, 2]);
});

it('any label value comes out as it went in, and the number of series is bounded', async () => {
  await forAllAsync(
    [fc.uniqueArray(anyString({ minLength: 1, maxLength: 20 }), { maxLength: 400, minLength: 1 })],
    30,
    async (names) => {
      const metrics = new Metrics();
      for (const channel of names) metrics.add('atrium.messages', { channel });
      const read = parsePrometheus(formatPrometheus(await metrics.read()));
      const samples = read.get('atrium_messages_total')?.samples ?? [];
      expect(samples.reduce((sum, { value }) => sum + value, 0)).toBe(names.length);
      expect(samples.length).toBeLessThanOrEqual(301);
      for (const channel of names.slice(0, 300))
        expect(samples.some(({ labels }) => labels.channel === channel)).toBe(true);
    },
  );
});

it('the documentation has a row for every metric, with its name for Prometheus, its labels and its meaning', async () => {
  const text = await readFile(new URL('../../docs/observability.md', import.meta.url), 'utf8');
  const rows = [...text.matchAll(/^\| `([a-z_.]+)` \| `([a-z_]+)` \| (\w+) \| ([^|]*) \| ([^|]*) \|$/gm)].map(
    ([, ...cells]) => cells.map((cell) => cell?.trim()),
  );
  expect(rows).toEqual(
    Object.entries(METRICS).map(([name, { kind, labels, summary }]) => [
      name,
      prometheusName(name as MetricName),
      kind,
      labels.map((label) => `\`${label}\``).join(', '),
      summary,
    ]),
  );
});
