import { describe, expect, it } from 'vitest';
import { readRequestSpans } from '../gateway/services/read-request-spans.ts';
import type { JsonObject } from '../protocol/json.ts';
import { gatewayForTest } from '../testkit/gateway-for-test.ts';
import { reply, toolCall } from '../testkit/model-server.ts';
import { on } from '../testkit/on.ts';
import type { Tool } from '../tools/tool.ts';

const LOOK: Omit<Tool, 'run'> = {
  name: 'look',
  description: 'Looks.',
  parameters: { type: 'object' },
  idempotent: true,
};

const FILES = { 'workspace/AGENTS.md': 'You are kind.' };

describe('the model of a run', () => {
  it.each([
    ['before_model_resolve', { modelOverride: 'large' }],
    ['before_model_resolve', { modelOverride: 'fake/large' }],
    ['before_model_resolve', { modelOverride: 'large', providerOverride: 'fake' }],
    ['before_agent_start', { modelOverride: 'large' }],
  ] as const)('is the one that %s asks for: %j', async (hook, answer) => {
    const scratch = await gatewayForTest({
      register: (hooks) => on(hooks, hook, 'chooser', () => answer),
    });
    scratch.model.script([reply('Large here.')]);
    await scratch.channel.asks({}, 'Who is there?', 'Large here.');
    expect(scratch.model.requests[0]?.json.model).toBe('large');
  });

  it('is the configured one when no plugin asks for another, or asks for one that does not exist', async () => {
    const scratch = await gatewayForTest({
      register: (hooks) => on(hooks, 'before_model_resolve', 'chooser', () => ({ modelOverride: 'nobody/knows' })),
    });
    scratch.model.script([reply('Small here.')]);
    await scratch.channel.asks({}, 'Who is there?', 'Small here.');
  });

  it('of before_model_resolve wins over that of before_agent_start', async () => {
    const scratch = await gatewayForTest({
      register: (hooks) => {
        on(hooks, 'before_agent_start', 'old', () => ({ modelOverride: 'small' }));
        on(hooks, 'before_model_resolve', 'new', () => ({ modelOverride: 'large' }));
      },
    });
    scratch.model.script([reply('Large here.')]);
    await scratch.channel.asks({}, 'Who is there?', 'Large here.');
    expect(scratch.model.requests[0]?.json.model).toBe('large');
  });
});

