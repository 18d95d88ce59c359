// Telegram, Discord and Slack do the same things: every scene here is played on each of them, in a whole gateway with the
// real client libraries and platforms on this machine. What a platform cannot do is named in the scene, with the reason.

import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../src/protocol/json.ts';
import type { FakeMessage, FakePlace, FakePlatform } from '../src/testkit/fake-platform.ts';
import { FAKE_PLATFORMS } from '../src/testkit/fake-platforms.ts';
import { gate } from '../src/testkit/gate.ts';
import { gatewayForTest } from '../src/testkit/gateway-for-test.ts';
import { type ModelReply, type RecordedRequest, reply, toolCall } from '../src/testkit/model-server.ts';
import { pluginFiles } from '../src/testkit/plugin-files.ts';
import type { ScratchGateway, ScratchGatewaySettings } from '../src/testkit/scratch-gateway.ts';

/** No step takes this long, not even on a busy machine. */
const PATIENCE = { timeout: 45_000, interval: 20 };
const TIMEOUT_MS = 120_000;

interface Scene {
  readonly title: string;
  /** The platforms that cannot do it, by id, with the reason. The scene shows there that it is not done. */
  readonly cannot?: Readonly<Record<string, string>> | undefined;
  play(platformId: string, canDo: boolean): Promise<void>;
}

/** A gateway on one platform, with the ids of a direct conversation and a group. */
interface Talk {
  readonly platform: FakePlatform;
  readonly scratch: ScratchGateway;
  readonly ann: string;
  readonly group: string;
}

