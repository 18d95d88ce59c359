// What the agent says on Slack, and what becomes of it when Slack does not answer as it should.

import { afterEach, describe, expect, it } from 'vitest';
import type { Surface } from '../../src/protocol/inbound.ts';
import type { SlackPlace } from '../../src/testkit/slack/fake-slack.ts';
import { NO_SIGNAL, type OpenSlack, openSlack, partFor, surfaceIn } from './fixtures/slack-rig.ts';

let open: OpenSlack | undefined;

interface InGeneral extends OpenSlack {
  readonly general: SlackPlace;
  readonly surface: Surface;
}

async function start(options: Parameters<typeof openSlack>[0] = {}): Promise<InGeneral> {
  const opened = await openSlack(options);
  open = opened;
  const general = opened.slack.channel('general');
  return { ...opened, general, surface: surfaceIn({ kind: 'channel', id: general.channel }) };
}

afterEach(async () => {
  await open?.channel.close();
  await open?.slack.remove();
  open = undefined;
});

describe('a part on Slack', () => {
  it("is shown in Slack's markup, without previews of links", async () => {
    const { slack, channel, general, surface } = await start();
    await channel.send(partFor(surface, '**Look** at [this](https://x.test/) & <!channel>'), NO_SIGNAL);
    expect(slack.shown(general)).toEqual(['*Look* at <https://x.test/|this> &amp; &lt;!channel&gt;']);
    expect(slack.calls.at(-1)?.args).toMatchObject({ unfurl_links: 'false' });
  });

  it('reaches a person with whom the bot never talked', async () => {
    const { slack, channel } = await start();
    const { id } = slack.person('new');
    expect(await channel.send(partFor(surfaceIn({ kind: 'direct', id }), 'hello'), NO_SIGNAL)).toMatchObject({
      outcome: 'sent',
      receipt: { messageId: expect.any(String) },
    });
    expect(slack.shown(slack.direct('new'))).toEqual(['hello']);
  });

  it.each([
    ['first', [['rest'], ['start']]],
    ['off', [['start', 'rest'], []]],
    ['all', [[], ['start', 'rest']]],
  ] as const)('answers a message under replyToMode %s: %j', async (mode, [inChannel, inThread]) => {
    const replyToMode = { direct: mode, group: mode, channel: mode };
    const { slack, channel, general, surface } = await start({ settings: { replyToMode } });
    const asked = slack.saysUnheard(general, 'a question');
    const options = { replyToId: asked };
    await channel.send(partFor(surface, 'start', { options }), NO_SIGNAL);
    await channel.send(partFor(surface, 'rest', { options, part: 2, key: 'run_1:2' }), NO_SIGNAL);
    expect([slack.shown(general), slack.shown({ ...general, thread: asked })]).toEqual([inChannel, inThread]);
    expect(channel.drafts.modeOf?.(surface)).toBe(mode === 'off' ? 'partial' : 'off');
    expect(channel.drafts.modeOf?.({ ...surface, threadId: asked })).toBe('partial');
  });

  it("fits Slack's limits also when every character has to be escaped", async () => {
    const { slack, channel, general, surface } = await start({ settings: { textChunkLimit: 40_000 } });
    const long = '&<>'.repeat(13_000);
    expect(await channel.send(partFor(surface, long), NO_SIGNAL)).toMatchObject({ outcome: 'sent' });
    expect(slack.shown(general)).toEqual([long]);
    const [message] = slack.messages(general);
    const edit = { surface, messageId: message?.ts ?? '', text: '&'.repeat(4_000) };
    expect(await channel.edits.edit(edit, NO_SIGNAL)).toMatchObject({ outcome: 'done' });
    expect(slack.shown(general)).toEqual([edit.text]);
  });

  it('is shown plain when Slack refuses its form', async () => {
    const { slack, channel, general, surface } = await start();
    slack.fault('chat.postMessage', { error: 'msg_too_long' });
    expect(await channel.send(partFor(surface, '**hello**'), NO_SIGNAL)).toMatchObject({ outcome: 'sent' });
    expect(slack.shown(general)).toEqual(['**hello**']);
  });

  it('takes the place of its draft as a new message when it is too long for a change', async () => {
    const { slack, channel, general, surface } = await start({ settings: { textChunkLimit: 10_000 } });
    const shown = await channel.drafts.show({ surface, runId: 'run_1', text: 'so far' }, NO_SIGNAL);
    const replaces = shown.outcome === 'done' ? shown.value : null;
    const text = 'x'.repeat(9_000);
    for (const attempt of [1, 2]) await channel.send(partFor(surface, text, { replaces, attempt }), NO_SIGNAL);
    expect(slack.shown(general)).toEqual([text]);
  });

  it('comes without buttons when one of them is too long for Slack', async () => {
    const { slack, channel, general, surface } = await start();
    const buttons = [
      { label: 'Yes', value: 'yes' },
      { label: 'No', value: 'n'.repeat(2_001) },
    ];
    await channel.send(partFor(surface, 'Well?', { buttons }), NO_SIGNAL);
    expect(slack.messages(general)).toMatchObject([{ text: 'Well?', attachments: undefined }]);
  });

  it('names a file that is no longer there, and sends files without words under their names', async () => {
    const { slack, channel, port, general, surface } = await start();
    const file = await port.keep({ name: 'plan.txt', bytes: Buffer.from('a plan') });
    const gone = { ...file, hash: 'f'.repeat(64), name: 'old.txt' };
    await channel.send(partFor(surface, '', { attachments: [file] }), NO_SIGNAL);
    await channel.send(partFor(surface, 'and', { attachments: [gone], part: 2, key: 'run_1:2' }), NO_SIGNAL);
    expect(slack.shown(general)).toEqual([
      'plan.txt',
      'and\n\n[File: old.txt, application/octet-stream, 6 bytes. It is no longer there.]',
    ]);
    expect(slack.filesShown(general)).toMatchObject([{ name: 'plan.txt' }]);
  });
});

