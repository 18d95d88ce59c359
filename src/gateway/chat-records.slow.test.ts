// The chat records of openboa agents, in a whole gateway: what is said is written down beside the workspaces, and the
// store is what a damaged record is made from.

import {
  appendFile,
  mkdir,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ChatLine } from '../recorder/chat-records.ts';
import { gatewayForTest } from '../testkit/gateway-for-test.ts';
import { reply, toolCall } from '../testkit/model-server.ts';
import type { ScratchGateway } from '../testkit/scratch-gateway.ts';
import { ScratchHome } from '../testkit/scratch-home.ts';

const agents = { defaults: { model: 'fake/small' }, list: [{ id: 'boa', default: true, taxonomy: 'openboa' }] };

async function open(config: Record<string, unknown> = {}): Promise<ScratchGateway> {
  const scratch = await gatewayForTest({ config: { agents, ...config } });
  scratch.model.script(() => reply('Very well.'));
  return scratch;
}

const chatDir = (scratch: ScratchGateway) => join(scratch.home.stateDir, '.openboa', 'chat', 'chats');

async function recordOf(scratch: ScratchGateway): Promise<string> {
  // A record that is being made anew stands beside the old one for a moment.
  const names = (await readdir(chatDir(scratch))).filter((each) => each.endsWith('.jsonl'));
  const [name = 'none', ...others] = names;
  expect(others).toEqual([]);
  return join(chatDir(scratch), name);
}

async function linesOf(scratch: ScratchGateway): Promise<readonly ChatLine[]> {
  const text = await readFile(await recordOf(scratch), 'utf8');
  expect(text.endsWith('\n')).toBe(true);
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as ChatLine);
}

/** Waits until the record tells exactly this. */
function expectSaid(scratch: ScratchGateway, said: readonly string[]): Promise<void> {
  return vi.waitFor(async () => {
    expect((await linesOf(scratch)).map(({ role, text }) => `${role}: ${text}`)).toEqual(said);
  }, 20_000);
}

describe('the chat record of an openboa agent', () => {
  it('has what people and the agent said, beside the workspaces, for its owner only', async () => {
    const scratch = await open();
    await scratch.channel.asks({}, 'Good morning', 'Very well.');
    scratch.model.script([toolCall('read', { path: 'AGENT.md' }), reply('It says much.')]);
    await scratch.channel.asks({}, 'Read it', 'It says much.');
    const said = ['user: Good morning', 'assistant: Very well.', 'user: Read it', 'assistant: It says much.'];
    await expectSaid(scratch, said);
    const [first] = await linesOf(scratch);
    const file = await recordOf(scratch);
    expect(file).toBe(join(chatDir(scratch), `${first?.chatId}.jsonl`));
    expect(first).toMatchObject({
      agentId: 'boa',
      id: expect.stringMatching(/:\d+$/),
      at: expect.stringMatching(/Z$/),
    });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(join(scratch.home.stateDir, 'agents', 'boa', 'workspace'))).not.toContain('.openboa');
  });

  it('goes on over a new session, and loses what is deleted', async () => {
    const scratch = await open();
    await scratch.channel.asks({}, 'one', 'Very well.');
    await scratch.channel.asks({}, '/new', /new session/);
    await scratch.channel.asks({}, 'two', 'Very well.');
    await vi.waitFor(async () => expect((await linesOf(scratch)).at(-1)?.text).toBe('Very well.'), 20_000);
    await vi.waitFor(async () => expect((await linesOf(scratch)).map(({ text }) => text)).toContain('two'), 20_000);
    expect(new Set((await linesOf(scratch)).map(({ id }) => id.split(':')[0])).size).toBe(2);
    const [{ sessionKey } = { sessionKey: '' }] = await scratch.store.select('sessions');
    await scratch.services.sessions.delete(sessionKey);
    expect(await readdir(chatDir(scratch))).toEqual([]);
  });

  it.each([
    ['cut short by a crash', async (file: string) => truncate(file, (await stat(file)).size - 5)],
    ['changed', (file: string) => writeFile(file, '{"text":"never said"}\n')],
    ['written to by others', (file: string) => appendFile(file, '{"text":"never said"}\n')],
    ['gone', (file: string) => rm(file)],
  ] as const)('that was %s is made anew from the store, at the next answer and at the next start', async (_, damage) => {
    const scratch = await open();
    await scratch.channel.asks({}, 'one', 'Very well.');
    await expectSaid(scratch, ['user: one', 'assistant: Very well.']);
    const file = await recordOf(scratch);
    await damage(file);
    await scratch.channel.asks({}, 'two', 'Very well.');
    const said = ['user: one', 'assistant: Very well.', 'user: two', 'assistant: Very well.'];
    await vi.waitFor(async () => expect((await readFile(file, 'utf8')).match(/\n/g)).toHaveLength(4), 20_000);
    await expectSaid(scratch, said);
    await scratch.stop();
    await damage(file);
    await scratch.start();
    await vi.waitFor(async () => expect((await readFile(file, 'utf8')).match(/\n/g)).toHaveLength(4), 20_000);
    await expectSaid(scratch, said);
  });

  it('only grows while it is whole', async () => {
    const scratch = await open();
    await scratch.channel.asks({}, 'one', 'Very well.');
    await expectSaid(scratch, ['user: one', 'assistant: Very well.']);
    const file = await recordOf(scratch);
    const { ino } = await stat(file);
    const before = await readFile(file, 'utf8');
    await scratch.channel.asks({}, 'two', 'Very well.');
    await vi.waitFor(async () => expect((await readFile(file, 'utf8')).match(/\n/g)).toHaveLength(4), 20_000);
    expect((await readFile(file, 'utf8')).startsWith(before)).toBe(true);
    expect((await stat(file)).ino).toBe(ino);
  });

  it('that cannot be written is one warning, and the talk goes on', async () => {
    const scratch = await open();
    await mkdir(join(scratch.home.stateDir, '.openboa'), { recursive: true });
    await writeFile(join(scratch.home.stateDir, '.openboa', 'chat'), 'in the way');
    await scratch.channel.asks({}, 'one', 'Very well.');
    await scratch.channel.asks({}, 'two', 'Very well.');
    await vi.waitFor(() => expect(scratch.warnings.join('\n')).toContain('chat records cannot be written to'), 20_000);
    expect(scratch.warnings.filter((sentence) => sentence.includes('chat records'))).toHaveLength(1);
    expect((await scratch.services.status()).warnings.join()).toContain('chat records cannot be written');
    await rm(join(scratch.home.stateDir, '.openboa', 'chat'));
    await scratch.channel.asks({}, 'three', 'Very well.');
    await vi.waitFor(async () => expect(await linesOf(scratch)).toHaveLength(6), 20_000);
  });

  it('is not kept for other agents', async () => {
    const scratch = await gatewayForTest();
    scratch.model.script(() => reply('Very well.'));
    await scratch.channel.asks({}, 'one', 'Very well.');
    await scratch.stop();
    expect(await readdir(scratch.home.stateDir)).not.toContain('.openboa');
  });
});