const SCENES: readonly Scene[] = [
  {
    title: 'a stranger gets a code and reaches no model, and talks when the operator has approved it',
    play: async (id) => {
      const { platform, scratch, ann } = await open(id, { section: { dmPolicy: 'pairing', allowFrom: [] } });
      await platform.says(ann, 'Hello');
      await expect.poll(() => texts(platform, ann).length, PATIENCE).toBe(1);
      expect(scratch.model.requests).toEqual([]);
      const [asked] = await scratch.store.select('pairings', {});
      const code = asked?.code ?? '';
      expect(texts(platform, ann)[0]).toContain(code);
      await scratch.services.pairings.approve({ channel: id, code, by: 'operator' });
      await expect.poll(() => texts(platform, ann).length, PATIENCE).toBe(2);
      answer(scratch, { 'Hello again': reply('Hello Ann.') });
      await platform.says(ann, 'Hello again');
      await expect.poll(() => texts(platform, ann).at(-1), PATIENCE).toBe('Hello Ann.');
    },
  },
  {
    title: 'a group is answered when it speaks to the bot, and not when people talk among themselves',
    play: async (id) => {
      const { platform, scratch, group } = await open(id);
      answer(scratch, { 'What is the time?': reply('It is noon.') });
      await platform.says(group, 'I am late.', { person: 'Ben', isAside: true });
      await platform.says(group, 'What is the time?');
      await shows(platform, group, ['It is noon.']);
      expect(scratch.model.requests).toHaveLength(1);
    },
  },
  {
    title: 'a thread has a session of its own',
    play: async (id) => {
      const { platform, scratch, group } = await open(id);
      answer(scratch, { 'In the group': reply('The group.'), 'In the thread': reply('The thread.') });
      await platform.says(group, 'In the group');
      await shows(platform, group, ['The group.']);
      const thread = await platform.opensThread(group, 'A matter');
      await platform.says(thread, 'In the thread');
      await shows(platform, thread, ['The thread.']);
      const sessions = await scratch.store.select('sessions', {});
      expect(new Set(sessions.map(({ sessionKey }) => sessionKey)).size).toBe(2);
      const { threadId } = platform.addressOf(thread);
      expect(sessions.map(({ sessionKey }) => sessionKey).join()).toContain(threadId ?? 'no thread');
    },
  },
  {
    title: 'an approval is answered by the press of a person who may, and not by one who may not',
    play: async (id) => {
      const approvers = (platform: FakePlatform) => [`${id}:${personOf(platform, 'Ann')}`];
      const talk = await open(id, { config: (platform) => ({ approvals: { approvers: approvers(platform) } }) });
      const { platform, scratch, group } = talk;
      answer(scratch, { 'Say hello': toolCall('exec', { command: 'echo hello' }) }, reply('Then not.'));
      await platform.says(group, 'Say hello');
      const question = await seen(platform, group, ({ buttons }) => buttons.includes('Deny'));
      expect(question.buttons).toContain('Allow once');
      await platform.presses(group, question.id, 'Allow once', { person: 'Ben' });
      await seen(platform, group, ({ text }) => /may not answer approvals here/.test(text));
      expect(await scratch.store.select('approvals', {})).toMatchObject([{ status: 'waiting' }]);
      await platform.presses(group, question.id, 'Deny', { person: 'Ann' });
      await seen(platform, group, ({ text }) => text === 'Then not.');
    },
  },
  {
    title: 'the question of an approval shows the whole command, whatever markup is in it',
    play: async (id) => {
      const { platform, scratch, ann } = await open(id);
      const hidden = [
        '[x]: /dev/null;touch owned',
        '| a | b |',
        '|---|---|',
        '| 1 | 2 | rm everything |',
        '*a* __b__ ~~c~~',
      ];
      const command = ['ls *.md', '', ...hidden, '[safe](http://example.com/not)'].join('\n');
      answer(scratch, { 'Run it': toolCall('exec', { command }) }, reply('Then not.'));
      await platform.says(ann, 'Run it');
      const question = await seen(platform, ann, ({ buttons }) => buttons.includes('Deny'));
      const shown = platform
        .shown(ann)
        .map(({ text }) => text.replaceAll('&amp;', '&').replaceAll('&lt;', '<').replaceAll('&gt;', '>'))
        .join('\n');
      for (const line of [...hidden, '[safe](http://example.com/not)']) expect(shown).toContain(line);
      await platform.presses(ann, question.id, 'Deny');
      await seen(platform, ann, ({ text }) => text === 'Then not.');
    },
  },
  {
    title: 'the message tool writes into a group and reacts to a message',
    play: async (id) => {
      const { platform, scratch, ann, group } = await open(id);
      answer(scratch, { 'We are here': reply('Welcome.') });
      await platform.says(group, 'We are here');
      await shows(platform, group, ['Welcome.']);
      const target = platform.addressOf(group).to;
      answer(
        scratch,
        {
          'Tell them': toolCall('message', { action: 'send', target, text: 'Lunch is ready.' }),
          'Like this': () => {
            const messageId = platform.shown(ann).findLast(({ isBot }) => !isBot)?.id ?? '';
            return toolCall('message', { action: 'react', messageId, emoji: '👍' });
          },
        },
        reply('Done.'),
      );
      await platform.says(ann, 'Tell them');
      await shows(platform, group, ['Welcome.', 'Lunch is ready.']);
      await shows(platform, ann, ['Done.']);
      await platform.says(ann, 'Like this');
      await shows(platform, ann, ['Done.', 'Done.']);
      expect(platform.shown(ann).flatMap(({ reactions }) => reactions)).toHaveLength(1);
    },
  },
  {
    title: 'a child with a thread answers in it, and hears what people write there',
    play: async (id) => {
      const { platform, scratch, group } = await open(id);
      const spawned = { task: 'Plan the party.', label: 'The party', thread: true, mode: 'session' };
      answer(scratch, {
        'Plan the party.': reply('Here is a plan.'),
        'Open a thread': toolCall('sessions_spawn', spawned),
        '"status":"accepted"': reply('See the thread.'),
        'With cake': reply('Cake is in the plan.'),
      });
      await platform.says(group, 'Open a thread');
      await seen(platform, group, ({ text }) => text === 'See the thread.');
      const findThread = () => platform.places().find(({ kind }) => kind === 'thread')?.id ?? '';
      await expect.poll(findThread, PATIENCE).not.toBe('');
      await seen(platform, findThread(), ({ text }) => text === 'Here is a plan.');
      await platform.says(findThread(), 'With cake');
      await seen(platform, findThread(), ({ text }) => text === 'Cake is in the plan.');
      const [child] = await scratch.store.select('children', {});
      expect(child).toMatchObject({
        mode: 'session',
        boundTo: { threadId: platform.addressOf(findThread()).threadId },
      });
      expect(texts(platform, group)).not.toContain('Here is a plan.');
    },
  },
  {
    title: 'the result of a child reaches the conversation that asked for it',
    play: async (id) => {
      const { platform, scratch, ann } = await open(id);
      answer(scratch, {
        '[Internal task completion event]': reply('It counted to ten.'),
        'Count to ten.': reply('Ten.'),
        'Let it be done': toolCall('sessions_spawn', { task: 'Count to ten.' }),
        '"status":"accepted"': reply('Under way.'),
      });
      await platform.says(ann, 'Let it be done');
      await shows(platform, ann, ['Under way.', 'It counted to ten.']);
    },
  },
  {
    title: 'a job says its answer in the group and in a thread',
    play: async (id) => {
      const { platform, scratch, group } = await open(id);
      const thread = await platform.opensThread(group, 'Reports');
      answer(scratch, { 'Write the report.': reply('All is well.') });
      const job = { name: 'report', message: 'Write the report.', schedule: { every: '10h' }, createdBy: 'test' };
      for (const place of [group, thread]) {
        const { to, threadId } = platform.addressOf(place);
        const deliver = `${id}:${to}${threadId === undefined ? '' : `#${threadId}`}`;
        const { id: jobId } = await scratch.services.jobs.add({ ...job, name: `report-${place}`, deliver });
        await scratch.services.jobs.run(jobId);
        await shows(platform, place, ['All is well.']);
      }
    },
  },
  {
    title: 'a plugin sends through the adapter of the platform',
    play: async (id) => {
      const sending = `api.registerGatewayMethod('post.now', async ({ params, respond }) => {
        const adapter = await api.runtime.channel.outbound.loadAdapter(params.channel);
        respond(true, await adapter.sendText(params));
      });`;
      const plugins = { entries: { post: { isolation: 'inline' } } };
      const { platform, scratch, ann, group } = await open(id, {
        config: () => ({ plugins }),
        files: pluginFiles('post', sending),
      });
      const thread = await platform.opensThread(group, 'A matter');
      for (const place of [ann, group, thread]) {
        const message = { channel: id, text: 'From the plugin.', ...platform.addressOf(place) };
        await scratch.services.methods.call('post.now', message, {});
        await shows(platform, place, ['From the plugin.']);
      }
    },
  },
  {
    title: 'files go both ways',
    play: async (id) => {
      const { platform, scratch, ann } = await open(id, { files: { 'workspace/plan.txt': 'first bread, then milk' } });
      const send = { action: 'send', text: 'Here it is.', attachments: ['plan.txt'] };
      answer(scratch, { 'Look at this': reply('I see.'), 'Send the plan': toolCall('message', send) }, reply('Sent.'));
      const file = { name: 'notes.txt', bytes: Buffer.from('what was said') };
      await platform.says(ann, 'Look at this', { file });
      await shows(platform, ann, ['I see.']);
      const [kept] = await scratch.store.select('attachments', {});
      expect(kept).toMatchObject({ name: 'notes.txt', size: file.bytes.length });
      expect(scratch.model.requests[0]?.body).toContain('notes.txt');
      await platform.says(ann, 'Send the plan');
      await seen(platform, ann, ({ text }) => text === 'Sent.');
      expect(platform.shown(ann).flatMap(({ isBot, files }) => (isBot ? files : []))).toEqual(['plan.txt']);
    },
  },
  {
    title: 'long code comes as a file',
    play: async (id) => {
      const { platform, scratch, ann } = await open(id);
      const lines = Array.from({ length: 300 }, (_, index) => `const number${index} = ${index};`);
      answer(scratch, { 'Write code': reply(`Here it is.\n\n\`\`\`js\n${lines.join('\n')}\n\`\`\``) });
      await platform.says(ann, 'Write code');
      const withFile = await seen(platform, ann, ({ files }) => files.length > 0);
      expect(withFile.files[0]).toMatch(/\.js$/);
      expect(texts(platform, ann).join('\n')).toContain('Here it is.');
      expect(texts(platform, ann).join('\n')).not.toContain('number299');
    },
  },
  {
    title: 'people see that the agent is at work',
    cannot: { slack: 'Slack lets no bot show that it is typing' },
    play: async (id, canDo) => {
      const { platform, scratch, ann, rest } = await streaming(id, 'off');
      await platform.says(ann, 'Tell me');
      await scratch.model.waitForRequests(1);
      if (canDo) await expect.poll(() => platform.isTyping(ann), PATIENCE).toBe(true);
      else expect(platform.isTyping(ann)).toBe(false);
      rest.open();
      await shows(platform, ann, [LONG]);
    },
  },
  {
    title: 'streaming off shows an answer when it is whole',
    play: async (id) => {
      const { platform, scratch, ann, rest } = await streaming(id, 'off');
      await platform.says(ann, 'Tell me');
      await scratch.model.waitForRequests(1);
      expect(texts(platform, ann)).toEqual([]);
      rest.open();
      await shows(platform, ann, [LONG]);
    },
  },
  {
    title: 'streaming partial shows one message that grows',
    play: async (id) => {
      const { platform, ann, rest } = await streaming(id, 'partial');
      await platform.says(ann, 'Tell me');
      const draft = await seen(platform, ann, ({ text }) => text !== '');
      expect(LONG.startsWith(draft.text.trim()) && draft.text.trim() !== LONG).toBe(true);
      rest.open();
      await shows(platform, ann, [LONG]);
      expect(platform.shown(ann).find(({ isBot }) => isBot)?.id).toBe(draft.id);
    },
  },
  {
    title: 'streaming progress shows the tools at work, and then the answer alone',
    play: async (id) => {
      const { platform, scratch, ann, rest } = await streaming(id, 'progress');
      const whole = { ...reply(LONG), rest: rest.opened };
      answer(scratch, { 'Tell me': toolCall('read', { path: 'notes.txt' }) }, whole);
      await platform.says(ann, 'Tell me');
      const draft = await seen(platform, ann, ({ text }) => /Writing .*✓ read/s.test(text));
      expect(draft.text).not.toContain('Sentence');
      rest.open();
      await shows(platform, ann, [LONG]);
    },
  },
  {
    title: 'a draft whose receipt was lost is taken over by the answer, or withdrawn',
    cannot: { telegram: 'Telegram keeps no key with a message, so a lost draft cannot be found' },
    play: async (id, canDo) => {
      for (const mode of ['partial', 'progress'] as const) {
        const { platform, scratch, ann, rest } = await streaming(id, mode);
        const whole = { ...reply(LONG), rest: rest.opened };
        answer(scratch, { 'Tell me': toolCall('read', { path: 'notes.txt' }, 'I look.') }, whole);
        platform.suffer('withhold');
        await platform.says(ann, 'Tell me');
        await seen(platform, ann, ({ text }) => text !== '');
        // The draft is shown a second time, in the same message.
        if (canDo) await seen(platform, ann, ({ text }) => /Sentence|Writing/.test(text));
        rest.open();
        await expect.poll(() => texts(platform, ann).at(-1), PATIENCE).toBe(LONG);
        if (canDo) await shows(platform, ann, [LONG]);
        else expect(texts(platform, ann)).toHaveLength(2);
      }
    },
  },
];

