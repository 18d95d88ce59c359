// The metrics that are read when somebody asks: what waits, what is open, and how large everything is.

import type { Lanes } from '../../lanes/lanes.ts';
import type { Store } from '../../store/store.ts';
import type { GaugeReading } from '../../telemetry/metrics.ts';
import type { RecordSize } from './record-sizes.ts';

export interface GaugeParts {
  readonly store: Pick<Store, 'count'>;
  readonly lanes: Pick<Lanes, 'running' | 'waiting'>;
  readonly sizes: { read(): Promise<readonly RecordSize[]> };
  readonly startedAt: number;
  readonly now: () => number;
}

export async function readGauges(parts: GaugeParts): Promise<readonly GaugeReading[]> {
  const { store, lanes, sizes, startedAt, now } = parts;
  const [waiting, suspended, queued, deadIn, deadOut, approvals, sessions, records] = await Promise.all([
    lanes.waiting(),
    store.count('runs', { status: 'suspended' }),
    store.count('outbox', { status: 'queued' }),
    store.count('deadLetters', { direction: 'in' }),
    store.count('deadLetters', { direction: 'out' }),
    store.count('approvals', { status: 'waiting' }),
    store.count('sessions', { endedAt: null }),
    sizes.read(),
  ]);
  return [
    { name: 'atrium.approvals.waiting', labels: {}, value: approvals },
    { name: 'atrium.inbox.waiting', labels: {}, value: waiting },
    { name: 'atrium.lanes.running', labels: {}, value: lanes.running.length },
    { name: 'atrium.runs.suspended', labels: {}, value: suspended },
    { name: 'atrium.outbox.queued', labels: {}, value: queued },
    { name: 'atrium.dead_letters', labels: { direction: 'in' }, value: deadIn },
    { name: 'atrium.dead_letters', labels: { direction: 'out' }, value: deadOut },
    { name: 'atrium.sessions.open', labels: {}, value: sessions },
    // The kinds within the store would be counted twice in a sum.
    ...records
      .filter(({ within }) => within === undefined)
      .map(({ what, bytes }) => ({ name: 'atrium.records.size', labels: { what }, value: bytes }) as const),
    { name: 'process.memory.usage', labels: {}, value: process.memoryUsage.rss() },
    { name: 'process.uptime', labels: {}, value: (now() - startedAt) / 1_000 },
  ];
}
