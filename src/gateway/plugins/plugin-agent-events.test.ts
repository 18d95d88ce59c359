import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { PluginRegistration } from '../../plugins/registration.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { LiveEvent } from '../../protocol/live-event.ts';
import { registryOf } from '../../testkit/registry-of.ts';
import { PluginAgentEvents } from './plugin-agent-events.ts';

const base = { runId: 'run_1', sessionKey: 'agent:main:main', at: 7 };
const RUN: readonly LiveEvent[] = [
  { ...base, type: 'run-start', attempt: 1, agentId: 'main', sessionId: 'ses_1' },
  { ...base, type: 'text-delta', attempt: 1, call: 1, text: 'Let me ' },
  { ...base, type: 'text-delta', attempt: 1, call: 1, text: 'look.' },
  { ...base, type: 'tool-start', toolCallId: 'c1', name: 'read', params: { path: 'x' } },
  { ...base, type: 'tool-end', toolCallId: 'c1', name: 'read', isError: false, ms: 3, content: 'text' },
  { ...base, type: 'run-end', status: 'done', reply: 'Done.' },
];

function eventsOf(
  handle: (event: JsonObject) => unknown,
  { streams, mayRead = true }: { streams?: readonly string[]; mayRead?: boolean } = {},
) {
  const warnings: string[] = [];
  const registration = { kind: 'agent-event', id: 'e', streams, handle } as PluginRegistration;
  const events = new PluginAgentEvents({
    registry: registryOf({ id: 'p', registrations: [registration] }),
    mayReadConversations: () => mayRead,
    warn: (text) => warnings.push(text),
    timeoutMs: 20,
  });
  return { events, warnings };
}

async function settled(): Promise<void> {
  for (let round = 0; round < 20; round++) await turn();
}

describe('agent events for plugins', () => {
  it('tell a run in the streams of the contract, numbered', async () => {
    const told: JsonObject[] = [];
    const { events } = eventsOf((event) => void told.push(event));
    for (const event of RUN) events.watch(event);
    await settled();
    expect(told.map(({ seq, stream, data }) => [seq, stream, data])).toEqual([
      [1, 'lifecycle', { phase: 'start', startedAt: 7, attempt: 1 }],
      [2, 'assistant', { text: 'Let me ', delta: 'Let me ' }],
      [3, 'assistant', { text: 'Let me look.', delta: 'look.' }],
      [4, 'tool', { phase: 'start', name: 'read', toolCallId: 'c1', args: { path: 'x' } }],
      [5, 'tool', { phase: 'result', name: 'read', toolCallId: 'c1', isError: false, durationMs: 3, result: 'text' }],
      [6, 'lifecycle', { phase: 'end', endedAt: 7, status: 'done' }],
    ]);
    expect(told[0]).toMatchObject({ runId: 'run_1', sessionKey: 'agent:main:main', ts: 7 });
  });

  it('keep the words of the model from plugins that may not read conversations', async () => {
    const told: JsonObject[] = [];
    const { events } = eventsOf((event) => void told.push(event), { mayRead: false });
    for (const event of RUN) events.watch(event);
    await settled();
    expect(told.map(({ stream }) => stream)).toEqual(['lifecycle', 'tool', 'tool', 'lifecycle']);
  });

  it('come from the streams that were asked for', async () => {
    const told: JsonObject[] = [];
    const { events } = eventsOf((event) => void told.push(event), { streams: ['lifecycle'] });
    for (const event of RUN) events.watch(event);
    await settled();
    expect(told).toHaveLength(2);
  });

  it('neither wait for a listener that hangs nor pile up behind it', async () => {
    let calls = 0;
    const { events, warnings } = eventsOf(() => {
      calls += 1;
      return new Promise(() => {});
    });
    for (let count = 0; count < 300; count++) events.watch(RUN[3] as LiveEvent);
    expect(calls).toBe(1);
    expect(warnings).toEqual(['The plugin "p" is too slow for agent events; some are left out.']);
  });

  it('name a listener that throws, once', async () => {
    const { events, warnings } = eventsOf(() => {
      throw new Error('no');
    });
    for (const event of RUN) events.watch(event);
    await settled();
    expect(warnings).toEqual(['The plugin "p" failed at an agent event: no']);
  });
});
