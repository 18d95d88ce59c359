import { describe, expect, it } from 'vitest';
import { NEVER, openAgain, openDiscord, partFor } from './fixtures/open-discord.ts';
import { nonceOf } from './sent-parts.ts';

const CREATE = /^POST \/channels\/\d+\/messages$/;

describe('sending to Discord', () => {
  it('shows a part once, when its answer is lost and Discord remembers the nonce', async () => {
    const { rig, platform, channel } = await openDiscord();
    const part = partFor(rig.surfaceOf(rig.general), 'once');
    platform.fault({ kind: 'no-answer' }, { on: CREATE });
    expect(await channel.send(part, NEVER)).toMatchObject({ outcome: 'retry', mayHaveArrived: true });
    expect(await channel.send({ ...part, attempt: 2 }, NEVER)).toMatchObject({ outcome: 'sent' });
    expect(platform.shown(rig.general)).toEqual(['once']);
  });

  it('finds a part that arrived, when its answer is lost and the nonce is forgotten', async () => {
    const { rig, platform, channel } = await openDiscord();
    const part = partFor(rig.surfaceOf(rig.general), 'once');
    platform.rest.remembersNonces = false;
    platform.fault({ kind: 'no-answer' }, { on: CREATE });
    expect(await channel.send(part, NEVER)).toMatchObject({ outcome: 'retry', mayHaveArrived: true });
    const [message] = platform.botMessages(rig.general);
    await expect.poll(() => channel.find({ ...part, attempt: 2 }, NEVER)).toEqual({ messageId: message?.id });
    expect(await channel.find(partFor(rig.surfaceOf(rig.general), 'once', { part: 2 }), NEVER)).toBeUndefined();
  });

  it('finds it also after a restart, where no event has told of it', async () => {
    const opened = await openDiscord();
    const { rig, platform, port } = opened;
    const part = partFor(rig.surfaceOf(rig.general), 'once **more**');
    await opened.channel.send(partFor(rig.surfaceOf(rig.general), 'once **more**', { part: 7 }), NEVER);
    await expect.poll(() => rig.kept.get('default sent')).toHaveProperty([nonceOf('run_1:7')]);
    platform.rest.remembersNonces = false;
    // The process ends after Discord took the message, and before anything told it so.
    platform.gateway.allowsResume = false;
    await opened.channel.close();
    platform.world.addMessage({ channelId: rig.general.id, authorId: rig.bot.id, content: 'once **more**' });
    const { channel } = await openAgain(rig, port);
    const [, second] = platform.botMessages(rig.general);
    expect(await channel.find(part, NEVER)).toEqual({ messageId: second?.id });
    expect(await channel.find({ ...part, text: 'something else' }, NEVER)).toBeUndefined();
  });

  it('waits as long as Discord asks, and the account shows it', async () => {
    const { rig, platform, channel } = await openDiscord();
    const part = partFor(rig.surfaceOf(rig.general), 'hello');
    for (const isGlobal of [false, true]) {
      platform.fault({ kind: 'limit', retryAfterMs: 5_000, isGlobal }, { on: CREATE });
      const outcome = await channel.send(part, NEVER);
      expect(outcome).toMatchObject({
        outcome: 'retry',
        reason: expect.stringMatching(/^Discord asks to wait \d+ s\.$/),
      });
      expect(outcome.outcome === 'retry' ? outcome.afterMs : 0).toBeGreaterThan(4_000);
      expect(channel.accounts.list()).toMatchObject([
        { state: 'limited', detail: expect.stringContaining('asks to wait') },
      ]);
    }
    expect(platform.shown(rig.general)).toEqual([]);
  });

  it('asks no more than a route allows, as its headers say', async () => {
    const { rig, platform, channel } = await openDiscord();
    platform.limitTo({ requests: 2, perMs: 30_000 });
    const surface = rig.surfaceOf(rig.general);
    const send = (part: number) => channel.send(partFor(surface, `part ${part}`, { part }), NEVER);
    expect([(await send(1)).outcome, (await send(2)).outcome]).toEqual(['sent', 'sent']);
    const before = platform.rest.requests.length;
    expect(await send(3)).toMatchObject({ outcome: 'retry', afterMs: expect.any(Number) });
    expect(platform.rest.requests.length).toBe(before);
    expect(channel.accounts.list()).toMatchObject([{ state: 'limited' }]);
  });

  it('tries again what Discord could not do, and not what it refuses', async () => {
    const { rig, platform, channel } = await openDiscord();
    const surface = rig.surfaceOf(rig.general);
    platform.fault({ kind: 'status', status: 502 }, { on: CREATE });
    expect(await channel.send(partFor(surface, 'hello'), NEVER)).toEqual({
      outcome: 'retry',
      reason: 'Discord answered with the status 502.',
      mayHaveArrived: true,
    });
    const elsewhere = { ...surface, peer: { kind: 'channel' as const, id: '123456789012345678' } };
    expect(await channel.send(partFor(elsewhere, 'hello'), NEVER)).toEqual({
      outcome: 'failed',
      reason: 'Discord refuses it: Unknown Channel',
    });
    await platform.stop();
    expect(await channel.send(partFor(surface, 'hello'), NEVER)).toMatchObject({
      outcome: 'retry',
      reason: expect.stringMatching(/^Discord could not be reached \(\w+\)\.$/),
    });
  });

  it('calls nobody but the person whom it replies to', async () => {
    const { rig, platform, channel } = await openDiscord({ replyToMode: 'first' });
    const { id } = platform.says(rig.ann, rig.general, 'hello');
    const surface = rig.surfaceOf(rig.general);
    const text = `@everyone <@${rig.bob.id}> <@&5001> hi`;
    for (const part of [1, 2]) await channel.send(partFor(surface, text, { part, options: { replyToId: id } }), NEVER);
    expect(platform.botMessages(rig.general)).toMatchObject([
      { content: text, replyToId: id, pinged: [rig.ann.id] },
      { content: text, replyToId: undefined, pinged: [] },
    ]);
  });

  it('replies never, to the first part or to all, and shows links without a preview', async () => {
    for (const [replyToMode, replies] of [
      ['off', [false, false]],
      ['first', [true, false]],
      ['all', [true, true]],
    ] as const) {
      const { rig, platform, channel } = await openDiscord({ replyToMode });
      const { id } = platform.says(rig.ann, rig.general, 'hello');
      const surface = rig.surfaceOf(rig.general);
      for (const part of [1, 2]) {
        const sent = await channel.send(
          partFor(surface, 'https://example.com', { part, options: { replyToId: id } }),
          NEVER,
        );
        expect(sent.outcome).toBe('sent');
      }
      const shown = platform.botMessages(rig.general);
      expect(shown.map(({ replyToId }) => replyToId === id)).toEqual(replies);
      expect(shown.map(({ flags, content }) => [flags, content])).toEqual([
        [4, 'https://example.com'],
        [4, 'https://example.com'],
      ]);
    }
  });

  it('sends more files than one message holds, and says which are too large', async () => {
    const { rig, platform, port, channel } = await openDiscord();
    const surface = rig.surfaceOf(rig.general);
    const names = Array.from({ length: 12 }, (_, index) => `file-${index}.bin`);
    const attachments = await Promise.all(names.map((name) => port.keep({ name, bytes: Buffer.from(name) })));
    const part = partFor(surface, 'twelve', { attachments });
    for (const attempt of [1, 2]) expect((await channel.send({ ...part, attempt }, NEVER)).outcome).toBe('sent');
    expect(platform.botMessages(rig.general).map(({ files }) => files.length)).toEqual([10, 2]);
    expect(platform.filesShown(rig.general).map(({ name }) => name)).toEqual(names);
    const [first] = attachments;
    const gone = { ...first, hash: '0'.repeat(64), name: 'gone.bin', mime: 'text/plain', size: 1 };
    expect(await channel.send(partFor(surface, 'gone', { part: 2, attachments: [gone] }), NEVER)).toMatchObject({
      outcome: 'failed',
      reason: expect.stringContaining('gone.bin'),
    });
  });

  it('makes a post of what is sent to a forum, once', async () => {
    const { rig, platform, channel } = await openDiscord();
    const forum = platform.addChannel(rig.guild, 'questions', 'forum');
    const part = partFor(rig.surfaceOf(forum), 'The title\nand the text');
    for (const attempt of [1, 2]) expect((await channel.send({ ...part, attempt }, NEVER)).outcome).toBe('sent');
    const posts = platform.world.threadsOf(rig.guild.id).filter(({ parentId }) => parentId === forum.id);
    expect(posts.map(({ name }) => name)).toEqual(['The title']);
    expect(platform.shown(posts[0] ?? { id: '' })).toEqual(['The title\nand the text']);
  });

  it('opens a thread once, when the answer to the request is lost and the process restarts', async () => {
    const opened = await openDiscord();
    const { rig, platform, port } = opened;
    const request = { surface: rig.surfaceOf(rig.general), name: 'A matter', key: 'run_1:call_1' };
    platform.fault({ kind: 'no-answer' }, { on: /^POST \/channels\/\d+\/threads$/ });
    expect(await opened.channel.threads.create(request, NEVER)).toMatchObject({ outcome: 'retry' });
    await opened.channel.close();
    const { channel } = await openAgain(rig, port);
    const [thread] = platform.world.threadsOf(rig.guild.id);
    const again = await channel.threads.create(request, NEVER);
    expect(again).toEqual({ outcome: 'done', value: { ...request.surface, threadId: thread?.id } });
    expect(platform.world.threadsOf(rig.guild.id)).toHaveLength(1);
    const { id } = platform.says(rig.ann, rig.general, 'begin here');
    const from = { ...request, key: 'other', messageId: id };
    for (const _ of ['once', 'again']) {
      expect(await channel.threads.create(from, NEVER)).toMatchObject({ outcome: 'done', value: { threadId: id } });
    }
  });

  it('writes first to a person who never wrote', async () => {
    const { rig, platform, channel } = await openDiscord();
    const surface = { channel: 'discord', accountId: 'default', peer: { kind: 'direct' as const, id: rig.bob.id } };
    expect((await channel.send(partFor(surface, 'hello'), NEVER)).outcome).toBe('sent');
    expect(platform.shown(platform.dm(rig.bot, rig.bob))).toEqual(['hello']);
    const nobody = { ...surface, peer: { kind: 'direct' as const, id: '123456789012345678' } };
    expect(await channel.send(partFor(nobody, 'hello'), NEVER)).toMatchObject({ outcome: 'failed' });
  });

  it('does not do what the operator forbids', async () => {
    const { rig, channel } = await openDiscord({ allows: { reactions: false, messages: true, threads: true } });
    const reaction = { surface: rig.surfaceOf(rig.general), messageId: '123456789012345678', emoji: '👍' };
    expect(await channel.reactions.react(reaction, NEVER)).toEqual({
      outcome: 'failed',
      reason: 'The operator does not allow it: channels.discord.actions.reactions is false.',
    });
  });
});