describe('when Slack does not answer as it should', () => {
  it('a part whose answer was withheld is found, and not shown twice', async () => {
    const { slack, channel, general, surface } = await start();
    slack.fault('chat.postMessage', 'withhold');
    const part = partFor(surface, 'once');
    expect(await channel.send(part, NO_SIGNAL)).toMatchObject({ outcome: 'retry', mayHaveArrived: true });
    expect(await channel.find(part, NO_SIGNAL)).toMatchObject({ messageId: expect.any(String) });
    expect(await channel.send({ ...part, attempt: 2 }, NO_SIGNAL)).toMatchObject({ outcome: 'sent' });
    expect(slack.shown(general)).toEqual(['once']);
  });

  it('a part whose files did not follow its text is completed, and not repeated', async () => {
    const { slack, channel, port, general, surface } = await start();
    const file = await port.keep({ name: 'plan.txt', bytes: Buffer.from('a plan') });
    const part = partFor(surface, 'the plan', { attachments: [file] });
    slack.fault('files.completeUploadExternal', 'cut');
    expect(await channel.send(part, NO_SIGNAL)).toMatchObject({ outcome: 'retry', mayHaveArrived: true });
    expect(slack.filesShown(general)).toEqual([]);
    for (const _ of ['once', 'again']) expect(await channel.find(part, NO_SIGNAL)).toBeDefined();
    expect([slack.shown(general), slack.filesShown(general).length]).toEqual([['the plan'], 1]);
  });

  it('nothing is sent again while it cannot be found out whether it has arrived', async () => {
    const { slack, channel, general, surface } = await start();
    slack.app.scopes.delete('channels:history');
    await expect(channel.find(partFor(surface, 'once'), NO_SIGNAL)).rejects.toThrow('channels:history');
    const again = partFor(surface, 'once', { attempt: 2 });
    expect(await channel.send(again, NO_SIGNAL)).toMatchObject({ outcome: 'failed' });
    slack.app.scopes.add('channels:history');
    slack.fault('conversations.history', { status: 503 });
    expect(await channel.send(again, NO_SIGNAL)).toMatchObject({ outcome: 'retry', mayHaveArrived: true });
    expect(slack.shown(general)).toEqual([]);
  });

  it('a limit is waited for as long as Slack says, and is the state of the account', async () => {
    const { slack, channel, surface } = await start();
    slack.fault('chat.postMessage', { limitSeconds: 7 });
    expect(await channel.send(partFor(surface, 'hello'), NO_SIGNAL)).toEqual({
      outcome: 'retry',
      reason: 'Slack asks to wait 7 s before the next chat.postMessage.',
      afterMs: 7_000,
    });
    expect(channel.accounts.list()).toMatchObject([{ state: 'limited', detail: expect.stringContaining('7 s') }]);
  });

  it.each([
    [{ status: 500 }, { outcome: 'retry', mayHaveArrived: true }],
    [{ error: 'internal_error' }, { outcome: 'retry', mayHaveArrived: true }],
    ['cut', { outcome: 'retry', mayHaveArrived: true }],
    [{ error: 'not_in_channel' }, { outcome: 'failed', reason: 'Slack refused chat.postMessage: not_in_channel.' }],
    [{ status: 403 }, { outcome: 'failed', reason: 'Slack refused chat.postMessage: HTTP status 403.' }],
  ] as const)('%j gives %j', async (fault, outcome) => {
    const { slack, channel, surface } = await start();
    slack.fault('chat.postMessage', fault);
    expect(await channel.send(partFor(surface, 'hello'), NO_SIGNAL)).toMatchObject(outcome);
  });

  it('a missing scope is named in the outcome and in the state, with what to do', async () => {
    const { slack, channel, surface } = await start();
    slack.app.scopes.delete('chat:write');
    expect(await channel.send(partFor(surface, 'hello'), NO_SIGNAL)).toEqual({
      outcome: 'failed',
      reason: 'Slack refused chat.postMessage: missing_scope; the scope chat:write is missing.',
    });
    expect(channel.accounts.list()).toMatchObject([
      {
        state: 'connected',
        detail: expect.stringContaining('chat:write'),
        nextStep: expect.stringContaining('chat:write'),
      },
    ]);
  });

  it('a server that is gone has taken nothing', async () => {
    const { slack, channel, surface } = await start();
    await slack.stop();
    const outcome = await channel.send(partFor(surface, 'hello'), NO_SIGNAL);
    expect(outcome).toMatchObject({ outcome: 'retry', reason: expect.stringContaining('could not be reached') });
  });

  it('what the operator does not allow is not asked for', async () => {
    const { slack, channel, general, surface } = await start({
      settings: { allows: { reactions: false, messages: false } },
    });
    const messageId = slack.saysUnheard(general, 'hello');
    const message = { surface, messageId };
    const outcomes = await Promise.all([
      channel.reactions.react({ ...message, emoji: '👍' }, NO_SIGNAL),
      channel.edits.edit({ ...message, text: 'x' }, NO_SIGNAL),
      channel.deletes.delete(message, NO_SIGNAL),
    ]);
    const reason = expect.stringContaining('channels.slack.actions.');
    expect(outcomes).toEqual(outcomes.map(() => ({ outcome: 'failed', reason })));
  });

  it('an unknown sign is refused with a sentence, and one by its name is set', async () => {
    const { slack, channel, general, surface } = await start();
    const messageId = slack.saysUnheard(general, 'hello');
    const react = (emoji: string) => channel.reactions.react({ surface, messageId, emoji }, NO_SIGNAL);
    expect(await react('🦩🦩')).toMatchObject({ outcome: 'failed', reason: expect.stringContaining('names') });
    expect(await react(':party_parrot:')).toMatchObject({ outcome: 'done' });
    expect(slack.reactionsTo(general, messageId)).toEqual(['party_parrot']);
  });
});
