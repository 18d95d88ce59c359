import { describe, expect, it } from 'vitest';
import type { HookHandlers } from '../hooks/hook-types.ts';
import type { JsonObject } from '../protocol/json.ts';
import { gatewayForTest } from '../testkit/gateway-for-test.ts';
import { reply } from '../testkit/model-server.ts';
import { on } from '../testkit/on.ts';
import { MAX_REVISIONS } from './finalize-answer.ts';

type Finalize = HookHandlers['before_agent_finalize'];

describe('before_agent_finalize', () => {
  it('may ask for one more pass, and the person sees the last answer only', async () => {
    const seen: boolean[] = [];
    const scratch = await finalizedBy(({ lastAssistantMessage, stopHookActive }) => {
      seen.push(stopHookActive);
      return lastAssistantMessage === 'draft'
        ? { action: 'revise', reason: 'Too short.', retry: { instruction: 'Say more.' } }
        : undefined;
    });
    scratch.model.script([reply('draft'), reply('A longer answer.')]);
    const { runId } = await scratch.channel.asks({}, 'Write', 'A longer answer.');
    scratch.channel.expectNothingMore();
    expect(messagesOf(scratch, 1)).toMatchObject([
      { role: 'user', content: 'Write' },
      { role: 'assistant', content: 'draft' },
      { role: 'user', content: 'Too short.\n\nSay more.' },
    ]);
    expect(seen).toEqual([false, true]);
    expect(await scratch.services.runs.wait(runId)).toMatchObject({ outcome: { modelCalls: 2 } });
    const kept = await scratch.store.select('transcript', { orderBy: [['position', 'asc']] });
    expect(kept.map(({ message }) => message.role)).toEqual(['user', 'assistant', 'user', 'assistant']);
  });

  it('is heard so often as it says, once by default', async () => {
    const scratch = await finalizedBy(() => ({
      action: 'revise',
      retry: { instruction: 'Again.', idempotencyKey: 'k', maxAttempts: 2 },
    }));
    scratch.model.script(({ number }) => reply(`answer ${number}`));
    await scratch.channel.asks({}, 'Write', 'answer 3');

    const once = await finalizedBy(() => ({ action: 'revise', reason: 'Never good enough.' }));
    once.model.script(({ number }) => reply(`answer ${number}`));
    await once.channel.asks({}, 'Write', 'answer 2');
  });

  it('cannot keep the model busy for ever by asking for something new each time', async () => {
    let asked = 0;
    const scratch = await finalizedBy(() => ({
      action: 'revise',
      reason: `Not good enough, for the ${++asked}. time.`,
    }));
    scratch.model.script(({ number }) => reply(`answer ${number}`));
    await scratch.channel.asks({}, 'Write', `answer ${MAX_REVISIONS + 1}`);
    expect(scratch.model.requests).toHaveLength(MAX_REVISIONS + 1);
  });

  it('is heard no more often because the run was cut short in between', async () => {
    const scratch = await finalizedBy(() => ({ action: 'revise', reason: 'Never good enough.' }));
    scratch.model.script(({ number }) => ({
      ...reply(`answer ${number}`),
      ...(number === 2 ? { ending: 'hang' } : {}),
    }));
    await scratch.channel.says({}, 'Write');
    await scratch.model.waitForRequests(2);
    await scratch.stop(0);
    await scratch.start();
    await scratch.channel.expectDelivered('answer 3');
    expect(scratch.model.requests).toHaveLength(3);
  });

  it('gives the next handler its turn when the first has used up its own', async () => {
    const scratch = await finalizedBy(
      () => ({ action: 'revise', retry: { instruction: 'Be polite.', idempotencyKey: 'a', maxAttempts: 2 } }),
      () => ({ action: 'revise', retry: { instruction: 'Be brief.' } }),
    );
    scratch.model.script(({ number }) => reply(`answer ${number}`));
    await scratch.channel.asks({}, 'Write', 'answer 4');
    const asked = messagesOf(scratch, 3)
      .filter(({ role }) => role === 'user')
      .map(({ content }) => content);
    expect(asked).toEqual(['Write', 'Be polite.', 'Be polite.', 'Be brief.']);
  });

  it('ends the matter when one handler says so', async () => {
    const scratch = await finalizedBy(
      () => ({ action: 'revise', reason: 'Once more.' }),
      () => ({ action: 'finalize', reason: 'Good enough.' }),
    );
    scratch.model.script([reply('The answer.')]);
    await scratch.channel.asks({}, 'Write', 'The answer.');
    expect(scratch.model.requests).toHaveLength(1);
  });

  it('that fails changes nothing', async () => {
    const scratch = await finalizedBy(() => Promise.reject(new Error('broken')));
    scratch.model.script([reply('The answer.')]);
    await scratch.channel.asks({}, 'Write', 'The answer.');
  });
});

async function finalizedBy(...handlers: readonly Finalize[]) {
  return gatewayForTest({
    register: (hooks) => {
      for (const [index, handler] of handlers.entries()) {
        on(hooks, 'before_agent_finalize', `judge-${index}`, handler);
      }
    },
  });
}

function messagesOf(scratch: Awaited<ReturnType<typeof gatewayForTest>>, request: number): readonly JsonObject[] {
  const messages = (scratch.model.requests[request]?.json.messages ?? []) as readonly JsonObject[];
  return messages.filter(({ role }) => role !== 'system');
}
