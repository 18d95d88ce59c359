// Tests the outbound hooks with the real runner, and the rows that result.

import { describe, expect, it } from 'vitest';
import type { ConversationHookContext } from '../hooks/hook-context.ts';
import { HookRunner } from '../hooks/runner.ts';
import type { Surface } from '../protocol/inbound.ts';
import { on } from '../testkit/on.ts';
import { type PlannedReply, planDelivery } from './plan-delivery.ts';

const surface: Surface = { channel: 'test', accountId: 'work', peer: { kind: 'group', id: 'ops' }, threadId: 't1' };
const NOW = 1_000;

/** Of a run, where the channel is the conversation. */
const OF_RUN: ConversationHookContext = { agentId: 'main', senderId: 'owner', channelId: 'something else' };

function plan(hooks: HookRunner, reply: Partial<PlannedReply> = {}, maxTextLength = 2_000) {
  return planDelivery(
    {
      runId: 'run_1',
      sessionKey: 'agent:main:test:group:ops',
      surface,
      text: 'hello',
      context: OF_RUN,
      ...reply,
    },
    { hooks, channel: { maxTextLength }, keep: noFiles, now: () => NOW, ttlMs: 5_000 },
  );
}

describe('planning a delivery', () => {
  it('makes one row of a short answer', async () => {
    expect(await plan(new HookRunner(), { replyToId: 'm1' })).toEqual({
      text: 'hello',
      rows: [
        {
          runId: 'run_1',
          part: 1,
          sessionKey: 'agent:main:test:group:ops',
          surface,
          surfaceId: '["test","work","group","ops","t1"]',
          text: 'hello',
          options: { replyToId: 'm1' },
          status: 'queued',
          attempts: 0,
          nextAt: NOW,
          createdAt: NOW,
          expiresAt: NOW + 5_000,
          receipt: null,
          error: null,
        },
      ],
    });
  });

  it('splits at the limit of the channel and numbers the parts', async () => {
    const { rows } = await plan(new HookRunner(), { text: 'one two three', firstPart: 4 }, 5);
    expect(rows.map(({ part, text }) => [part, text])).toEqual([
      [4, 'one '],
      [5, 'two '],
      [6, 'three'],
    ]);
  });

  it('sends nothing that is blank', async () => {
    expect(await plan(new HookRunner(), { text: ' \n' })).toEqual({ rows: [], text: '' });
    const { rows } = await plan(new HookRunner(), { text: `abcd${' '.repeat(20)}` }, 6);
    expect(rows.map(({ text }) => text)).toEqual(['abcd  ']);
  });

  it('keeps a text whole when there is no channel to ask', async () => {
    const text = 'x'.repeat(10_000);
    const { rows } = await planDelivery(
      { runId: 'run_1', sessionKey: 'k', surface, text, context: {} },
      { hooks: new HookRunner(), channel: undefined, keep: noFiles, now: () => NOW, ttlMs: 1 },
    );
    expect(rows).toMatchObject([{ text }]);
  });
});

