// The pulse of the gateway as small plots: turns a second, runs at work, memory and the size of the store over the last
// hour. The series comes from the API once, and each new sample over the socket.

import { useEffect, useState } from 'preact/hooks';
import { type GatewayStatus, OperatorClient, type PulseSample } from '../client/operator-client.ts';
import type { ConsoleState } from '../console-state.ts';
import { formatSize } from '../talk/sent-file.ts';
import { formatCount, formatElapsed } from '../view/format.ts';
import { SmallPlot } from './small-plot.tsx';

const MOST_SAMPLES = 720;

export function PulsePlots({ state, status }: { state: ConsoleState; status: GatewayStatus }) {
  const [samples, setSamples] = useState<readonly PulseSample[]>([]);
  const client = state.entered.value?.client;
  useEffect(() => {
    if (!client) return;
    const read = async () => setSamples(await new OperatorClient(client).pulse());
    void read().catch(() => undefined);
    return state.watch.onSample((sample) =>
      setSamples((known) => [...known.filter(({ at }) => at !== sample.at), sample].slice(-MOST_SAMPLES)),
    );
  }, [client]);
  const times = samples.map(({ at }) => at / 1_000);
  const last = samples.at(-1);
  const deadLetters = status.deadLetters.in + status.deadLetters.out;
  return (
    <section class="pulse" aria-label="Pulse">
      <ul>
        <Figure label="Turns a second" value={(last?.turnsPerSecond ?? 0).toFixed(1)}>
          <SmallPlot times={times} values={samples.map(({ turnsPerSecond }) => turnsPerSecond)} />
        </Figure>
        <Figure label="Runs at work" value={formatCount(status.running.length)}>
          <SmallPlot times={times} values={samples.map(({ running }) => running)} />
        </Figure>
        <Figure label="Memory" value={formatSize(last?.memoryBytes ?? 0)}>
          <SmallPlot times={times} values={samples.map(({ memoryBytes }) => memoryBytes)} />
        </Figure>
        <Figure label="Store" value={formatSize(last?.storeBytes ?? 0)}>
          <SmallPlot times={times} values={samples.map(({ storeBytes }) => storeBytes)} />
        </Figure>
      </ul>
      <dl class="row-of-facts">
        <Fact name="waiting in lanes" value={formatCount(status.waiting)} />
        <Fact
          name={status.approvals === 1 ? 'approval' : 'approvals'}
          value={formatCount(status.approvals)}
          isLoud={status.approvals > 0}
        />
        <Fact name="outbox" value={formatCount(status.outbox.queued)} />
        <Fact
          name={deadLetters === 1 ? 'dead letter' : 'dead letters'}
          value={formatCount(deadLetters)}
          isLoud={deadLetters > 0}
        />
        <Fact name={status.sessions === 1 ? 'open session' : 'open sessions'} value={formatCount(status.sessions)} />
        <Fact name="up for" value={formatElapsed(Date.now() - status.startedAt)} />
        <Fact name="version" value={status.version} />
      </dl>
    </section>
  );
}

interface FigureProps {
  readonly label: string;
  readonly value: string;
  readonly children: preact.ComponentChildren;
}

function Figure({ label, value, children }: FigureProps) {
  return (
    <li>
      <span>{label}</span>
      <b>{value}</b>
      {children}
    </li>
  );
}

function Fact({ name, value, isLoud = false }: { name: string; value: string; isLoud?: boolean }) {
  return (
    <div class={isLoud ? 'loud' : undefined}>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
