// A person who types a command that does not exist is told so, and no model is asked; two slashes send one. The text of
// a program is never changed.

import { describe, expect, it } from 'vitest';
import { listCommands } from '../../commands/list-commands.ts';
import { gate } from '../../testkit/gate.ts';
import { gatewayForTest } from '../../testkit/gateway-for-test.ts';
import { reply } from '../../testkit/model-server.ts';
import { on } from '../../testkit/on.ts';
import { pluginFiles } from '../../testkit/plugin-files.ts';
import type { ScratchGateway } from '../../testkit/scratch-gateway.ts';

const NO_STATSU =
  'There is no command /statsu. Did you mean /status? See /help for the list. If this was meant for the agent, send it again with two slashes: //statsu';

let scratch: ScratchGateway;
const open = async (settings?: Parameters<typeof gatewayForTest>[0]) => {
  scratch = await gatewayForTest(settings);
  scratch.model.script(() => reply('Yes.'));
};

/** The person's last message in the request to the model. */
function lastSaid(): unknown {
  const messages = scratch.model.requests.at(-1)?.json.messages as { readonly content: unknown }[];
  return messages.at(-1)?.content;
}

describe('a command that does not exist', () => {
  it.each([
    ['/statsu', NO_STATSU],
    ['  /statsu please\nand soon', NO_STATSU],
    ['/statsu@my_bot', NO_STATSU],
    ['/STATSU', /^There is no command \/STATSU\. Did you mean \/status\?/],
    ['/dance', /^There is no command \/dance\. See \/help/],
    ['/привет', /^There is no command \/привет\. See \/help/],
    ['/v1.2-rc', /^There is no command \/v1\.2-rc\. See \/help/],
  ])('%j is answered at once, and the model hears nothing of it', async (text, answer) => {
    await open();
    expect(await scratch.channel.says({}, text)).toMatchObject({ outcome: 'handled' });
    await scratch.channel.expectDelivered(answer);
    await scratch.channel.asks({}, 'What did I say?', 'Yes.');
    expect(scratch.model.requests).toHaveLength(1);
    expect(scratch.model.requests[0]?.body).not.toContain('no command');
    const rows = await scratch.store.select('transcript');
    expect(rows.map(({ message }) => message.content)).toEqual(['What did I say?', expect.anything()]);
  });

  it('is answered once, in one commit, also when it comes twice and after a restart', async () => {
    await open();
    const [first, second] = await Promise.all([1, 2].map(() => scratch.channel.says({}, '/statsu', { eventId: 'e1' })));
    expect([first?.outcome, second?.outcome].sort()).toEqual(['duplicate', 'handled']);
    await scratch.channel.expectDelivered(NO_STATSU);
    expect(scratch.store.commits.control).toBe(1);
    await scratch.stop();
    await scratch.start();
    expect(await scratch.channel.says({}, '/statsu', { eventId: 'e1' })).toMatchObject({ outcome: 'duplicate' });
    scratch.channel.expectNothingMore();
    const [run] = await scratch.store.select('runs', { where: { runId: first?.runId ?? '' } });
    expect(run).toMatchObject({ status: 'done', outcome: { reply: NO_STATSU }, sessionId: null });
  });

  it('is answered in groups and channels too', async () => {
    await open();
    await scratch.channel.asks({ group: 'builders', sender: 'ana' }, '/statsu', NO_STATSU, { wasMentioned: true });
  });

  it('is left to a plugin that claims what comes in', async () => {
    await open({
      register: (hooks) =>
        on(hooks, 'inbound_claim', 'desk', ({ content }) =>
          content === '/statsu' ? { handled: true, reply: { text: 'Mine.' } } : undefined,
        ),
    });
    await scratch.channel.asks({}, '/statsu', 'Mine.');
  });

  it.each([
    '/usr/bin/env is missing',
    '/',
    '/ status',
    '/?',
    '// a comment',
    'see /statsu',
  ])('%j is none, and is said to the agent as it is', async (text) => {
    await open();
    await scratch.channel.asks({}, text, 'Yes.');
    expect(lastSaid()).toBe(text);
  });
});