describe('the outbound hooks', () => {
  it('are asked in their order, each with what the one before left', async () => {
    const hooks = new HookRunner();
    const seen: unknown[] = [];
    on(hooks, 'before_dispatch', { owner: 'plugin-d', id: 'd' }, (event, context) => {
      seen.push(['before_dispatch', event, context.channelId, context.senderId]);
      return { text: `${event.content} d` };
    });
    on(hooks, 'message_sending', { owner: 'plugin-c', id: 'c' }, (event, context) => {
      seen.push(['message_sending', event, context.conversationId, context.threadId]);
      return { content: `${event.content} c` };
    });
    on(hooks, 'reply_payload_sending', { owner: 'plugin-b', id: 'b' }, ({ payload }) => {
      seen.push(['reply_payload_sending', payload]);
      return { payload: { ...payload, text: `${payload.text} b`, channelData: { silent: true } } };
    });
    on(hooks, 'reply_dispatch', { owner: 'plugin-a', id: 'a' }, ({ payloads }) => {
      seen.push(['reply_dispatch', payloads]);
      return { handled: false };
    });
    const { rows } = await plan(hooks, { replyToId: 'm1' });
    expect(seen).toMatchObject([
      ['reply_dispatch', [{ text: 'hello', replyToId: 'm1' }]],
      ['reply_payload_sending', { text: 'hello', replyToId: 'm1' }],
      ['message_sending', { to: 'ops', content: 'hello b', replyToId: 'm1', threadId: 't1' }, 'ops', 't1'],
      ['before_dispatch', { content: 'hello b c', channel: 'test', isGroup: true, timestamp: NOW }, 'test', 'owner'],
    ]);
    expect(rows).toMatchObject([
      { text: 'hello b c d', options: { replyToId: 'm1', channelData: { silent: true } }, status: 'queued' },
    ]);
  });

  describe('of an answer with files', () => {
    const file = (name: string, mime: string) => ({ hash: name.padEnd(64, '0'), name, mime, size: 12 });
    const attachments = [file('photo.png', 'image/png'), file('keys.txt', 'text/plain')];
    const send = (hooks: HookRunner, text = '') =>
      planDelivery(
        { runId: 'run_1', sessionKey: 'k', surface, text, attachments, context: OF_RUN },
        {
          hooks,
          channel: { maxTextLength: 2_000, attachments: { maxBytes: 100 } },
          keep: noFiles,
          now: () => NOW,
          ttlMs: 5_000,
        },
      );

    it('learn what the files are, and may stop them', async () => {
      const hooks = new HookRunner();
      const seen: unknown[] = [];
      on(hooks, 'reply_dispatch', 'a', ({ payloads }) => void seen.push(payloads));
      on(hooks, 'reply_payload_sending', 'b', ({ payload }) => void seen.push(payload));
      on(hooks, 'message_sending', 'c', ({ metadata }) => {
        seen.push(metadata);
        return { cancel: true };
      });
      const mediaUrls = ['photo.png', 'keys.txt'];
      expect(await send(hooks, 'Here.')).toMatchObject({ rows: [{ status: 'suppressed' }], text: '' });
      expect(seen).toEqual([
        [{ text: 'Here.', mediaUrls }],
        { text: 'Here.', mediaUrls },
        {
          mediaUrls,
          attachments: [
            { kind: 'image', mimeType: 'image/png', name: 'photo.png', size: 12 },
            { kind: 'document', mimeType: 'text/plain', name: 'keys.txt', size: 12 },
          ],
        },
      ]);
    });

    it('may take a file away, and stop nothing by leaving an empty text as it is', async () => {
      const hooks = new HookRunner();
      on(hooks, 'reply_payload_sending', 'b', ({ payload }) => ({ payload: { ...payload, mediaUrls: ['photo.png'] } }));
      on(hooks, 'message_sending', 'c', ({ content }) => ({ content }));
      const { rows } = await send(hooks);
      expect(rows).toMatchObject([{ text: '', status: 'queued', options: { attachments: [{ name: 'photo.png' }] } }]);
      const emptied = new HookRunner();
      on(emptied, 'message_sending', 'c', () => ({ content: '' }));
      expect((await send(emptied, 'Here.')).suppressed).toMatchObject({ reason: 'a handler left nothing to say' });
    });
  });

  it('may take the answer over', async () => {
    const hooks = new HookRunner();
    on(hooks, 'reply_dispatch', { owner: 'speaker', id: 'x' }, () => ({ handled: true }));
    expect(await plan(hooks)).toMatchObject({
      rows: [
        { status: 'suppressed', text: 'hello', receipt: { suppressed: { hook: 'reply_dispatch', by: 'speaker' } } },
      ],
      suppressed: { by: 'speaker', reason: 'a handler has taken the answer over' },
    });
  });

  it('may cancel it with a reason, which ends the matter', async () => {
    const hooks = new HookRunner();
    on(hooks, 'message_sending', { owner: 'censor', priority: 10 }, () => ({
      cancel: true,
      cancelReason: 'holds a\nsecret',
      metadata: { rule: 7 },
    }));
    on(hooks, 'message_sending', 'later', () => {
      throw new Error('no handler should be asked');
    });
    const { rows, suppressed } = await plan(hooks);
    expect(suppressed).toEqual({
      hook: 'message_sending',
      by: 'censor',
      reason: 'cancelled_by_message_sending_hook',
      cancelReason: 'holds a secret',
      metadata: { rule: 7 },
    });
    expect(rows).toHaveLength(1);
    expect(rows[0]?.receipt).toEqual({ suppressed });
  });

  it('keep no more of what is said about a cancellation than a note has room for', async () => {
    const hooks = new HookRunner();
    const metadata = { page: 'x'.repeat(5_000) };
    on(hooks, 'message_sending', { owner: 'loud', id: 'x' }, () => ({ cancel: true, metadata }));
    expect((await plan(hooks)).suppressed).toMatchObject({ metadata: { metadataTruncated: true } });
  });

  it('have a name for a cancellation without a reason', async () => {
    const hooks = new HookRunner();
    on(hooks, 'message_sending', { owner: 'quiet', id: 'x' }, () => ({ cancel: true }));
    expect((await plan(hooks)).suppressed).toMatchObject({ reason: 'cancelled_by_message_sending_hook', by: 'quiet' });
  });

  it('take "cancel: false" for no opinion', async () => {
    const hooks = new HookRunner();
    on(hooks, 'message_sending', 'x', () => ({ cancel: false }));
    expect(await plan(hooks)).toMatchObject({ rows: [{ status: 'queued', text: 'hello' }] });
  });

  it('suppress the answer when a policy fails, and pass over any other failure', async () => {
    const hooks = new HookRunner();
    const fails = () => {
      throw new Error('the list of words is gone');
    };
    const undo = on(hooks, 'message_sending', { owner: 'words', id: 'x', policy: true }, fails);
    expect((await plan(hooks)).suppressed).toMatchObject({
      by: 'words',
      reason: expect.stringContaining('of words on message_sending failed'),
    });
    undo();
    on(hooks, 'message_sending', { owner: 'words', id: 'x' }, fails);
    expect(await plan(hooks)).toMatchObject({ rows: [{ status: 'queued', text: 'hello' }] });
  });

  it('may stop a dispatch, or leave nothing to say', async () => {
    const stopping = new HookRunner();
    stopping.register({ hook: 'before_dispatch', id: 'x', owner: 'night', handler: () => ({ handled: true }) });
    expect((await plan(stopping)).suppressed).toMatchObject({ hook: 'before_dispatch', by: 'night' });
    const emptying = new HookRunner();
    emptying.register({ hook: 'message_sending', id: 'x', owner: 'strip', handler: () => ({ content: '' }) });
    expect((await plan(emptying)).suppressed).toMatchObject({ by: 'strip', reason: 'a handler left nothing to say' });
  });

  it('see the whole answer, before it is split', async () => {
    const hooks = new HookRunner();
    const seen: string[] = [];
    on(hooks, 'message_sending', 'x', ({ content }) => {
      seen.push(content);
    });
    expect((await plan(hooks, { text: 'one two' }, 4)).rows).toHaveLength(2);
    expect(seen).toEqual(['one two']);
  });
});

