import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readEnvironment } from '../../config/environment.ts';
import { loadConfig } from '../../config/load-config.ts';
import type { Preview } from '../../gateway/services/preview-message.ts';
import { type StartedGateway, startGateway } from '../../gateway/start-gateway.ts';
import { ModelServer, reply, toolCall, toolCalls } from '../../testkit/model-server.ts';
import { CliHome } from '../fixtures/cli-home.ts';

const KEY = 'agent:main:main';
const NOW = new Date('2026-05-08T23:30:00Z');

let home: CliHome;
let model: ModelServer;
let started: StartedGateway | undefined;

beforeEach(async () => {
  model = await ModelServer.start();
  home = await CliHome.create({ 'workspace/AGENTS.md': '# Rules\n\nBe \x1b[31mbrief.\n' });
  await home.write(
    'openclaw.json',
    JSON.stringify({
      agents: { defaults: { model: 'fake/small' } },
      models: { providers: { fake: { baseUrl: model.baseUrl, apiKey: 'a-key', api: 'openai-completions' } } },
      bootstrap: { hooks: { 'time-context': { enabled: true } } },
    }),
  );
});
afterEach(async () => {
  await stop();
  await model.close();
  await home.remove();
});

async function start(): Promise<StartedGateway> {
  const environment = readEnvironment({ HOME: home.home, TZ: 'UTC' }, () => home.home, home.home);
  const loaded = await loadConfig({ environment });
  started = await startGateway({ environment, loaded, port: 0, warn: () => {}, now: () => NOW.getTime() });
  return started;
}

async function stop(): Promise<void> {
  await started?.stop(1_000);
  started = undefined;
}

async function say(text: string): Promise<string> {
  const { services } = started ?? (await start());
  const surface = { channel: 'web', accountId: 'default', peer: { kind: 'direct', id: 'owner' } } as const;
  const { runId } = await services.inbox.receive({ surface, sender: { id: 'owner' }, text, at: 0, sessionKey: KEY });
  await services.runs.wait(runId);
  return runId;
}

const preview = (...flags: string[]) =>
  home.run(['context', 'preview', '--session', KEY, '--message', 'hello', ...flags], { now: NOW });

/** Every file with its time, so that a write cannot hide. */
async function treeOf(dir: string): Promise<readonly string[]> {
  const names = await readdir(dir, { recursive: true });
  const files = await Promise.all(names.map(async (name) => [name, await stat(join(dir, name))] as const));
  return files.map(([name, { mtimeMs, size }]) => `${name} ${mtimeMs} ${size}`).sort();
}