describe('a folder of chat records that', () => {
  /** A folder that is not the gateway's. */
  async function elsewhere(): Promise<string> {
    const home = await ScratchHome.create();
    onTestFinished(() => home.remove());
    return home.home;
  }

  async function expectRefused(scratch: ScratchGateway, ...words: readonly string[]): Promise<void> {
    await vi.waitFor(() => expect(scratch.warnings.join('\n')).toContain('chat records'), 20_000);
    const sentences = scratch.warnings.filter((sentence) => sentence.includes('chat records'));
    expect(sentences).toHaveLength(1);
    for (const word of words) expect(sentences[0]).toContain(word);
    expect((await scratch.services.status()).warnings).toEqual(expect.arrayContaining(sentences));
  }

  it.each([
    ['.openboa'],
    ['.openboa/chat'],
    ['.openboa/chat/chats'],
  ])('is reached over a link in place of %s that leads outside is refused by name, and nothing is written there', async (place) => {
    const target = await elsewhere();
    const scratch = await open();
    const link = join(scratch.home.stateDir, place);
    await mkdir(dirname(link), { recursive: true });
    await symlink(target, link);
    await scratch.channel.asks({}, 'one', 'Very well.');
    await scratch.channel.asks({}, 'two', 'Very well.');
    await expectRefused(scratch, link, await realpath(target));
    expect(await readdir(target)).toEqual([]);
    await scratch.stop();
    scratch.warnings.length = 0;
    await scratch.start();
    await expectRefused(scratch, link);
    await rm(link);
    await scratch.channel.asks({}, 'three', 'Very well.');
    await vi.waitFor(async () => expect(await linesOf(scratch)).toHaveLength(6), 20_000);
    // The line can be read a moment before its writer knows that it is there.
    await vi.waitFor(async () =>
      expect((await scratch.services.status()).warnings.join('\n')).not.toContain('chat records'),
    );
  });

  it('is a link that leads to nothing is refused by name', async () => {
    const scratch = await open();
    const link = join(scratch.home.stateDir, '.openboa');
    await symlink(join(scratch.home.home, 'nothing'), link);
    await scratch.channel.asks({}, 'one', 'Very well.');
    await expectRefused(scratch, link, 'leads to nothing');
    expect(await readdir(scratch.home.home)).not.toContain('nothing');
  });

  it('is a link to a folder beside it in the same root is used', async () => {
    const scratch = await open();
    await mkdir(join(scratch.home.stateDir, '.openboa', 'kept'), { recursive: true });
    await symlink('kept', join(scratch.home.stateDir, '.openboa', 'chat'));
    await scratch.channel.asks({}, 'one', 'Very well.');
    await expectSaid(scratch, ['user: one', 'assistant: Very well.']);
    expect(await readdir(join(scratch.home.stateDir, '.openboa', 'kept', 'chats'))).toHaveLength(1);
  });

  it('would lie in the workspace of an agent, its own or another one, is named, and no record is kept', async () => {
    const root = await elsewhere();
    for (const list of [
      [{ id: 'boa', default: true, taxonomy: 'openboa', workspace: root }],
      [
        { id: 'boa', default: true, taxonomy: 'openboa' },
        { id: 'other', workspace: root },
      ],
    ]) {
      const inside = await open({ agents: { ...agents, list }, openboa: { root } });
      await expectRefused(inside, join(await realpath(root), '.openboa'), 'openboa.root');
      await inside.channel.asks({}, 'one', 'Very well.');
      await inside.stop();
      expect(await readdir(root)).not.toContain('.openboa');
    }
  });

  it('leads into a workspace over a link is refused too', async () => {
    const scratch = await open();
    const workspace = join(scratch.home.stateDir, 'agents', 'boa', 'workspace');
    await mkdir(workspace, { recursive: true });
    await symlink(workspace, join(scratch.home.stateDir, '.openboa'));
    await scratch.channel.asks({}, 'one', 'Very well.');
    await expectRefused(scratch, '.openboa', 'workspace');
    expect(await readdir(workspace)).not.toContain('chat');
  });
});