async function noFiles(): Promise<never> {
  throw new Error('no file is kept here');
}

describe('words that a person decides about', () => {
  const reply = { runId: 'r', sessionKey: 's', surface, isLiteral: true, context: {} } as const;
  const ports = { hooks: new HookRunner(), keep: noFiles, now: () => NOW, ttlMs: 5_000 };
  const text = '$ ls *.md\n\n[x]: /dev/null;touch owned\n````\n> | a | b |';

  it('are code where the platform shows Markdown, and nothing in them can end the code', async () => {
    const channel = { maxTextLength: 2_000, rendersMarkdown: true } as const;
    const { rows } = await planDelivery({ ...reply, text }, { ...ports, channel });
    expect(rows.map((row) => row.text)).toEqual([`\`\`\`\`\`\n${text}\n\`\`\`\`\``]);
  });

  it('are cut into parts that are code each', async () => {
    const channel = { maxTextLength: 200, rendersMarkdown: true } as const;
    const { rows } = await planDelivery({ ...reply, text: `${text}\n${'x '.repeat(300)}` }, { ...ports, channel });
    expect(rows.length).toBeGreaterThan(2);
    for (const row of rows) expect(row.text).toMatch(/^`{5}\n[\s\S]*\n`{5}$/);
  });

  it('stay as they are elsewhere', async () => {
    const { rows } = await planDelivery({ ...reply, text }, { ...ports, channel: { maxTextLength: 2_000 } });
    expect(rows.map((row) => row.text)).toEqual([text]);
  });
});
