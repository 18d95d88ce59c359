// Drafts, typing and buttons on a channel that declares them, in a whole gateway with a model that streams.

import { describe, expect, it } from 'vitest';
import { gate } from '../testkit/gate.ts';
import { gatewayForTest } from '../testkit/gateway-for-test.ts';
import { after, fail, hang, reply, toolCall } from '../testkit/model-server.ts';
import type { ScratchGateway } from '../testkit/scratch-gateway.ts';

const ANN = { sender: 'ann' };
const LONG = Array.from({ length: 40 }, (_, index) => `Sentence number ${index}.`).join(' ');

function opened(can: 'everything' | readonly ('drafts' | 'typing' | 'buttons')[] = 'everything') {
  return gatewayForTest({ channel: { can } });
}

/** Every row of drafts is gone. */
async function noDrafts(scratch: ScratchGateway): Promise<void> {
  await expect.poll(() => scratch.store.count('drafts', {}), { timeout: 20_000 }).toBe(0);
  expect(scratch.channel.draftsAt(ANN)).toEqual([]);
}

describe('the mode of drafts', () => {
  it('progress shows the tools while they work, and the answer is a message of its own', async () => {
    const scratch = await gatewayForTest({ channel: { can: 'everything', draftMode: 'progress' } });
    const rest = gate();
    scratch.model.script([toolCall('read', { path: 'AGENTS.md' }), { ...reply(LONG), rest: rest.opened }]);
    await scratch.channel.says(ANN, 'Look it up');
    const isWritten = () => scratch.channel.draftsAt(ANN).find((text) => /^Writing .*\n✓ read$/s.test(text));
    await scratch.channel.until(isWritten, 'the draft names the tool');
    rest.open();
    await scratch.channel.expectDelivered(LONG, ANN);
    await noDrafts(scratch);
    expect(scratch.channel.draftTexts.join()).not.toContain('Sentence');
    scratch.channel.expectNothingMore();
  });

  it('off shows nothing before the answer', async () => {
    const scratch = await gatewayForTest({ channel: { can: 'everything', draftMode: 'off' } });
    scratch.model.script([reply(LONG)]);
    await scratch.channel.says(ANN, 'Tell me');
    await scratch.channel.expectDelivered(LONG, ANN);
    expect(scratch.channel.draftTexts).toEqual([]);
  });
});

