import { describe, expect, it } from 'vitest';
import { type RunFacts, runTimeline } from './run-timeline.ts';

const facts = {
  run: { runId: 'run_1', status: 'done', startedAt: 100, endedAt: 900, outcome: null },
  calls: [
    { call: 1, at: 200, provider: 'fake', model: 'small', size: 10 },
    { call: 2, at: 500, provider: 'fake', model: 'small', size: 20 },
  ],
  hooks: [
    {
      seq: 1,
      hook: 'before_prompt_build',
      handler: 'a',
      owner: 'a',
      at: 150,
      ms: 7,
      outcome: 'threw',
      error: 'dry',
      changed: [],
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
} as unknown as RunFacts;

describe('the timeline of a run', () => {
  it('has everything in the order in which it began, with its time', () => {
    expect(runTimeline(facts).map(({ kind, label, start, ms }) => [kind, label, start, ms])).toEqual([
      ['hook', 'before_prompt_build', 150, 7],
      ['model', 'Model call 1', 200, 100],
      ['tool', 'read', 300, 150],
      ['model', 'Model call 2', 500, 300],
    ]);
  });

  it('lets faults stand out, with their words', () => {
    expect(runTimeline(facts).filter(({ isFault }) => isFault)).toMatchObject([
      { detail: 'a · changed nothing · threw: dry' },
    ]);
  });
});