describe.each(Object.keys(FAKE_PLATFORMS))('on %s', (platformId) => {
  for (const { title, cannot = {}, play } of SCENES) {
    const reason = cannot[platformId];
    const name = reason === undefined ? title : `${title}: not here, because ${reason}`;
    it(name, () => play(platformId, reason === undefined), TIMEOUT_MS);
  }
});

interface TalkSettings {
  /** Merged over a section that lets everybody talk. */
  readonly section?: JsonObject | undefined;
  readonly config?: ((platform: FakePlatform) => Record<string, unknown>) | undefined;
  readonly files?: ScratchGatewaySettings['files'];
}

async function open(platformId: string, { section = {}, config, files }: TalkSettings = {}): Promise<Talk> {
  const load = FAKE_PLATFORMS[platformId];
  if (!load) throw new Error(`There is no platform ${platformId}.`);
  const platform = await (await load())(['Ann', 'Ben']);
  onTestFinished(() => platform.stop());
  const everybody = { dmPolicy: 'open', allowFrom: ['*'], groupPolicy: 'open', streaming: 'off' };
  const scratch = await gatewayForTest({
    channel: { id: 'unused' },
    files,
    config: {
      agents: { defaults: { model: 'fake/small', skipBootstrap: true } },
      session: { dmScope: 'per-channel-peer' },
      channels: { [platformId]: { ...everybody, ...platform.section, ...section } },
      ...config?.(platform),
    },
  });
  const states = async () => {
    const { channels } = await scratch.services.status();
    return channels.flatMap(({ accounts = [] }) => accounts.map(({ state }) => state));
  };
  await expect.poll(states, PATIENCE).toEqual(['connected']);
  const placeOf = (kind: FakePlace['kind']) => platform.places().find((each) => each.kind === kind)?.id ?? '';
  return { platform, scratch, ann: placeOf('direct'), group: placeOf('group') };
}

