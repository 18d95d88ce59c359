import { describe, expect, it } from 'vitest';
import { childTrace, inStep, rootTrace, runTrace } from './hook-trace.ts';

describe('a trace', () => {
  it('has ids in the forms of W3C, all unlike, from the message down to its steps', () => {
    const root = rootTrace('run_1');
    const run = runTrace('run_1');
    const tool = childTrace(run, 'tool call_1');
    expect(root).toEqual({
      traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
      spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
      callDepth: 0,
    });
    expect(run).toMatchObject({ traceId: root.traceId, parentSpanId: root.spanId, callDepth: 1 });
    expect(tool).toMatchObject({ traceId: root.traceId, parentSpanId: run.spanId, callDepth: 2 });
    expect(new Set([root.traceId, root.spanId, run.spanId, tool.spanId]).size).toBe(4);
  });

  it('is the same in every process, and another one for another run', () => {
    expect(runTrace('run_1')).toEqual(runTrace('run_1'));
    expect(runTrace('run_1').traceId).not.toBe(runTrace('run_2').traceId);
    expect(childTrace(runTrace('run_1'), 'a').spanId).not.toBe(childTrace(runTrace('run_1'), 'b').spanId);
  });

  it('goes with a context, and a context without one stays without', () => {
    expect(inStep({ agentId: 'main', trace: runTrace('run_1') }, 'model 1')).toEqual({
      agentId: 'main',
      trace: childTrace(runTrace('run_1'), 'model 1'),
    });
    expect(inStep({ agentId: 'main' }, 'model 1')).toEqual({ agentId: 'main' });
  });
});