describe('atrium context preview --message', () => {
  it('prints the bytes that are then sent, with the gateway up and down, and writes nothing', async () => {
    model.script([toolCall('read', { path: 'AGENTS.md' }), reply('I have read them.'), reply('Hello.')]);
    await say('read your rules');
    const up = await preview('--body');
    expect(up).toMatchObject({ code: 0, err: '' });
    await stop();
    const before = await treeOf(home.home);
    const down = await preview('--body');
    expect(down).toEqual(up);
    expect(await treeOf(home.home)).toEqual(before);
    await say('hello');
    expect(model.requests.at(-1)?.body).toBe(up.out);
  });

  it('shows the files that would come with a message, with the gateway up and down, and keeps none', async () => {
    await home.write('note.txt', 'The harbour is open.');
    const file = join(home.stateDir, 'note.txt');
    const preview = () =>
      home.run(['context', 'preview', '--session', KEY, '--file', file, '--message', 'Read it', '--body'], {
        now: NOW,
      });
    await start();
    const up = await preview();
    expect(JSON.parse(up.out).messages.at(-1).content).toMatch(
      /^Read it\n\n\[Attachment: note\.txt.*The harbour is open\.$/s,
    );
    expect(await started?.services.store.count('attachments')).toBe(0);
    await stop();
    const before = await treeOf(home.home);
    expect((await preview()).out === up.out).toBe(true);
    expect(await treeOf(home.home)).toEqual(before);
    const missing = await home.run(['context', 'preview', '--file', `${file}.gone`]);
    expect(missing.err).toMatch(/--file .* is not a file to send: there is none/);
  });

  it('looks at a home on which nothing ever ran without leaving anything there', async () => {
    const before = await treeOf(home.home);
    const { code, out } = await preview('--body');
    expect(code).toBe(0);
    expect(JSON.parse(out).messages.at(-1)).toEqual({ role: 'user', content: 'hello' });
    expect(await treeOf(home.home)).toEqual(before);
  });

  it('shows people the request and where each part comes from', async () => {
    const { out } = await preview();
    expect(out).toMatch(new RegExp(`^to +fake/small at ${model.baseUrl}/chat/completions$`, 'm'));
    expect(out).toMatch(/^session +agent:main:main$/m);
    expect(out).toMatch(/^# Rules$/m);
    expect(out).toMatch(/^system 1 +\d+ +atrium: preamble/m);
    expect(out).toMatch(/^read +atrium +[\d,]+ +Read a text file/m);
    expect(out).toMatch(/^message +1 +5 /m);
    expect(out).toMatch(/^messages 1 +5 +message +hello$/m);
    expect(out).not.toContain('\x1b');
    expect(out).not.toContain('a-key');
  });

  it('prints everything as JSON, each character with its author', async () => {
    const { out } = await preview('--json');
    const { spans, wire, report } = JSON.parse(out) as Preview;
    const system = spans.filter(({ where }) => where === 'system').map(({ text }) => text);
    expect(JSON.parse(wire.body).messages[0].content).toBe(system.join(''));
    expect(report.situation.at).toBe(NOW.toISOString());
  });

  it('takes the time and the configuration that it is given', async () => {
    const night = await preview('--body');
    const noon = await preview('--body', '--at', '12:00');
    expect(noon.out).not.toBe(night.out);
    await home.write(
      'other.json',
      JSON.stringify({ agents: { defaults: { model: 'mirror/mirror', workspace: home.path('workspace') } } }),
    );
    const other = await preview('--config', home.path('other.json'));
    expect(other.out).toMatch(/^to +mirror\/mirror at mirror:$/m);
  });

  it('refuses what decides nothing about a request', async () => {
    for (const flags of [
      ['--type', 'ci'],
      ['--tz', 'UTC'],
      ['--workspace', '/tmp'],
    ]) {
      const { code, err } = await preview(...flags);
      expect([code, err]).toEqual([2, expect.stringContaining(String(flags[0]))]);
    }
    const { code, err } = await home.run(['context', 'preview', '--message', '/status']);
    expect(code).toBe(2);
    expect(err).toContain('No model is asked');
  });
});

describe('atrium run show --explain, for words that the model did not read', () => {
  it('says why not, with the gateway up and down', async () => {
    await home.write('workspace/MEMORY.md', 'Ana likes tea.\n');
    await home.write('workspace/TOOLS.md', Array.from({ length: 3_000 }, (_, i) => `- tool ${i + 1}\n`).join(''));
    model.script(() => reply('Hello.'));
    const { services } = await start();
    const surface = { channel: 'web', accountId: 'default', peer: { kind: 'group', id: 'all' } } as const;
    const sessionKey = 'agent:main:web:group:all';
    const { runId } = await services.inbox.receive({ surface, sender: { id: 'a' }, text: 'Hi', at: 0, sessionKey });
    await services.runs.wait(runId);
    for (const state of ['up', 'down']) {
      if (state === 'down') await stop();
      const memory = await home.run(['run', 'show', 'last', '--explain', 'Ana likes tea.']);
      expect(memory.code).toBe(0);
      expect(memory.out).toMatch(/^MEMORY\.md:1 +private-surface +/m);
      const cut = await home.run(['run', 'show', runId, '--explain', '- tool 1500\n']);
      expect(cut.out).toMatch(/^TOOLS\.md:1500 +over-budget +.*bootstrapMaxChars/m);
      expect(cut.out).not.toContain('changed');
      expect((await home.run(['run', 'show', runId, '--explain', 'Nobody said this.'])).code).toBe(1);
    }
  });

  it('says which of the files have changed since the run, whether the words are found in them or not', async () => {
    await home.write('workspace/MEMORY.md', 'Ana likes tea.\n');
    await home.write('workspace/TOOLS.md', Array.from({ length: 3_000 }, (_, i) => `- tool ${i + 1}\n`).join(''));
    model.script(() => reply('Hello.'));
    const { services } = await start();
    const surface = { channel: 'web', accountId: 'default', peer: { kind: 'group', id: 'all' } } as const;
    const sessionKey = 'agent:main:web:group:all';
    const { runId } = await services.inbox.receive({ surface, sender: { id: 'a' }, text: 'Hi', at: 0, sessionKey });
    await services.runs.wait(runId);
    await home.write('workspace/MEMORY.md', 'Ana likes coffee.\n');
    await rm(join(home.home, '.openclaw/workspace/TOOLS.md'));
    for (const [words, code] of [
      ['Ana likes coffee.', 0],
      ['Ana likes tea.', 1],
    ] as const) {
      const explained = await home.run(['run', 'show', runId, '--explain', words]);
      expect(explained.code).toBe(code);
      expect(explained.out).toContain(
        'These files were changed or removed since the run, and what they said then is not kept: MEMORY.md, TOOLS.md.',
      );
      const { changed } = JSON.parse((await home.run(['run', 'show', runId, '--explain', words, '--json'])).out);
      expect(changed).toEqual([expect.stringMatching(/MEMORY\.md$/), expect.stringMatching(/TOOLS\.md$/)]);
    }
  });
});

describe('atrium context diff --vs-run', () => {
  it('says what changed since a run, with the gateway up and down', async () => {
    model.script(() => reply('Hello.'));
    await start();
    const runId = await say('hello');
    const same = await home.run(['context', 'diff', '--session', KEY, '--vs-run', runId], { now: NOW });
    expect(same.out).toContain('The two prompts are the same, byte for byte.');
    await home.write('workspace/AGENTS.md', '# Rules\n\nBe long.\nBe kind.\n');
    for (const state of ['up', 'down']) {
      if (state === 'down') await stop();
      const { code, out } = await home.run(['context', 'diff', '--session', KEY, '--vs-run', 'last'], { now: NOW });
      expect(code).toBe(0);
      expect(out).toMatch(/^ {2}- AGENTS\.md:4 {2}Be kind\.$/m);
      expect(out).toMatch(/^ {2}\+ AGENTS\.md:3 {2}Be {2}\[31mbrief\.$/m);
    }
  });
});

describe('atrium run show, of a real run', () => {
  it('prints every request byte for byte and says who wrote what, before and after a restart', async () => {
    model.script([
      toolCall('read', { path: 'AGENTS.md' }, 'Let me look.'),
      toolCalls([{ name: 'session_status' }, { name: 'read', params: { path: 'gone.md' } }]),
      reply('Done.'),
    ]);
    const runId = await say('look at your rules');
    const sent = model.requests.map(({ body }) => body);
    expect(sent).toHaveLength(3);
    const check = async () => {
      for (const [index, body] of sent.entries()) {
        const shown = await home.run(['run', 'show', runId, '--request', '--call', String(index + 1)]);
        expect(shown.out).toBe(body);
      }
      expect((await home.run(['run', 'show', runId, '--request'])).out).toBe(sent[2]);

      const { spans } = (await home.runJson(['run', 'show', runId])) as Pick<Preview, 'spans'>;
      expect(spans.filter(({ where }) => where === 'messages').map(({ origin }) => origin)).toEqual([
        'message',
        ...['model', 'model', 'model'],
        'tool read',
        ...['model', 'model', 'model', 'model'],
        'tool session_status',
        'tool read',
      ]);
      const words = await home.run(['run', 'show', runId, '--explain', 'look at your rules']);
      expect(words.out).toMatch(/^"look at your rules" is in the request, once\.\n/);
      expect(words.out).toMatch(/^messages 1 +0-18 +message +look at your rules$/m);
      const rules = await home.run(['run', 'show', runId, '--explain', '# Rules', '--call', '1']);
      expect(rules.out).toMatch(/^system 1 +\d+-\d+ +\S*workspace\/AGENTS\.md, lines 1-3 +# Rules/m);
      expect(await home.run(['run', 'show', runId, '--explain', 'nobody said this'])).toMatchObject({
        code: 1,
        out: '"nobody said this" is not in the request.\n',
      });
    };
    await check();
    await stop();
    await check();
    await start();
    await check();
  });
});