const LONG = Array.from({ length: 20 }, (_, index) => `Sentence number ${index}.`).join(' ');

/** The model writes the beginning of a long answer, and the rest when the test lets it. */
async function streaming(platformId: string, mode: 'off' | 'partial' | 'progress') {
  const files = { 'workspace/notes.txt': 'Nothing of note.' };
  const talk = await open(platformId, { section: { streaming: mode }, files });
  const rest = gate();
  onTestFinished(() => rest.open());
  answer(talk.scratch, { 'Tell me': { ...reply(LONG), rest: rest.opened } });
  return { ...talk, rest };
}

/** What the model says, by words of what it was told last, and what it says to everything else. */
function answer(
  { model }: ScratchGateway,
  script: Readonly<Record<string, ModelReply | (() => ModelReply)>>,
  otherwise?: ModelReply,
): void {
  model.script((request) => {
    const told = toldLast(request);
    const [, said] = Object.entries(script).find(([words]) => told.includes(words)) ?? [];
    const found = said ?? otherwise;
    if (!found) throw new Error(`The model was told ${JSON.stringify(told)}, for which nothing is scripted.`);
    return typeof found === 'function' ? found() : found;
  });
}

function toldLast({ json }: RecordedRequest): string {
  const content = (json.messages as readonly JsonObject[]).at(-1)?.content ?? '';
  return typeof content === 'string' ? content : JSON.stringify(content);
}

/** The platform's id of a person. */
function personOf(platform: FakePlatform, name: string): string {
  const place = platform.places().find((each) => each.kind === 'direct' && each.name === name);
  return platform.addressOf(place?.id ?? '').to.replace('direct:', '');
}

/** The texts of the bot at a place, oldest first. */
function texts(platform: FakePlatform, place: string): readonly string[] {
  return platform
    .shown(place)
    .filter(({ isBot }) => isBot)
    .map(({ text }) => text.trim());
}

async function shows(platform: FakePlatform, place: string, said: readonly string[]): Promise<void> {
  await expect.poll(() => texts(platform, place), PATIENCE).toEqual(said);
}

/** Waits for a message of the bot. */
async function seen(
  platform: FakePlatform,
  place: string,
  isIt: (message: FakeMessage) => boolean,
): Promise<FakeMessage> {
  const find = () => platform.shown(place).find((message) => message.isBot && isIt(message));
  await expect
    .poll(() => (find() ? 'it is there' : platform.shown(place).map(({ text }) => text)), PATIENCE)
    .toBe('it is there');
  return find() as FakeMessage;
}
