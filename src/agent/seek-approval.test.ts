import { describe, expect, it } from 'vitest';
import type { ApprovalRow } from '../store/tables.ts';
import { toolForTest } from '../testkit/tool-for-test.ts';
import type { GateAsk } from '../tools/gate-tool-call.ts';
import { type ApprovalSubject, seekApproval } from './seek-approval.ts';

const tool = toolForTest('exec', async () => ({ content: '' }), { idempotent: false });
const ask: GateAsk = {
  kind: 'ask',
  tool,
  params: { command: 'make', options: { b: 1, a: [2] } },
  written: {},
  askedBy: 'exec',
  title: 'Run\na command',
  description: 'Command:\n$ make',
  severity: 'warning',
  allowedDecisions: ['allow-once', 'deny'],
  rule: null,
};
const about: ApprovalSubject = {
  runId: 'run_1',
  sessionKey: 'agent:main:main',
  agentId: 'main',
  toolCallId: 'call_1',
  place: '1.0',
  requester: { channel: 'web', accountId: 'default', senderId: 'tab' },
  policyVersion: 'p1',
  workspaceDir: '/srv/workspace',
  contextHash: 'hash',
  now: 1_000,
  ttlMs: 60_000,
  timeoutBehavior: 'deny',
};

/** The row as it is stored once a person has allowed the call. */
function allowed(asked = ask, subject = about): ApprovalRow {
  const sought = seekApproval(asked, subject, []);
  if (sought.kind !== 'new') throw new Error('No person was asked before.');
  return { ...sought.row, seq: 1, status: 'answered', decision: 'allow-once' };
}

describe('an answer', () => {
  it('holds for what was asked, in any order of its parameters', () => {
    const row = allowed();
    expect(seekApproval(ask, about, [row])).toEqual({ kind: 'answered', approval: row });
    const turned = { ...ask, params: { options: { a: [2], b: 1 }, command: 'make' } };
    expect(seekApproval(turned, { ...about, now: 2_000, contextHash: 'other' }, [row]).kind).toBe('answered');
  });

  it.each<[string, Partial<GateAsk>, Partial<ApprovalSubject>]>([
    ['another tool', { tool: { ...tool, name: 'process' } }, {}],
    ['other parameters', { params: { command: 'make', options: { b: 1, a: [3] } } }, {}],
    ['another asker', { askedBy: 'careful' }, {}],
    ['what the tool itself says of it now', { grant: { kind: 'rule', rule: 'make', argv: ['make'] } }, {}],
    ['another call of the same name', {}, { place: '2.0' }],
    ['another person', {}, { requester: { ...about.requester, senderId: 'other' } }],
    ['another account', {}, { requester: { ...about.requester, accountId: 'other' } }],
    ['another policy', {}, { policyVersion: 'p2' }],
    ['another workspace', {}, { workspaceDir: '/srv/other' }],
    ['another agent', {}, { agentId: 'coder' }],
    ['another session', {}, { sessionKey: 'agent:main:other' }],
  ])('is void for %s', (_, asked, subject) => {
    const row = allowed();
    const sought = seekApproval({ ...ask, ...asked }, { ...about, ...subject }, [row]);
    expect(sought).toMatchObject({ kind: 'new', voids: [row.id] });
  });

  it('that is void stays so', () => {
    const row: ApprovalRow = { ...allowed(), status: 'void' };
    expect(seekApproval(ask, about, [row])).toMatchObject({ kind: 'new', voids: [] });
  });
});

describe('a question', () => {
  it('shows what the gate says about the call, with everything in it that could hide', () => {
    expect(allowed()).toMatchObject({ title: 'Run a command', description: 'Command:\n$ make' });
    expect(allowed({ ...ask, askedBy: 'careful', description: 'Command:\n$ make\u202e' }).description).toBe(
      'Command:\n$ make\\u{202e}',
    );
  });

  it.each([
    [undefined, 61_000],
    [5_000, 6_000],
    [7 * 86_400_000, 1_000 + 86_400_000],
    [Number.NaN, 61_000],
    [-1, 61_000],
    [Number.POSITIVE_INFINITY, 61_000],
  ])('that wants %s ms waits until %s', (timeoutMs, expiresAt) => {
    expect(allowed({ ...ask, timeoutMs }).expiresAt).toBe(expiresAt);
  });
});
