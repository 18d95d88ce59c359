// What every implementation of Cluster must do, as tests. The test file of an implementation passes a function that makes nodes.
// What only several nodes can show is tested where there can be several.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Cluster, ClusterTopic, MemberChange } from './cluster.ts';
import { NodeNameTakenError, NodeUnknownError } from './errors.ts';

export interface ClusterUnderTest {
  /** Makes a node that has not joined yet. */
  node(name: string): Cluster;
  remove(): Promise<void>;
}

export interface ClusterKind {
  readonly hasSeveral: boolean;
}

/** Nodes look at each other every half second, and the machine may be busy. */
const SOON = { timeout: 15_000, interval: 10 };
/** A node is left no duties before it has been there for some seconds. */
const LATER = { timeout: 40_000, interval: 10 };

export function describeCluster(name: string, make: () => Promise<ClusterUnderTest>, kind: ClusterKind): void {
  describe(`${name}, as a cluster`, () => {
    let under: ClusterUnderTest;
    const joined: Cluster[] = [];
    beforeEach(async () => {
      under = await make();
    });
    afterEach(async () => {
      await Promise.all(joined.splice(0).map((cluster) => cluster.leave()));
      await under.remove();
    });

    async function join(node: string): Promise<Cluster> {
      const cluster = under.node(node);
      joined.push(cluster);
      await cluster.join();
      return cluster;
    }

    describe('one node', () => {
      it('is a member from its joining on', async () => {
        const node = await join('a');
        expect(node.node).toBe('a');
        await node.whileMember();
        expect(node.isAlive(node.memberId)).toBe(true);
      });

      it('has every duty until it leaves it, and is awaited', async () => {
        const node = await join('a');
        const duty = recordedDuty();
        const leave = node.shareDuty('sweep', duty.work);
        await expect.poll(() => duty.events, SOON).toEqual(['begin']);
        await leave();
        expect(duty.events).toEqual(['begin', 'aborted', 'end']);
      });

      it('ends its duties before it is gone', async () => {
        const node = await join('a');
        const duty = recordedDuty();
        node.shareDuty('sweep', duty.work);
        await expect.poll(() => duty.events, SOON).toEqual(['begin']);
        await node.leave();
        expect(duty.events).toEqual(['begin', 'aborted', 'end']);
      });

      it('hears nothing of what it says itself', async () => {
        const node = await join('a');
        const heard: unknown[] = [];
        node.subscribe('change', (message) => heard.push(message));
        node.publish('change', { words: 'to myself' });
        await node.leave();
        expect(heard).toEqual([]);
      });

      it('refuses to drain or remove a node that is not there', async () => {
        const node = await join('a');
        await expect(node.drainNode('nobody')).rejects.toThrow(NodeUnknownError);
        await expect(node.removeNode('nobody')).rejects.toThrow(NodeUnknownError);
      });
    });

    describe.skipIf(!kind.hasSeveral)('several nodes', () => {
      const nodesOf = (cluster: Cluster) => cluster.members.map(({ node }) => node);

      it('know each other, and tell who joins and who leaves', async () => {
        const a = await join('a');
        const changes: MemberChange[] = [];
        a.watchMembers((change) => changes.push(change));
        const b = await join('b');
        await b.listensAt('http://127.0.0.1:1');
        expect(nodesOf(b)).toEqual(['a', 'b']);
        await expect.poll(() => nodesOf(a), SOON).toEqual(['a', 'b']);
        await expect.poll(() => a.members[1]?.url, SOON).toBe('http://127.0.0.1:1');
        expect(a.members[1]).toMatchObject({ id: b.memberId, status: 'up' });
        const left = b.memberId;
        expect(a.isAlive(left)).toBe(true);
        await b.leave();
        await expect.poll(() => nodesOf(a), SOON).toEqual(['a']);
        expect(changes.map(({ change, member }) => `${change} ${member.node}`)).toEqual(['joined b', 'left b']);
        expect(a.isAlive(left)).toBe(false);
        expect(b.memberId).toBe(null);
      });

      it('refuse a second one of the same name', async () => {
        await join('a');
        const second = under.node('a').join();
        await expect(second).rejects.toThrow(NodeNameTakenError);
        await expect(second).rejects.toThrow(/Another gateway is the node "a".*store\.node/);
      });

      it('never give an id twice, and take one that is not known yet for alive', async () => {
        const a = await join('a');
        const first = await join('b');
        const firstId = first.memberId;
        await first.leave();
        const second = await join('b');
        expect(second.memberId).not.toBe(firstId);
        // This may be asked before the node has looked.
        expect(a.isAlive(second.memberId)).toBe(true);
        await expect.poll(() => a.isAlive(firstId), SOON).toBe(false);
      });

      it('hear all messages of a node in their order, long ones too', async () => {
        const [a, b] = [await join('a'), await join('b')];
        await expect.poll(() => a.members.length, SOON).toBe(2);
        const heard: unknown[] = [];
        const from = new Set<string>();
        const off = (['live-event', 'change'] satisfies ClusterTopic[]).map((topic) =>
          b.subscribe(topic, (message, sender) => {
            heard.push(message);
            from.add(sender);
          }),
        );
        b.subscribe('lane', () => heard.push('of another topic'));
        const long = 'Zürich 東京 🌍 '.repeat(4_000);
        const sent = Array.from({ length: 200 }, (_, index) => ({ index, text: index % 50 === 7 ? long : 'short' }));
        for (const [index, message] of sent.entries()) {
          a.publish(index % 2 ? 'live-event' : 'change', message);
          if (index % 40 === 0) await new Promise((resolve) => setTimeout(resolve, 10));
        }
        await expect.poll(() => heard.length, SOON).toBe(200);
        expect(heard).toEqual(sent);
        expect([...from]).toEqual([a.memberId]);
        for (const stop of off) stop();
        a.publish('change', 'nobody listens');
        a.publish('lane', 'last');
        await expect.poll(() => heard.length, SOON).toBe(201);
        expect(heard.at(-1)).toBe('of another topic');
      });

      it('have a duty on one of them, and another one takes it when that one leaves', async () => {
        const [a, b] = [await join('a'), await join('b')];
        const [ofA, ofB] = [recordedDuty(), recordedDuty()];
        a.shareDuty('sweep', ofA.work);
        await expect.poll(() => ofA.events, SOON).toEqual(['begin']);
        b.shareDuty('sweep', ofB.work);
        await expect.poll(() => b.holderOf('sweep')?.node, SOON).toBe('a');
        await a.leave();
        expect(ofA.events).toEqual(['begin', 'aborted', 'end']);
        await expect.poll(() => ofB.events, SOON).toEqual(['begin']);
        expect(ofB.began[0]).toBeGreaterThanOrEqual(ofA.ended[0] ?? Number.NaN);
        await expect.poll(() => b.holderOf('sweep')?.node, SOON).toBe('b');
      });

      it('let one drain: its duties pass on, and it takes no new ones', async () => {
        const [a, b] = [await join('a'), await join('b')];
        const [ofA, ofB] = [recordedDuty(), recordedDuty()];
        const changes: string[] = [];
        b.watchMembers(({ change, member }) => changes.push(`${change} ${member.node}`));
        a.shareDuty('sweep', ofA.work);
        await expect.poll(() => ofA.events, SOON).toEqual(['begin']);
        b.shareDuty('sweep', ofB.work);
        await b.drainNode('a');
        await expect.poll(() => ofB.events, SOON).toEqual(['begin']);
        expect(ofA.events).toEqual(['begin', 'aborted', 'end']);
        await expect.poll(() => changes, SOON).toContain('draining a');
        await expect.poll(() => a.members[0]?.status, SOON).toBe('draining');
        const later = recordedDuty();
        a.shareDuty('later', later.work);
        b.shareDuty('later', recordedDuty().work);
        await expect.poll(() => a.holderOf('later')?.node, SOON).toBe('b');
        expect(later.events).toEqual([]);
        expect(a.isAlive(a.memberId)).toBe(true);
      });

      it('let one that was drained and removed join again as an ordinary one', async () => {
        const [a, b] = [await join('a'), await join('b')];
        const ofA = recordedDuty();
        a.shareDuty('sweep', ofA.work);
        await expect.poll(() => ofA.events, SOON).toEqual(['begin']);
        await b.drainNode('a');
        const statusOf = () => b.members.find(({ node }) => node === 'a')?.status;
        await expect.poll(() => [statusOf(), ofA.events.length], SOON).toEqual(['draining', 3]);
        const before = a.memberId;
        await b.removeNode('a');
        await expect.poll(() => a.memberId !== null && a.memberId !== before, SOON).toBe(true);
        await expect.poll(statusOf, SOON).toBe('up');
        // It takes work again.
        await expect.poll(() => ofA.events, SOON).toEqual(['begin', 'aborted', 'end', 'begin']);
      });

      it('spread their duties when another one joins, and have all of them when it leaves', async () => {
        const names = ['channel:x:1', 'channel:x:2', 'channel:x:3', 'channel:x:4'];
        const [a, b] = [await join('a'), await join('b')];
        const duties = (cluster: Cluster) =>
          names.map((name) => {
            const duty = recordedDuty();
            cluster.shareDuty(name, duty.work);
            return duty;
          });
        const ofA = duties(a);
        await expect.poll(() => names.map((name) => a.holderOf(name)?.node), SOON).toEqual(['a', 'a', 'a', 'a']);
        const ofB = duties(b);
        const holders = () => names.map((name) => b.holderOf(name)?.node);
        await expect.poll(() => holders().sort(), LATER).toEqual(['a', 'a', 'b', 'b']);
        // One that moved was over on the one node before it began on the other.
        for (const [index, moved] of ofB.entries()) {
          if (moved.began[0] === undefined) continue;
          expect(moved.began[0]).toBeGreaterThanOrEqual(ofA[index]?.ended[0] ?? Number.NaN);
        }
        await b.leave();
        await expect.poll(() => names.map((name) => a.holderOf(name)?.node), SOON).toEqual(['a', 'a', 'a', 'a']);
      });

      it('give a duty that fails to another one', async () => {
        const [a, b] = [await join('a'), await join('b')];
        const ofB = recordedDuty();
        let failures = 0;
        a.shareDuty('sweep', async () => {
          failures += 1;
          throw new Error('not today');
        });
        await expect.poll(() => failures, SOON).toBe(1);
        b.shareDuty('sweep', ofB.work);
        await expect.poll(() => ofB.events[0] ?? failures, SOON).not.toBe(1);
      });

      it('remove one that lives: it loses what it had and joins again as a new one', async () => {
        const [a, b] = [await join('a'), await join('b')];
        const [ofA, ofB] = [recordedDuty(), recordedDuty()];
        const changes: string[] = [];
        a.shareDuty('sweep', ofA.work);
        await expect.poll(() => ofA.events, SOON).toEqual(['begin']);
        a.watchMembers(({ change, member }) => changes.push(`${change} ${member.id}`));
        const before = a.memberId;
        b.shareDuty('sweep', ofB.work);
        await b.removeNode('a');
        await expect.poll(() => a.memberId !== null && a.memberId !== before, SOON).toBe(true);
        await a.whileMember();
        expect(changes).toContain(`expelled ${before}`);
        await expect.poll(() => changes, SOON).toContain(`joined ${a.memberId}`);
        await expect.poll(() => ofA.events.slice(0, 3), SOON).toEqual(['begin', 'aborted', 'end']);
        await expect.poll(() => b.isAlive(before), SOON).toBe(false);
        // The process is the same one, and so are those who wait at it.
        expect(a.processId).toBe(before);
        await expect.poll(() => b.hasProcess(before), SOON).toBe(true);
        await expect.poll(() => [...ofA.events.slice(3), ...ofB.events], SOON).toEqual(['begin']);
      });
    });
  });
}

function recordedDuty() {
  const events: string[] = [];
  const began: number[] = [];
  const ended: number[] = [];
  const work = async (signal: AbortSignal) => {
    events.push('begin');
    began.push(performance.now());
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    events.push('aborted');
    await new Promise((resolve) => setTimeout(resolve, 20));
    ended.push(performance.now());
    events.push('end');
  };
  return { events, began, ended, work };
}
