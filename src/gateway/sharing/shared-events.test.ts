import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { MemoryCluster } from '../../cluster/fixtures/memory-cluster.ts';
import type { LiveEvent } from '../../protocol/live-event.ts';
import type { Store } from '../../store/store.ts';
import { LiveEvents } from '../live-events.ts';
import { SharedEvents } from './shared-events.ts';

const BASE = { sessionKey: 'agent:main:main', runId: 'run_1', at: 1 };
const LONG = 'word '.repeat(2_000);
const delta = (text: string, call = 1): LiveEvent => ({ ...BASE, type: 'text-delta', attempt: 1, call, text });
const end = (reply: string): LiveEvent => ({ ...BASE, type: 'run-end', status: 'done', reply });

/** Two nodes with a table of one run each. */
function twoNodes() {
  const cluster = new MemoryCluster();
  const select = async () => [{ runId: 'run_1', outcome: { reply: LONG } }];
  const [a, b] = ['a', 'b'].map((name) => {
    const live = new LiveEvents(() => {});
    const seen: LiveEvent[] = [];
    const here: LiveEvent[] = [];
    live.subscribe((event) => seen.push(event));
    live.subscribeHere((event) => here.push(event));
    const shared = new SharedEvents({
      cluster: cluster.add(name),
      store: { select } as unknown as Pick<Store, 'select'>,
      shownHere: (listener) => live.subscribeHere(listener),
      emit: live.emitFromElsewhere,
      warn: () => {},
    });
    shared.open();
    return { live, seen, here };
  }) as [Node, Node];
  return { cluster, a, b };
}

interface Node {
  readonly live: LiveEvents;
  readonly seen: LiveEvent[];
  readonly here: LiveEvent[];
}

it('tells what happens on one node to the listeners of the others, in its order and pieces of a text together', async () => {
  const { a, b } = twoNodes();
  for (const text of ['one ', 'two ', 'three']) a.live.emit(delta(text));
  a.live.emit(delta('again', 2));
  a.live.emit(end('again'));
  expect(b.seen).toEqual([delta('one two three'), delta('again', 2), end('again')]);
  expect(b.here).toEqual([]);
  expect(a.seen).toHaveLength(5);
  a.live.emit({ ...delta('late'), runId: 'run_2' });
  while (b.seen.length < 4) await sleep(5);
  expect(b.seen.at(-1)).toMatchObject({ text: 'late', runId: 'run_2' });
});

it('reads a long text from its row, and what came after it waits for that', async () => {
  const { a, b } = twoNodes();
  a.live.emit(end(LONG));
  a.live.emit({ ...BASE, type: 'session-end', sessionId: 's', reason: 'new' });
  expect(b.seen).toEqual([]);
  while (b.seen.length < 2) await sleep(5);
  expect(b.seen[0]).toEqual(end(LONG));
  expect(b.seen[1]?.type).toBe('session-end');
  const text = 'x'.repeat(10_000);
  a.live.emit(delta(text));
  const pieces = () => b.seen.flatMap((event) => (event.type === 'text-delta' ? [event.text] : []));
  while (pieces().join('').length < text.length) await sleep(5);
  expect(pieces().length).toBeGreaterThan(1);
});

it('holds back the rest of a text of which a piece was lost, and tells the next one', () => {
  const { cluster, a, b } = twoNodes();
  a.live.emit(delta('The answer is '));
  a.live.emit({ ...BASE, type: 'tool-start', toolCallId: 't', name: 'x', params: null });
  cluster.isLost = (_, message) => JSON.stringify(message).includes('not ');
  a.live.emit(delta('not '));
  a.live.emit({ ...BASE, type: 'tool-start', toolCallId: 't', name: 'x', params: null });
  a.live.emit(delta('yes'));
  a.live.emit(delta('Once more: no', 2));
  a.live.emit(end('Once more: no'));
  const texts = b.seen.flatMap((event) => (event.type === 'text-delta' ? [event.text] : []));
  expect(texts).toEqual(['The answer is ', 'Once more: no']);
});
