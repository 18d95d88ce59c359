import { describe, expect, it } from 'vitest';
import { reply, toolCall } from '../../testkit/model-server.ts';
import { on } from '../../testkit/on.ts';
import { ScratchGateway } from '../../testkit/scratch-gateway.ts';
import { recordingTool } from '../../testkit/tool-for-test.ts';
import { runTimeline, type TimelineFacts } from './run-timeline.ts';

const FACTS = {
  run: { status: 'done', startedAt: 100, endedAt: 900, outcome: null },
  inbox: { kind: 'message', acceptedAt: 60 },
  calls: [
    { call: 1, at: 200, provider: 'fake', model: 'small', size: 10 },
    { call: 2, at: 500, provider: 'fake', model: 'small', size: 20 },
  ],
  hooks: [
    {
      ...{ seq: 1, hook: 'before_prompt_build', handler: 'a', owner: 'a', at: 150, ms: 7 },
      ...{ outcome: 'threw', error: 'dry', changed: [], diff: null },
    },
  ],
  entries: [
    { at: 110, kind: 'message', message: { role: 'user', content: 'hi' } },
    { at: 300, kind: 'message', message: { role: 'assistant', content: [] } },
    { at: 450, kind: 'message', message: { role: 'tool', toolCallId: 'c', toolName: 'read', content: 'words' } },
    { at: 800, kind: 'message', message: { role: 'assistant', content: [] } },
  ],
  approvals: [],
  subagents: [],
  deliveries: [{ part: 0, surface: { channel: 'web' }, status: 'sent', attempts: 1, createdAt: 805, error: null }],
  trace: [],
} as unknown as TimelineFacts;

describe('the timeline of a run', () => {
  const shown = (facts: TimelineFacts) => runTimeline(facts).map(({ kind, label, at, ms }) => [kind, label, at, ms]);

  it('has everything in the order in which it began, with its time', () => {
    expect(shown(FACTS)).toEqual([
      ['inbox', 'Inbox: message', 60, 40],
      ['hook', 'before_prompt_build', 150, 7],
      ['model', 'Model call 1', 200, 100],
      ['tool', 'read', 300, 150],
      ['model', 'Model call 2', 500, 300],
      ['delivery', 'Delivery', 805, null],
    ]);
  });

  it('knows more with the trajectory: composition, attempts, the first byte, the arrival', () => {
    const completed = (at: number, data: object) => ({ type: 'model.completed', at, data });
    const trace = [
      { type: 'session.started', at: 101, data: {} },
      { type: 'context.compiled', at: 131, data: { chars: 2_000, files: 2, cuts: 1, absences: 0 } },
      completed(260, { call: 1, ms: 55, stop: 'error', error: 'busy' }),
      completed(298, { call: 1, ms: 30, stop: 'tool-calls', firstByteMs: 12, usage: { input: 5, output: 6 } }),
      { type: 'tool.ended', at: 449, data: { toolCallId: 'c', ms: 100 } },
      { type: 'delivery.ended', at: 830, data: { part: 0, outcome: 'sent' } },
    ] as unknown as TimelineFacts['trace'];
    expect(shown({ ...FACTS, trace })).toEqual([
      ['inbox', 'Inbox: message', 60, 40],
      ['composition', 'Composition', 101, 30],
      ['hook', 'before_prompt_build', 150, 7],
      ['model', 'Model call 1', 205, 55],
      ['model', 'Model call 1, attempt 2', 268, 30],
      ['tool', 'read', 349, 100],
      ['model', 'Model call 2', 500, 300],
      ['delivery', 'Delivery', 805, 25],
    ]);
    expect(runTimeline({ ...FACTS, trace }).find(({ firstByteMs }) => firstByteMs === 12)?.detail).toContain(
      '5 tokens in, 6 out',
    );
  });

  it('lets faults stand out, with their words', () => {
    expect(runTimeline(FACTS).filter(({ isFault }) => isFault)).toMatchObject([
      { detail: 'a · changed nothing · threw: dry' },
    ]);
  });
});

describe('the timeline of a real run', () => {
  it('has the time to the first token, and ends with the delivery', async () => {
    const scratch = await ScratchGateway.open({
      tools: [recordingTool('stamp', 'stamped')],
      register: (hooks) => on(hooks, 'before_prompt_build', 'painter', () => ({ prependContext: 'Paint.' })),
    });
    try {
      scratch.model.script([toolCall('stamp', {}), reply('done')]);
      const { runId } = await scratch.channel.says({}, 'go');
      await scratch.services.runs.wait(runId);
      await expect
        .poll(async () => (await scratch.services.records.timeline(runId)).steps.at(-1), { timeout: 10_000 })
        .toMatchObject({ kind: 'delivery', detail: 'test: sent', ms: expect.any(Number) });
      const { steps, missing } = await scratch.services.records.timeline(runId);
      expect(missing).toEqual([]);
      const kinds = steps.map(({ kind }) => kind).filter((kind, index, all) => all.indexOf(kind) === index);
      expect(kinds).toEqual(['inbox', 'composition', 'hook', 'model', 'tool', 'delivery']);
      const calls = steps.filter(({ kind }) => kind === 'model');
      expect(calls).toHaveLength(2);
      for (const { firstByteMs, ms } of calls) {
        expect(firstByteMs).toBeGreaterThanOrEqual(0);
        expect(firstByteMs).toBeLessThanOrEqual(ms ?? 0);
      }
      expect(steps.find(({ detail }) => detail.includes('painter'))).toMatchObject({ changed: ['prependContext'] });
    } finally {
      await scratch.close();
    }
  });
});
