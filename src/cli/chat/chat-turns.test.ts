import { expect, test } from 'vitest';
import type { ServerFrame } from '../../channels/server-frame.ts';
import { ChatTurns, type TurnState } from './chat-turns.ts';

const runEnd = { type: 'run-end', runId: 'run_1', sessionKey: 'k', at: 0, status: 'done' } as ServerFrame;
const part = (seq: number): ServerFrame => ({ type: 'part', seq, runId: 'run_1', part: 1, text: 'x' });
const ready: ServerFrame = { type: 'ready', surface: 'local', last: 0 };
const RUNNING: TurnState = { isOver: false, status: 'running', lastPart: 0 };
const done = (lastPart: number): TurnState => ({ isOver: true, status: 'done', lastPart });

/** A gateway that says what the test lets it say. */
class Rig {
  state: TurnState | undefined = RUNNING;
  shown = 0;
  looks = 0;
  readonly turns = new ChatTurns({
    look: async () => {
      this.looks++;
      return this.state;
    },
    shown: () => this.shown,
  });

  async isSettled(turn: Promise<unknown>): Promise<boolean> {
    const later = new Promise((resolve) => setImmediate(() => resolve('later')));
    return (await Promise.race([turn.then(() => 'settled'), later])) === 'settled';
  }
}

test('a turn is over when the last part of its answer was shown', async () => {
  const rig = new Rig();
  const turn = rig.turns.answered('run_1');
  expect(await rig.isSettled(turn)).toBe(false);
  rig.state = done(3);
  rig.turns.see(runEnd);
  expect(await rig.isSettled(turn)).toBe(false);
  rig.shown = 2;
  rig.turns.see(part(2));
  expect(await rig.isSettled(turn)).toBe(false);
  rig.shown = 3;
  rig.turns.see(part(3));
  expect(await turn).toBe('done');
  expect(rig.turns.isWaiting).toBe(false);
});

test('a run that waits for a person is left to wait, where a person is', async () => {
  const asked = { type: 'approval-start', runId: 'run_0', sessionKey: 'k', at: 0 } as ServerFrame;
  for (const leavesHeld of [true, false]) {
    let state: TurnState = RUNNING;
    const turns = new ChatTurns({ look: async () => state, shown: () => 0, leavesHeld });
    const turn = turns.answered('run_1');
    expect(await new Rig().isSettled(turn)).toBe(false);
    state = { ...RUNNING, status: 'queued', isHeld: true };
    turns.see(asked);
    expect(await new Rig().isSettled(turn)).toBe(leavesHeld);
    expect(turns.isWaiting).toBe(!leavesHeld);
  }
});

test('a run that says nothing is over when it ends', async () => {
  const rig = new Rig();
  const turn = rig.turns.answered('run_1');
  rig.state = done(0);
  rig.turns.see(runEnd);
  expect(await turn).toBe('done');
});

test('an answer that was shown before its run was known is enough', async () => {
  const rig = new Rig();
  rig.state = done(1);
  rig.shown = 1;
  expect(await rig.turns.answered('run_1')).toBe('done');
});

test('what ended while the connection was broken is noticed when it is back', async () => {
  const rig = new Rig();
  rig.state = undefined;
  const turn = rig.turns.answered('run_1');
  expect(await rig.isSettled(turn)).toBe(false);
  rig.state = { isOver: true, status: 'failed', lastPart: 0 };
  rig.turns.see(ready);
  expect(await turn).toBe('failed');
});

test('other runs do not matter', async () => {
  const rig = new Rig();
  const turn = rig.turns.answered('run_1');
  await rig.isSettled(turn);
  const looks = rig.looks;
  rig.turns.see({ ...runEnd, runId: 'run_2' } as ServerFrame);
  expect(await rig.isSettled(turn)).toBe(false);
  expect(rig.looks).toBe(looks);
  rig.turns.giveUp();
  expect(await turn).toBeUndefined();
});

test('giving up ends the wait for acceptance too', async () => {
  const { turns } = new Rig();
  const waiting = turns.until(new Promise<never>(() => {}));
  expect(turns.isWaiting).toBe(true);
  turns.giveUp();
  expect(await waiting).toBeUndefined();
  expect(turns.isWaiting).toBe(false);
});
