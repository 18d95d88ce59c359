import { describe, expect, it } from 'vitest';
import type { ApprovalFacts } from './approval.ts';
import { Turn } from './turn.ts';

const approval: ApprovalFacts = {
  approvalId: 'a1',
  runId: 'run_1',
  toolCallId: 'c1',
  title: 'Use the stamp',
  description: 'stamp {}',
  severity: 'warning',
  allowedDecisions: ['allow-once', 'deny'],
  expiresAt: 1_000,
};

function turn(): Turn {
  return new Turn(1, 'run_1');
}

/** What a person would read, top to bottom. */
function read({ flow }: Turn): string[] {
  return flow.map((item) => {
    if (item.kind === 'tool') return `tool ${item.name}: ${item.outcome?.content ?? 'running'}`;
    return `${item.kind}: ${item.kind === 'approval' ? item.approval.outcome || 'waits' : item.text}`;
  });
}

describe('a turn', () => {
  it('shows the draft of each call, and takes back a draft that is void', () => {
    const it = turn();
    it.addDraft(1, 'Let me');
    it.addDraft(1, ' look.');
    it.startTool('c1', 'read', { path: 'a' });
    it.endTool('c1', 'read', { isError: false, content: '# A' });
    it.addDraft(2, 'wrong');
    it.resetDraft(2);
    it.addDraft(2, 'right');
    expect(read(it)).toEqual(['draft: Let me look.', 'tool read: # A', 'draft: right']);
  });

  it('puts the first part in the place of the draft that it grew from, and the next ones behind it', () => {
    const it = turn();
    it.addDraft(1, 'Let me look.');
    it.startTool('c1', 'read', {});
    it.addDraft(2, 'One. Two.');
    it.addPart('One.');
    it.addPart('Two.');
    expect(read(it)).toEqual(['draft: Let me look.', 'tool read: running', 'part: One.', 'part: Two.']);
    expect(it.isLive).toBe(false);
  });

  it('keeps the words before a tool when the answer comes without a draft', () => {
    const it = turn();
    it.addDraft(1, 'Let me look.');
    it.endTool('c1', 'read', { isError: true, content: 'no such file' });
    it.addPart('There is none.');
    expect(read(it)).toEqual(['draft: Let me look.', 'tool read: no such file', 'part: There is none.']);
  });

  it.each([
    ['before its part', (it: Turn) => [it.end('failed', 'It said no.'), it.addPart('Sorry: It said no.')]],
    ['after its part', (it: Turn) => [it.addPart('Sorry: It said no.'), it.end('failed', 'It said no.')]],
  ])('tells a failure once when it ends %s', (_, happen) => {
    const it = turn();
    happen(it);
    expect(read(it)).toEqual(['problem: It said no.']);
  });

  it('starts over when its run is taken up again, and keeps what was asked of people', () => {
    const it = turn();
    it.addDraft(1, 'Half');
    it.addApproval(approval);
    const [, card] = it.flow;
    it.begin();
    expect(it.flow).toEqual([card]);
    it.addDraft(1, 'Whole');
    it.addPart('Whole.');
    expect(read(it)).toEqual(['approval: waits', 'part: Whole.']);
  });

  it('has each tool behind its question, as the transcript has it, whenever they began', () => {
    const told = turn();
    for (const id of ['c1', 'c2', 'c3']) told.startTool(id, id, {});
    for (const id of ['c1', 'c2', 'c3']) told.endTool(id, id, { isError: false, content: 'done' });
    told.addWords('All three.');
    told.end('done');
    const it = turn();
    it.addApproval(approval);
    it.addApproval({ ...approval, approvalId: 'a3', toolCallId: 'c3' });
    for (const id of ['c3', 'c1', 'c2']) it.endTool(id, id, { isError: false, content: 'done' });
    const asked = ['approval: waits', 'tool c1: done', 'approval: waits', 'tool c3: done'];
    expect(read(it)).toEqual([...asked, 'tool c2: done']);
    it.addPart('All three.');
    it.end('done');
    it.settle(told);
    const over = 'approval: It does not wait any more.';
    expect(read(it)).toEqual([over, 'tool c1: done', 'tool c2: done', over, 'tool c3: done', 'part: All three.']);
    const late = turn();
    late.settle(told);
    expect(read(late).filter((line) => line.startsWith('tool'))).toEqual([
      'tool c1: done',
      'tool c2: done',
      'tool c3: done',
    ]);
  });

  it('takes over a note of the transcript, once, and not where it was delivered', () => {
    const told = turn();
    told.addNotice('The conversation was shortened.');
    told.addNotice('The answer was withheld.');
    const it = turn();
    it.addPart('Sorry. The answer was withheld.');
    it.end('done');
    it.settle(told);
    it.settle(told);
    expect(read(it)).toEqual(['notice: The conversation was shortened.', 'part: Sorry. The answer was withheld.']);
  });

  it.each([
    ['stopped', ['approval: Cancelled: the run was stopped.', 'notice: Stopped.']],
    ['done', ['approval: It does not wait any more.']],
  ] as const)('leaves no approval waiting when it is %s', (status, shown) => {
    const it = turn();
    it.addApproval(approval);
    it.end(status);
    expect(read(it)).toEqual(shown);
    expect(it.isOver).toBe(true);
  });

  it.each([
    ['before its end is told', (it: Turn) => [it.addPart('Stopped.'), it.end('stopped')]],
    ['after its end was told', (it: Turn) => [it.end('stopped'), it.addPart('Stopped.')]],
  ])('keeps what was written when a person stopped it, whose sentence comes %s', (_, happens) => {
    const it = turn();
    it.addDraft(1, 'On and');
    happens(it);
    expect(read(it)).toEqual(['draft: On and', 'notice: Stopped.']);
  });

  it('counts up with every change, and has something to show from the first one on', () => {
    const it = turn();
    expect(it.isShown).toBe(false);
    let last = it.version;
    for (const change of [
      () => it.say('hi', [], true),
      () => it.setLive(true),
      () => it.addDraft(1, 'a'),
      () => it.addDraft(1, 'b'),
      () => it.resetDraft(1),
      () => it.addApproval(approval),
      () => it.changeApproval('a1', (each) => ({ ...each, state: 'sending' })),
      () => it.begin(),
      () => it.end('done'),
    ]) {
      change();
      expect(it.version).toBeGreaterThan(last);
      last = it.version;
    }
    expect(it.isShown).toBe(true);
  });
});
