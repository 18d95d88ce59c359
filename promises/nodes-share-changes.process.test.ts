// What somebody changes at one node, the other one follows: settings, plugins, what open pages show. What one node has, the other one can
// use: an account of a platform. What one node does for all, the other one goes on with when it dies.

import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { GatewayProcess } from '../src/testkit/gateway-process.ts';
import { reply, toolCall } from '../src/testkit/model-server.ts';
import { describeNodes, type NodesStatus, SOON, TIMEOUT_MS } from './fixtures/two-nodes.ts';

const FREE_AGENTS = { defaults: { model: 'fake/small' } };

await describeNodes('of two nodes', (stage) => {
  async function sharedFolder(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'atrium-shared-'));
    stage.closeAfter({ close: () => rm(folder, { recursive: true, force: true }) });
    return folder;
  }

  const ask = (content: string) => ({ body: { model: 'atrium/main', messages: [{ role: 'user', content }] } });

  it(
    'each takes up settings of a shared file that were changed at the other one',
    async () => {
      const { a, b } = await stage.create();
      const configPath = join(await sharedFolder(), 'openclaw.json');
      await writeFile(configPath, await a.home.read('openclaw.json'), { mode: 0o600 });
      expect(await a.start({ node: 'a', configPath }), a.err).toBe('ready');
      expect(await b.start({ node: 'b', configPath }), b.err).toBe('ready');
      // The runs are at b, and the model that a's file names answers.
      const modelOf = async () => {
        await (await a.fetch('/v1/chat/completions', ask('hi'))).text();
        return a.model.requests.at(-1)?.json.model;
      };
      expect(await modelOf()).toBe('small');
      const changed = await a.json('/api/settings', {
        body: { setting: 'agents.defaults.model', value: 'fake/large' },
      });
      expect(changed).toMatchObject({ needsRestart: false });
      await expect.poll(modelOf, SOON).toBe('large');
      expect((await b.json<NodesStatus>('/api/status')).warnings.join()).not.toContain('different settings');
    },
    TIMEOUT_MS,
  );

  it(
    'each loads a plugin again that was loaded again at the other one',
    async () => {
      const folder = await sharedFolder();
      const write = async (word: string) => {
        await mkdir(join(folder, 'shout'), { recursive: true });
        await writeFile(
          join(folder, 'shout', 'index.ts'),
          `export default (api: any) => { api.on('message_sending', (event: any) => ({ content: event.content + ' ${word}' })); };`,
        );
        await writeFile(
          join(folder, 'shout', 'openclaw.plugin.json'),
          JSON.stringify({ id: 'shout', configSchema: { type: 'object' } }),
        );
      };
      await write('one');
      const { a, b } = await stage.start({ plugins: { load: { paths: [join(folder, 'shout')] } } });
      const generationAt = async (gateway: GatewayProcess) => {
        type Listed = { plugins: readonly { id: string; generation: number; state: string }[] };
        return (await gateway.json<Listed>('/api/plugins')).plugins.find(({ id }) => id === 'shout');
      };
      await expect.poll(() => generationAt(b), SOON).toMatchObject({ state: 'loaded', generation: 1 });
      const page = stage.page(b, 'desk');
      page.say('1', 'first');
      await page.until(({ parts }) => parts.length >= 1, 'for an answer');
      await write('two');
      await a.json('/api/plugins/shout/reload', { body: {} });
      await expect.poll(() => generationAt(b), SOON).toMatchObject({ state: 'loaded', generation: 2 });
      page.say('2', 'second');
      await page.until(({ parts }) => parts.length >= 2, 'for another answer');
      expect(page.texts).toEqual(['you said first one', 'you said second two']);
      await a.json('/api/plugins/reload', { body: {} });
      await expect.poll(() => generationAt(b), SOON).toMatchObject({ state: 'loaded', generation: 3 });
    },
    TIMEOUT_MS,
  );

  it(
    'a page at one is told what happens at the other one',
    async () => {
      const { a, b } = await stage.start();
      const socket = new WebSocket(`${a.url?.replace(/^http/, 'ws')}/ws?channel=web`, {
        headers: { authorization: `Bearer ${a.token}` },
      });
      stage.closeAfter({ close: async () => socket.terminate() });
      const frames: { readonly type: string; readonly topics?: readonly string[] }[] = [];
      socket.on('message', (data) => frames.push(JSON.parse(String(data))));
      socket.on('open', () => socket.send(JSON.stringify({ type: 'watch' })));
      await expect.poll(() => frames[0], SOON).toEqual({ type: 'watching' });
      const topics = () => [...new Set(frames.flatMap((frame) => frame.topics ?? []))];
      const before = topics();
      expect(before).not.toContain('runs');
      // Asked and answered at b; nothing of it happens at a.
      await (await b.fetch('/v1/chat/completions', ask('hi'))).text();
      await expect.poll(topics, SOON).toEqual(expect.arrayContaining(['sessions', 'runs']));
      expect(a.model.requests).toHaveLength(0);
      const job = { name: 'later', schedule: { at: 'in 1h' }, message: 'hi', deliver: 'web:desk' };
      expect((await b.fetch('/api/cron/jobs', { body: job })).status).toBeLessThan(300);
      await expect.poll(topics, SOON).toEqual(expect.arrayContaining(['jobs']));
    },
    TIMEOUT_MS,
  );

  it(
    'a run at one acts with an account that the other one has connected',
    async () => {
      const { platform, place, said, accountAt } = await stage.openPlatform('discord');
      const { to } = platform.addressOf(place);
      const { a, b } = await stage.create({ channels: platform.channels, tools: { profile: 'full' } });
      // The first node takes the account, and the runs of the agent are at the second one.
      expect(await a.start({ node: 'a' }), a.err).toBe('ready');
      await expect.poll(() => accountAt(a), SOON).toMatchObject({ state: 'connected', node: 'a' });
      expect(await b.start({ node: 'b' }), b.err).toBe('ready');
      await expect.poll(() => accountAt(b), SOON).toMatchObject({ state: 'connected', node: 'a' });
      await platform.says(place, 'one');
      await expect.poll(said, SOON).toEqual(['you said one']);
      expect([a.model.requests.length, b.model.requests.length]).toEqual([0, 1]);

      const [question = '', answer = ''] = platform.shown(place).map(({ id }) => id);
      const where = { channel: 'discord', target: to };
      b.model.script([
        toolCall('message', { action: 'react', messageId: question, emoji: '👍', ...where }),
        toolCall('message', { action: 'edit', messageId: answer, text: 'I said it otherwise.', ...where }),
        toolCall('message', { action: 'read', limit: 5, ...where }),
        reply('done'),
      ]);
      await platform.says(place, 'two');
      await expect.poll(said, SOON).toEqual(['I said it otherwise.', 'done']);
      expect(platform.shown(place)[0]?.reactions).toEqual(['👍']);
      expect(b.model.requests.at(-1)?.body).toContain('I said it otherwise.');
      expect(a.model.requests).toHaveLength(0);
    },
    TIMEOUT_MS,
  );

  it(
    'one goes on with what the other one did for all: it tells the ends that a dead node left, and jobs run once',
    async () => {
      // The node a has the duty, because it was there first.
      const program = `
        import { appendFileSync } from 'node:fs';
        export function register(hooks) {
          hooks.register({ hook: 'agent_end', id: 'ends', owner: 'ends', handler: ({ runId, recovered }) =>
            appendFileSync('ends.jsonl', JSON.stringify({ runId, recovered: recovered === true }) + '\\n') });
        }`;
      const { a, b } = await stage.start(
        { agents: FREE_AGENTS },
        { a: { program, failpoints: ['observed:before'] }, b: { program } },
      );
      const endsAt = async (gateway: GatewayProcess) => {
        const text = await readFile(join(gateway.home.home, 'ends.jsonl'), 'utf8').catch(() => '');
        return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
      };
      const page = stage.page(b, 'jobs');
      await page.until(({ isReady }) => isReady, 'to be connected');
      const job = { name: 'soon', schedule: { at: 'in 4s' }, message: 'This is the job.', deliver: 'web:jobs' };
      expect((await b.fetch('/api/cron/jobs', { body: job })).status).toBeLessThan(300);
      const asked = a.fetch('/v1/chat/completions', ask('hi')).catch(() => undefined);
      expect(await a.ended()).toMatchObject({ signal: 'SIGKILL' });
      await asked;
      const [told] = await endsAt(a);
      expect(told).toMatchObject({ recovered: false });
      await expect.poll(() => endsAt(b), SOON).toContainEqual({ runId: told.runId, recovered: true });
      await page.until(({ parts }) => parts.length >= 1, 'for the job', SOON.timeout);
      type Runs = { runs: readonly { kind?: string; status: string }[] };
      await expect.poll(async () => (await b.json<Runs>('/api/runs')).runs.length, SOON).toBe(2);
      expect(page.repeated).toEqual([]);
      expect(page.parts).toHaveLength(1);
      expect((await endsAt(b)).filter(({ runId }) => runId === told.runId)).toHaveLength(1);
    },
    TIMEOUT_MS,
  );
});
