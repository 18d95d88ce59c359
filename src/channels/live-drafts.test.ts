import { describe, expect, it } from 'vitest';
import { LiveDrafts } from './live-drafts.ts';
import type { LiveFrame } from './server-frame.ts';

const run = { sessionKey: 'agent:main:main', runId: 'run_1', at: 1 };
const start: LiveFrame = { type: 'run-start', attempt: 1, agentId: 'main', sessionId: 's1', ...run };

function text(call: number, words: string): LiveFrame {
  return { type: 'text-delta', attempt: 1, call, text: words, ...run };
}

describe('the drafts of runs that go on', () => {
  it('bring a newcomer up to now in few frames', () => {
    const drafts = new LiveDrafts();
    const tool: LiveFrame = { type: 'tool-start', toolCallId: 't1', name: 'read', params: {}, ...run };
    for (const frame of [start, text(1, 'Let me '), text(1, 'look.'), tool, text(2, 'There.')]) drafts.watch(frame);
    expect(drafts.replay(run.sessionKey)).toEqual([start, text(1, 'Let me look.'), tool, text(2, 'There.')]);
    expect(drafts.replay('another session')).toEqual([]);
  });

  it('forget a call that is void, and everything when the run is over or begins again', () => {
    const drafts = new LiveDrafts();
    for (const frame of [start, text(1, 'kept'), text(2, 'void')]) drafts.watch(frame);
    drafts.watch({ type: 'text-reset', attempt: 1, call: 2, reason: 'overloaded', ...run });
    expect(drafts.replay(run.sessionKey)).toEqual([start, text(1, 'kept')]);
    drafts.watch(start);
    expect(drafts.replay(run.sessionKey)).toEqual([start]);
    drafts.watch({ type: 'run-end', status: 'done', ...run });
    expect(drafts.replay(run.sessionKey)).toEqual([]);
  });

  it('go on after an answer that the run waited for', () => {
    const drafts = new LiveDrafts();
    const asked: LiveFrame = {
      type: 'approval-start',
      approvalId: 'k3f9-x2mq',
      toolCallId: 'c1',
      toolName: 'exec',
      title: 'Run it',
      description: 'make',
      severity: 'warning',
      allowedDecisions: ['deny'],
      expiresAt: 2,
      ...run,
    };
    const answered: LiveFrame = { type: 'approval-end', approvalId: 'k3f9-x2mq', decision: 'deny', by: 'web', ...run };
    const again = { ...start, attempt: 2 };
    for (const frame of [start, text(1, 'May I?'), asked, answered, again, text(2, 'Then not.')]) drafts.watch(frame);
    expect(drafts.replay(run.sessionKey)).toEqual([
      start,
      text(1, 'May I?'),
      asked,
      answered,
      again,
      text(2, 'Then not.'),
    ]);
    drafts.watch(again);
    expect(drafts.replay(run.sessionKey)).toEqual([again]);
  });

  it('have every step of a long run, and all of a long answer', () => {
    const drafts = new LiveDrafts();
    const frames: LiveFrame[] = [start];
    for (let round = 0; round < 3_000; round++)
      frames.push({ type: 'tool-start', toolCallId: `t${round}`, name: 'read', params: { round }, ...run });
    for (const frame of frames) drafts.watch(frame);
    for (let round = 0; round < 300; round++) drafts.watch(text(1, `${round} `.padEnd(1_000, 'x')));
    drafts.watch(text(1, 'end'));
    const replayed = drafts.replay(run.sessionKey);
    expect(replayed.slice(0, -1)).toEqual(frames);
    const last = replayed.at(-1);
    expect(last?.type === 'text-delta' && last.text.length).toBe(300_003);
  });

  it('do not grow without bounds: the oldest steps are forgotten, and the run and its latest step never', () => {
    const drafts = new LiveDrafts();
    drafts.watch(start);
    const step = (round: number): LiveFrame => ({
      type: 'tool-start',
      toolCallId: `t${round}`,
      name: 'write',
      params: { text: 'x'.repeat(100_000) },
      ...run,
    });
    for (let round = 0; round < 100; round++) drafts.watch(step(round));
    const replayed = drafts.replay(run.sessionKey);
    expect(replayed[0]).toEqual(start);
    expect(replayed.at(-1)).toEqual(step(99));
    expect(replayed.length).toBeGreaterThan(15);
    expect(JSON.stringify(replayed).length).toBeLessThan(2_100_000);
  });
});
