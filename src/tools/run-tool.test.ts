import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../protocol/json.ts';
import { toolContextForTest } from '../testkit/tool-context.ts';
import { runTool } from './run-tool.ts';
import type { Tool, ToolContext, ToolOutput } from './tool.ts';

const stop = new AbortController();
const CONTEXT: ToolContext = toolContextForTest({ workspaceDir: '/nowhere', signal: stop.signal });

function tool(run: Tool['run'], properties = {}): Tool {
  const parameters = { type: 'object', properties, additionalProperties: false };
  return { name: 'probe', description: 'A probe.', parameters, idempotent: true, run };
}

const answers = (output: unknown) => tool(async () => output as ToolOutput);

describe('a tool call', () => {
  it('returns what the tool returned', async () => {
    const output = { content: 'fine', details: { a: 1 } };
    expect(await runTool(answers(output), {}, CONTEXT)).toEqual(output);
    expect(await runTool(answers({ content: 'bad', isError: true }), {}, CONTEXT)).toEqual({
      content: 'bad',
      isError: true,
    });
  });

  it('is refused with sentences when its parameters make no sense, and the tool is not run', async () => {
    let calls = 0;
    const counted = tool(async () => ({ content: `${++calls}` }), { n: { type: 'integer' } });
    expect(await runTool(counted, { n: 'x', m: 1 }, CONTEXT)).toEqual({
      content:
        'The parameters of probe cannot be used. n must be a whole number, not "x". There is no parameter m; did you mean n?',
      isError: true,
      details: { code: 'ATRIUM_TOOL_INPUT' },
    });
    for (const params of ['x', null, [1], 3] as JsonValue[]) {
      expect(await runTool(counted, params, CONTEXT)).toMatchObject({ isError: true });
    }
    expect(calls).toBe(0);
  });

  it.each([
    ['an error', new Error('broken\n  at once\u001b[2J'), 'broken at once'],
    ['a text', 'just so', 'just so'],
    ['nothing', undefined, 'undefined'],
    ['an error without words', new Error(''), 'The tool failed without saying why.'],
    [
      'something that cannot be looked at',
      {
        toString: () => {
          throw new Error('no');
        },
      },
      'The tool failed without saying why.',
    ],
  ])('that throws %s becomes a result of one line', async (_, thrown, content) => {
    const throwing = tool(async () => {
      throw thrown;
    });
    expect(await runTool(throwing, {}, CONTEXT)).toEqual({ content, isError: true });
    const throwingAtOnce = tool(() => {
      throw thrown;
    });
    expect(await runTool(throwingAtOnce, {}, CONTEXT)).toEqual({ content, isError: true });
  });

  it.each([[undefined], [null], ['text'], [{}], [{ content: 3 }]])('that returns %j is an error', async (output) => {
    expect(await runTool(answers(output), {}, CONTEXT)).toMatchObject({ isError: true });
  });

  it('that takes too long is given up, and its signal says so', async () => {
    let aborted: unknown;
    const hanging = tool((_, { signal }) => {
      signal.addEventListener('abort', () => {
        aborted = signal.reason;
      });
      return new Promise(() => undefined);
    });
    const { content, isError } = await runTool(hanging, {}, CONTEXT, { timeoutMs: 20 });
    expect(isError).toBe(true);
    expect(content).toBe('The call was given up after 0.02 seconds; what it had done by then is not known.');
    expect(String(aborted)).toContain('given up');
  });

  it('that is stopped ends at once, whatever the tool says to it', async () => {
    const own = new AbortController();
    const hanging = tool(
      (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('my own words')));
          own.abort();
        }),
    );
    const { content } = await runTool(hanging, {}, { ...CONTEXT, signal: own.signal });
    expect(content).toBe('The call was stopped before it ended; what it had done by then is not known.');
  });
});

describe('the output of a tool', () => {
  it('is cut at its bound, and says how much is gone and how to get it', async () => {
    const long = tool(async () => ({ content: 'x'.repeat(60_000) }), { offset: {}, limit: {} });
    const { content } = await runTool(long, {}, CONTEXT);
    expect(content.length).toBeLessThanOrEqual(50_000);
    const marker = content.replace(/^x+\n/, '');
    const kept = content.indexOf('\n');
    expect(marker).toBe(
      `[The first ${kept} of 60000 characters; ${60_000 - kept} were cut. Get the rest with offset and limit.]`,
    );
    const { content: other } = await runTool(answers({ content: '😀'.repeat(100) }), {}, CONTEXT, { maxChars: 150 });
    expect(other).toMatch(/^(😀)+\n\[.*Get the rest by narrowing the call\.\]$/u);
  });

  it('gives details as plain data, and sums up those that are larger than anybody looks at', async () => {
    const details = { when: new Date(0), nothing: undefined } as unknown as JsonValue;
    expect((await runTool(answers({ content: '', details }), {}, CONTEXT)).details).toEqual({
      when: '1970-01-01T00:00:00.000Z',
    });
    const large = { rows: 'é'.repeat(150_000) };
    expect((await runTool(answers({ content: '', details: large }), {}, CONTEXT)).details).toEqual({
      summary: `{"rows":"${'é'.repeat(491)}`,
      bytes: 300_011,
      persistedDetailsTruncated: true,
    });
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    expect(await runTool(answers({ content: 'ok', details: circle }), {}, CONTEXT)).toEqual({
      content: 'ok',
      details: { summary: 'The details cannot be written down.', persistedDetailsTruncated: true },
    });
  });
});
