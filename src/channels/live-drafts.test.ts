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

  it('do not grow without bounds, and have no holes', () => {
    const drafts = new LiveDrafts();
    drafts.watch(start);
    for (let round = 0; round < 300; round++) drafts.watch(text(1, `${round} `.padEnd(1_000, 'x')));
    drafts.watch(text(1, 'end'));
    const [, draft] = drafts.replay(run.sessionKey);
    expect(draft?.type === 'text-delta' && draft.text).toHaveLength(200_000);
    expect(draft?.type === 'text-delta' && draft.text.endsWith('x')).toBe(true);
  });
});