describe('prompt hooks', () => {
  it('stand around the message and the system prompt in their order, and later requests repeat them', async () => {
    let run = 0;
    const scratch = await gatewayForTest({
      files: FILES,
      register: (hooks) => {
        on(hooks, 'agent_turn_prepare', 'prepare', () => ({
          prependContext: 'prepare before',
          appendContext: 'prepare behind',
        }));
        on(hooks, 'before_prompt_build', 'build', () => ({
          prependContext: `build before ${++run}`,
          appendContext: 'build behind',
          prependSystemContext: 'system before',
          appendSystemContext: 'system behind',
        }));
        on(hooks, 'before_agent_start', 'start', () => ({
          prependContext: 'start before',
          appendContext: 'start behind',
        }));
      },
    });
    scratch.model.script([reply('One.'), reply('Two.')]);
    await scratch.channel.asks({}, 'Hello', 'One.');
    const [system, user] = messagesOf(scratch, 0);
    expect(user?.content).toBe(
      [
        'prepare before',
        'build before 1',
        'start before',
        'Hello',
        'prepare behind',
        'build behind',
        'start behind',
      ].join('\n\n'),
    );
    expect(system?.content).toMatch(/^system before\n\n[\s\S]*You are kind\.[\s\S]*\n\nsystem behind$/);

    await scratch.channel.asks({}, 'Again', 'Two.');
    expect(messagesOf(scratch, 1)[1]).toEqual(user);
    expect(messagesOf(scratch, 1).at(-1)?.content).toContain('build before 2');
    const [entry] = await scratch.store.select('transcript', { orderBy: [['position', 'asc']], limit: 1 });
    expect(entry).toMatchObject({ shown: 'Hello', message: { content: user?.content } });
  });

  it('that are declared ephemeral are told in their own run, every request of it, and in no later one', async () => {
    let run = 0;
    const scratch = await gatewayForTest({
      files: FILES,
      tools: [{ ...LOOK, run: async () => ({ content: 'A cat.' }) }],
      register: (hooks) => {
        on(hooks, 'before_prompt_build', { owner: 'news', ephemeral: true }, () => ({
          prependContext: `news ${++run}`,
          appendContext: 'more news',
        }));
        on(hooks, 'agent_turn_prepare', 'rules', () => ({ appendContext: 'be kind' }));
      },
    });
    scratch.model.script([toolCall('look', {}), reply('A cat.'), reply('Two.')]);
    const { runId } = await scratch.channel.asks({}, 'Hello', 'A cat.');
    const first = 'news 1\n\nHello\n\nbe kind\n\nmore news';
    expect(messagesOf(scratch, 0)[1]?.content).toBe(first);
    expect(messagesOf(scratch, 1)[1]?.content).toBe(first);

    const { runId: second } = await scratch.channel.asks({}, 'Again', 'Two.');
    expect(messagesOf(scratch, 2)[1]?.content).toBe('Hello\n\nbe kind');
    expect(messagesOf(scratch, 2).at(-1)?.content).toBe('news 2\n\nAgain\n\nbe kind\n\nmore news');

    // Each request can still be explained in its own words.
    for (const id of [runId, second]) {
      const spans = (await readRequestSpans(scratch.store, id))?.spans ?? [];
      expect(spans.filter(({ text }) => text === undefined)).toEqual([]);
      expect(spans.filter(({ origin }) => origin === 'before_prompt_build of news')).toHaveLength(2);
    }
  });

  it('may replace the system prompt', async () => {
    const scratch = await gatewayForTest({
      files: FILES,
      register: (hooks) => on(hooks, 'before_prompt_build', 'own', () => ({ systemPrompt: 'You are terse.' })),
    });
    scratch.model.script([reply('Yes.')]);
    await scratch.channel.asks({}, 'Hello', 'Yes.');
    expect(messagesOf(scratch, 0)[0]).toEqual({ role: 'system', content: 'You are terse.' });
  });

  it('of a bootstrap handler that a program registered change what the agent reads', async () => {
    const scratch = await gatewayForTest({
      files: FILES,
      register: (hooks) =>
        on(hooks, 'agent:bootstrap', 'adder', ({ context }) => {
          const { bootstrapFiles } = context as { bootstrapFiles: { name: string; content?: string }[] };
          const file = bootstrapFiles.find(({ name }) => name === 'AGENTS.md');
          if (file) file.content = `${file.content}\nYou are brave.`;
        }),
    });
    scratch.model.script([reply('Yes.')]);
    const { runId, sessionKey } = await scratch.channel.asks({}, 'Hello', 'Yes.');
    expect(messagesOf(scratch, 0)[0]?.content).toContain('You are brave.');
    await scratch.stop();
    await scratch.start();
    const records = await scratch.store.select('hookRecords', { where: { owner: 'adder' } });
    expect(records).toMatchObject([{ hook: 'agent:bootstrap', runId, sessionKey, outcome: 'done' }]);
  });

  it('may keep the message out of the transcript, and the model reads it all the same', async () => {
    const scratch = await gatewayForTest({
      register: (hooks) =>
        on(hooks, 'before_message_write', 'forget', ({ message }) => ({ block: message.role === 'user' })),
    });
    scratch.model.script([reply('Heard.'), reply('Heard what?')]);
    await scratch.channel.asks({}, 'Between us', 'Heard.');
    expect(scratch.model.requests[0]?.body).toContain('Between us');
    await scratch.channel.asks({}, 'What did I say?', 'Heard what?');
    expect(scratch.model.requests[1]?.body).not.toContain('Between us');
  });

  it('leave no records when they are only previewed', async () => {
    const scratch = await gatewayForTest({
      register: (hooks) =>
        on(hooks, 'before_prompt_build', { owner: 'pure', pure: true }, () => ({ prependContext: 'From a plugin.' })),
    });
    const { wire } = await scratch.services.context.preview({ message: 'Hello', runHooks: true });
    expect(wire.body).toContain('From a plugin.');
    await scratch.stop();
    await scratch.start();
    expect(await scratch.store.select('hookRecords')).toEqual([]);
  });
});

function messagesOf(scratch: Awaited<ReturnType<typeof gatewayForTest>>, request: number): readonly JsonObject[] {
  return (scratch.model.requests[request]?.json.messages ?? []) as readonly JsonObject[];
}