describe('a draft', () => {
  it('grows as one message while the model writes, and the answer takes its place', async () => {
    const scratch = await opened();
    const rest = gate();
    scratch.model.script([{ ...reply(LONG), rest: rest.opened }]);
    await scratch.channel.says(ANN, 'Tell me');
    const shown = await scratch.channel.until(() => scratch.channel.draftsAt(ANN)[0], 'a draft is shown');
    expect(LONG.startsWith(shown)).toBe(true);
    expect(scratch.channel.messages).toEqual([]);
    rest.open();
    const { messageId } = await scratch.channel.expectDelivered(LONG, ANN);
    expect(messageId).toBe('message-2');
    await noDrafts(scratch);
    expect(scratch.channel.draftTexts.every((text) => LONG.startsWith(text))).toBe(true);
    scratch.channel.expectNothingMore();
  });

  it('of a run that goes on after a restart is the same message, which the answer replaces', async () => {
    const scratch = await opened();
    scratch.model.script([hang('The beginning of an answer')]);
    await scratch.channel.says(ANN, 'Tell me');
    await scratch.channel.until(() => scratch.channel.draftsAt(ANN)[0], 'a draft is shown');
    const isNoted = async () => (await scratch.store.select('drafts', {})).some(({ handle }) => handle !== null);
    await expect.poll(isNoted, { timeout: 20_000 }).toBe(true);
    await scratch.stop(0);
    expect(scratch.channel.draftsAt(ANN)).toHaveLength(1);
    scratch.model.script([reply('The whole answer.')]);
    await scratch.start();
    const { messageId } = await scratch.channel.expectDelivered('The whole answer.', ANN);
    expect(messageId).toBe('message-2');
    await noDrafts(scratch);
    scratch.channel.expectNothingMore();
  });

  it('that was shown just before the process died is found again, and the answer replaces it', async () => {
    const scratch = await opened();
    scratch.model.script([hang('The beginning of an answer')]);
    await scratch.channel.says(ANN, 'Tell me');
    await scratch.channel.until(() => scratch.channel.draftsAt(ANN)[0], 'a draft is shown');
    // The row of a process that showed the draft and did not live to note which message shows it.
    const isNoted = async () => (await scratch.store.select('drafts', {})).some(({ handle }) => handle !== null);
    await expect.poll(isNoted, { timeout: 20_000 }).toBe(true);
    await scratch.store.commit([{ update: 'drafts', where: {}, set: { handle: null } }], { site: 'draft' });
    await scratch.stop(0);
    scratch.model.script([reply('The whole answer.')]);
    await scratch.start();
    const { messageId } = await scratch.channel.expectDelivered('The whole answer.', ANN);
    expect(messageId).toBe('message-2');
    await noDrafts(scratch);
    scratch.channel.expectNothingMore();
  });

  it('of a run that fails or says nothing is replaced or withdrawn', async () => {
    const scratch = await opened();
    scratch.model.script([reply('NO_REPLY')]);
    await scratch.channel.says(ANN, 'Say nothing');
    await expect.poll(() => scratch.store.count('runs', { status: 'done' }), { timeout: 20_000 }).toBe(1);
    await noDrafts(scratch);
    scratch.model.script([fail(400)]);
    await scratch.channel.says(ANN, 'Fail');
    await scratch.channel.expectDelivered(/could not be answered/, ANN);
    await noDrafts(scratch);
  });

  it('of a run that a person stops keeps its words, and the next request tells the model what it has said', async () => {
    const scratch = await opened();
    scratch.model.script([hang('The beginning of an answer')]);
    const { runId } = await scratch.channel.says(ANN, 'Tell me');
    await scratch.channel.until(() => scratch.channel.draftsAt(ANN)[0], 'a draft is shown');
    await scratch.services.runs.stop(runId, 'ann has read enough');
    const { messageId } = await scratch.channel.expectDelivered('The beginning of an answer\n\nStopped.', ANN);
    expect(messageId).toBe('message-2');
    await noDrafts(scratch);
    const kept = await scratch.store.select('transcript', { where: { runId }, orderBy: [['position', 'asc']] });
    expect(kept).toMatchObject([
      { kind: 'message', message: { role: 'user' } },
      { kind: 'message', message: { content: [{ text: 'The beginning of an answer' }] }, meta: { cut: true } },
      { kind: 'notice', shown: 'Stopped.' },
    ]);
    scratch.model.script([reply('This is the rest.')]);
    await scratch.channel.asks(ANN, 'Go on', 'This is the rest.');
    const said = scratch.model.requests.at(-1)?.json.messages as readonly { role: string; content: unknown }[];
    expect(said.slice(-3).map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(JSON.stringify(said.at(-2))).toContain('The beginning of an answer');
  });

  it('is withdrawn when the platform refuses the answer', async () => {
    const scratch = await opened();
    const rest = gate();
    scratch.model.script([{ ...reply(LONG), rest: rest.opened }]);
    await scratch.channel.says(ANN, 'Tell me');
    await scratch.channel.until(() => scratch.channel.draftsAt(ANN)[0], 'a draft is shown');
    scratch.channel.script({ fail: 'ann has left' });
    rest.open();
    await expect.poll(() => scratch.store.count('deadLetters', {}), { timeout: 20_000 }).toBe(1);
    await expect.poll(() => scratch.channel.draftsAt(ANN), { timeout: 20_000 }).toEqual([]);
    await noDrafts(scratch);
  });

  it('is not shown while a handler decides about answers', async () => {
    const scratch = await gatewayForTest({
      channel: { can: 'everything' },
      register: (hooks) => {
        hooks.register({ hook: 'message_sending', id: 'p', owner: 'p', handler: () => undefined });
      },
    });
    scratch.model.script([reply(LONG)]);
    await scratch.channel.asks(ANN, 'Tell me', LONG);
    expect(scratch.channel.draftTexts).toEqual([]);
  });

  it('is edited no more often than the channel allows', async () => {
    const scratch = await gatewayForTest({ channel: { can: ['drafts'], draftEveryMs: 60_000 } });
    const rest = gate();
    scratch.model.script([{ ...reply(LONG), rest: rest.opened }]);
    await scratch.channel.says(ANN, 'Tell me');
    await scratch.channel.until(() => scratch.channel.draftsAt(ANN)[0], 'a draft is shown');
    rest.open();
    await scratch.channel.expectDelivered(LONG, ANN);
    expect(scratch.channel.draftTexts).toHaveLength(1);
  });
});

describe('a draft and the answer before it', () => {
  it('appears when every part of the earlier answer has arrived, and not between them', async () => {
    const scratch = await gatewayForTest({ channel: { can: ['drafts'], maxTextLength: 300 } });
    const held = gate();
    const rest = gate();
    scratch.model.script([after(held.opened, reply(LONG)), { ...reply('The second answer.'), rest: rest.opened }]);
    await scratch.channel.says(ANN, 'Tell me much');
    await scratch.model.waitForRequests(1);
    // Part 2 waits for its second try while the next run streams.
    scratch.channel.script('ok', { retry: 'slow', afterMs: 1_500 });
    held.open();
    await expect.poll(() => scratch.channel.tries.length, { timeout: 20_000, interval: 10 }).toBeGreaterThan(1);
    await scratch.channel.says(ANN, 'And more');
    await scratch.channel.until(
      () => scratch.channel.draftsAt(ANN).find((text) => 'The second answer.'.startsWith(text)),
      'the draft of the second answer is shown',
    );
    const parts = scratch.channel.messages.length;
    expect(scratch.channel.shown(ANN).join('')).toBe(LONG);
    expect(parts).toBeGreaterThan(1);
    rest.open();
    await scratch.channel.until(() => scratch.channel.messages[parts], 'the second answer is there');
    expect(scratch.channel.shown(ANN).at(-1)).toBe('The second answer.');
    expectInOrder(scratch);
    await noDrafts(scratch);
  });

  it('keeps the answers in order also when the second is written before the first has arrived', async () => {
    const scratch = await gatewayForTest({ channel: { can: ['drafts'], maxTextLength: 300 } });
    scratch.model.script([reply(LONG), reply('The second answer.')]);
    scratch.channel.script('ok', { retry: 'slow', afterMs: 1_500 });
    await scratch.channel.says(ANN, 'Tell me much');
    await expect.poll(() => scratch.channel.tries.length, { timeout: 20_000, interval: 10 }).toBeGreaterThan(1);
    await scratch.channel.says(ANN, 'And more');
    await scratch.channel.until(
      () => scratch.channel.shown(ANN).find((text) => /^The second/.test(text)),
      'it is there',
    );
    expect(scratch.channel.shown(ANN).join('')).toBe(`${LONG}The second answer.`);
    expectInOrder(scratch);
    await noDrafts(scratch);
  });
});

/** A platform shows messages in the order in which they first appeared, also one that replaced its draft later. */
function expectInOrder({ channel }: ScratchGateway): void {
  const places = channel.messages.map(({ messageId }) => Number(messageId.replace('message-', '')));
  expect(places).toEqual(places.toSorted((one, other) => one - other));
}

describe('a draft whose first show was not confirmed', () => {
  it('is found, edited and replaced, so that people see one message', async () => {
    const scratch = await opened();
    const rest = gate();
    scratch.channel.scriptDrafts('unknown-but-arrived');
    scratch.model.script([{ ...reply(LONG), rest: rest.opened }]);
    await scratch.channel.says(ANN, 'Tell me');
    const isNoted = async () => (await scratch.store.select('drafts', {})).some(({ handle }) => handle !== null);
    await expect.poll(isNoted, { timeout: 20_000 }).toBe(true);
    expect(scratch.channel.draftsAt(ANN)).toHaveLength(1);
    rest.open();
    const { messageId } = await scratch.channel.expectDelivered(LONG, ANN);
    expect(messageId).toBe('message-2');
    await noDrafts(scratch);
    scratch.channel.expectNothingMore();
  });

  it('is replaced also when there is no second show before the answer', async () => {
    const scratch = await gatewayForTest({ channel: { can: ['drafts'], draftEveryMs: 60_000 } });
    const rest = gate();
    scratch.channel.scriptDrafts('unknown-but-arrived');
    scratch.model.script([{ ...reply(LONG), rest: rest.opened }]);
    await scratch.channel.says(ANN, 'Tell me');
    await scratch.channel.until(() => scratch.channel.draftsAt(ANN)[0], 'a draft is shown');
    rest.open();
    expect((await scratch.channel.expectDelivered(LONG, ANN)).messageId).toBe('message-2');
    await noDrafts(scratch);
  });

  it.each(['partial', 'progress'] as const)('is withdrawn when no part replaces it (%s)', async (draftMode) => {
    const scratch = await gatewayForTest({ channel: { can: ['drafts'], draftMode, draftEveryMs: 60_000 } });
    const rest = gate();
    scratch.channel.scriptDrafts('unknown-but-arrived');
    scratch.model.script([toolCall('read', { path: 'AGENTS.md' }, 'I look'), after(rest.opened, reply('NO_REPLY'))]);
    await scratch.channel.says(ANN, 'Tell me');
    await scratch.channel.until(() => scratch.channel.draftsAt(ANN)[0], 'a draft is shown');
    rest.open();
    await expect.poll(() => scratch.store.count('runs', { status: 'done' }), { timeout: 20_000 }).toBe(1);
    await noDrafts(scratch);
  });

  it('is shown again when it did not arrive', async () => {
    const scratch = await opened();
    const rest = gate();
    scratch.channel.scriptDrafts('unknown-and-lost');
    scratch.model.script([{ ...reply(LONG), rest: rest.opened }]);
    await scratch.channel.says(ANN, 'Tell me');
    await scratch.channel.until(() => scratch.channel.draftsAt(ANN)[0], 'a draft is shown');
    rest.open();
    expect((await scratch.channel.expectDelivered(LONG, ANN)).messageId).toBe('message-2');
    await noDrafts(scratch);
  });

  it('is not shown again in that run where the channel cannot look for it', async () => {
    const scratch = await gatewayForTest({ channel: { can: ['drafts'], canFindDrafts: false } });
    scratch.channel.scriptDrafts('unknown-but-arrived');
    scratch.model.script([toolCall('read', { path: 'AGENTS.md' }, 'I look'), reply(LONG)]);
    await scratch.channel.says(ANN, 'Tell me');
    await scratch.channel.expectDelivered(LONG, ANN);
    await expect.poll(() => scratch.store.count('drafts', {}), { timeout: 20_000 }).toBe(0);
    expect(scratch.channel.draftTexts).toHaveLength(1);
    scratch.model.script([reply('The next answer.')]);
    await scratch.channel.says(ANN, 'And now');
    await scratch.channel.expectDelivered('The next answer.', ANN);
    expect(scratch.channel.draftsAt(ANN)).toHaveLength(1);
  });
});

it('shows that the agent is typing where it will answer', async () => {
  const scratch = await opened(['typing']);
  const held = gate();
  scratch.model.script([after(held.opened, reply('Hello.'))]);
  await scratch.channel.says(ANN, 'Hi');
  await scratch.channel.until(() => scratch.channel.typingAt[1], 'the sign is shown again');
  expect(scratch.channel.typingAt[0]).toEqual(scratch.channel.surface(ANN));
  held.open();
  await scratch.channel.expectDelivered('Hello.', ANN);
});

it('answers an approval with a button, as if the person had typed it', async () => {
  const scratch = await opened(['buttons']);
  scratch.model.script([toolCall('exec', { command: 'echo hello' }), reply('Then not.')]);
  await scratch.channel.says(ANN, 'Say hello');
  const question = await scratch.channel.expectDelivered(/^Approval needed/, ANN);
  const [approval] = await scratch.store.select('approvals', {});
  expect(question.buttons).toContainEqual({ label: 'Allow once', value: `/approve ${approval?.id} allow-once` });
  expect(question.buttons).toContainEqual({ label: 'Deny', value: `/approve ${approval?.id} deny` });
  await scratch.channel.presses(question.messageId, 'Deny', { sender: 'ann' });
  await scratch.channel.expectDelivered(/denied/, ANN);
  await scratch.channel.expectDelivered('Then not.', ANN);
  const plain = await gatewayForTest();
  plain.model.script([toolCall('exec', { command: 'echo hello' })]);
  await plain.channel.says(ANN, 'Say hello');
  expect((await plain.channel.expectDelivered(/^Approval needed/, ANN)).buttons).toBeUndefined();
});
