import { describe, expect, it } from 'vitest';
import { LoopWatch } from '../agent/loop-watch.ts';
import { loopDetectionOf } from '../config/loop-detection.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { Message } from '../protocol/message.ts';
import { gatewayForTest } from '../testkit/gateway-for-test.ts';
import { reply, toolCall } from '../testkit/model-server.ts';
import { recordingTool } from '../testkit/tool-for-test.ts';

const SMALL = { enabled: true, warningThreshold: 2, criticalThreshold: 3, globalCircuitBreakerThreshold: 5 };

function watch(written: JsonObject = {}) {
  const loops = new LoopWatch(loopDetectionOf({ tools: { loopDetection: { ...SMALL, ...written } } }, 'main'));
  let id = 0;
  const call = (name: string, params: JsonObject, content: string) => {
    id += 1;
    const messages: Message[] = [
      { role: 'assistant', content: [{ type: 'tool-call', id: `c${id}`, name, params }] },
      { role: 'tool', toolCallId: `c${id}`, toolName: name, content },
    ];
    loops.add(messages, (each) => each !== 'fly');
  };
  const kind = (name: string, params: JsonObject) => loops.judge({ name, params })?.kind;
  return { call, kind };
}

describe('tool calls in a circle', () => {
  it('are told once and then refused, when the same call has the same result', () => {
    const { call, kind } = watch();
    const kinds = [];
    for (let round = 0; round < 5; round++) {
      kinds.push(kind('look', { a: 1, b: 2 }));
      call('look', { b: 2, a: 1 }, 'nothing');
    }
    expect(kinds).toEqual([undefined, undefined, 'warn', 'refuse', 'refuse']);
    expect(kind('look', { a: 2 })).toBeUndefined();
  });

  it('are none while results change, nor without the setting', () => {
    const changing = watch();
    const off = watch({ enabled: false });
    for (let round = 0; round < 9; round++) {
      changing.call('look', {}, `result ${round}`);
      off.call('look', {}, 'nothing');
    }
    expect(changing.kind('look', {})).toBe('warn');
    expect(changing.kind('look', {})).toBeUndefined();
    expect(off.kind('look', {})).toBeUndefined();
  });

  it('are two calls in turns, and a tool that does not exist', () => {
    const { call, kind } = watch({ unknownToolThreshold: 2, detectors: { genericRepeat: false } });
    for (const name of ['a', 'b', 'a', 'b']) call(name, {}, 'same');
    expect(kind('a', {})).toBe('refuse');
    call('fly', { to: 1 }, 'There is no tool.');
    call('fly', { to: 2 }, 'There is no tool.');
    expect(kind('fly', { to: 3 })).toBe('refuse');
  });

  it('are refused at the highest threshold, whatever detector is off', () => {
    const { call, kind } = watch({ detectors: { genericRepeat: false, pingPong: false } });
    for (let round = 0; round < 4; round++) call('look', {}, 'nothing');
    expect(kind('look', {})).toBeUndefined();
    call('look', {}, 'nothing');
    expect(kind('look', {})).toBe('refuse');
  });
});

it('a run that repeats itself is stopped from doing so, told why, and can still answer', async () => {
  const tool = recordingTool('look', 'nothing');
  const scratch = await gatewayForTest({ tools: [tool], config: { tools: { loopDetection: SMALL } } });
  scratch.model.script([...Array.from({ length: 5 }, () => toolCall('look', { at: 'it' })), reply('I give up.')]);
  await scratch.channel.asks({}, 'Look', 'I give up.');
  expect(tool.ran).toHaveLength(3);
  const { messages } = scratch.model.requests.at(-1)?.json as { messages: { role: string; content: string }[] };
  const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
  expect(results.slice(3)).toEqual([
    expect.stringContaining('it repeats itself: look gave the same result 3 times'),
    expect.stringContaining('it repeats itself: look gave the same result 3 times'),
  ]);
  expect(scratch.warnings.filter((each) => each.includes('times in the same way'))).toHaveLength(1);
});