describe('two slashes', () => {
  it('send one, now and in the history', async () => {
    await open();
    for (const text of ['//status of the boat', '//usr/bin', '///x']) {
      await scratch.channel.asks({}, text, 'Yes.');
    }
    const messages = scratch.model.requests.at(-1)?.json.messages as { readonly role: string; content: unknown }[];
    const said = messages.filter(({ role }) => role === 'user').map(({ content }) => content);
    expect(said).toEqual(['/status of the boat', '/usr/bin', '//x']);
  });

  it('are shown by a preview as they are sent, and an unknown command has none', async () => {
    await open();
    const sessionKey = 'agent:main:main';
    const { wire } = await scratch.services.context.preview({ message: '//status', sessionKey, channel: 'test' });
    expect((JSON.parse(wire.body).messages as { content: unknown }[]).at(-1)?.content).toBe('/status');
    await expect(scratch.services.context.preview({ message: '/statsu', sessionKey, channel: 'test' })).rejects.toThrow(
      /^The gateway answers "\/statsu" itself/,
    );
  });

  it('do not begin a new session', async () => {
    await open();
    await scratch.channel.asks({}, 'Remember me', 'Yes.');
    await scratch.channel.asks({}, '//new is what I would type', 'Yes.');
    expect(await scratch.store.count('sessions')).toBe(1);
  });
});

describe('a program', () => {
  const send = (text: string, changes: object, kind?: 'api') =>
    scratch.services.inbox.receive(
      { surface: scratch.channel.surface({}), sender: { id: 'x' }, text, at: Date.now(), ...changes },
      kind && { kind },
    );

  it.each([
    '/statsu',
    '//status',
    '/status@my_bot',
  ])('that says %j over the API or as an agent means it', async (text) => {
    await open();
    const surface = { channel: 'api', accountId: 'default', peer: { kind: 'direct', id: 'p' } };
    const { runId } = await send(text, { surface }, 'api');
    await scratch.services.runs.wait(runId);
    expect(lastSaid()).toBe(text);
    await send(text, { fromAgent: { runId: 'run_x', call: 'c1', path: [] } });
    await scratch.channel.expectDelivered('Yes.');
    expect(lastSaid()).toContain(text);
    expect(scratch.model.requests).toHaveLength(2);
  });
});

describe('a command of a plugin', () => {
  const config = { plugins: { entries: { games: { isolation: 'inline' } } } };
  const dice = `api.registerCommand({ name: 'dice', description: 'rolls', requireAuth: false, handler: () => ({ text: 'Six.' }) });`;

  /** A change of the configuration is noticed a moment later. */
  const becomes = (state: string) => expect.poll(() => scratch.services.plugins.inspect('games').state).toBe(state);

  it('exists as long as the plugin does', async () => {
    await open({ files: pluginFiles('games', dice), config });
    const { channel, home } = scratch;
    await channel.asks({}, '/dcie', /Did you mean \/dice\?/);
    await channel.asks({}, '/Dice@my_bot', 'Six.');
    expect(listCommands(scratch.services.commands.list()).at(-1)).toEqual({
      name: 'dice',
      aliases: [],
      arguments: null,
      help: 'rolls',
      who: 'anyone',
      when: 'in-lane',
      plugin: 'games',
    });

    const written = JSON.parse(await home.read('openclaw.json'));
    await home.write('openclaw.json', JSON.stringify({ ...written, plugins: { ...config.plugins, deny: ['games'] } }));
    await becomes('disabled');
    await channel.asks({}, '/dice', /^There is no command \/dice\. See/);

    await home.write('openclaw.json', JSON.stringify(written));
    await becomes('loaded');
    await channel.asks({}, '/dice', 'Six.');
    expect(scratch.model.requests).toEqual([]);
  });

  it('that is gone when its turn comes is answered as one that does not exist', async () => {
    await open({ files: pluginFiles('games', dice), config });
    const { channel, services, home, model } = scratch;
    const { opened: held, open: release } = gate();
    on(scratch.hooks, 'before_model_resolve', 'test', () => held.then(() => undefined));
    await channel.says({}, 'Think');
    await expect.poll(async () => (await services.status()).running.length).toBe(1);
    expect(await channel.says({}, '/dice')).toMatchObject({ outcome: 'accepted' });
    const written = JSON.parse(await home.read('openclaw.json'));
    await home.write('openclaw.json', JSON.stringify({ ...written, plugins: { deny: ['games'] } }));
    await becomes('disabled');
    release();
    await channel.expectDelivered('Yes.');
    await channel.expectDelivered(/^There is no command \/dice\./);
    expect(model.requests).toHaveLength(1);
  });
});
