// The commands of `atrium context` speak of the whole request, with a gateway and without one: what plugins add is
// loaded in a worker for it, or named where it is missing.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readEnvironment } from '../../config/environment.ts';
import { loadConfig } from '../../config/load-config.ts';
import { type StartedGateway, startGateway } from '../../gateway/start-gateway.ts';
import { ModelServer, reply } from '../../testkit/model-server.ts';
import { pluginFiles } from '../../testkit/plugin-files.ts';
import { CliHome } from '../fixtures/cli-home.ts';

const PLUGIN = `
let asked = 0;
api.on('before_prompt_build', () => ({ appendSystemContext: 'Be kind.', prependContext: 'The sun shines.' }), { pure: true });
if (api.pluginConfig.counts) api.on('before_prompt_build', () => ({ appendContext: 'Asked ' + ++asked }));
api.registerTool({
  name: 'dice',
  description: 'Throws a number of dice.',
  parameters: { type: 'object', properties: { sides: { type: 'number' } } },
  execute: async () => ({ content: [] }),
});
`;

let home: CliHome;
let model: ModelServer;
let started: StartedGateway | undefined;
beforeEach(async () => {
  model = await ModelServer.start();
  home = await CliHome.create({ ...pluginFiles('kind', PLUGIN), 'workspace/AGENTS.md': '# Rules\n\nBe brief.\n' });
  await configure({});
});
afterEach(async () => {
  await stop();
  await model.close();
  await home.remove();
});

function configure(config: object): Promise<unknown> {
  return home.write(
    'openclaw.json',
    JSON.stringify({
      agents: { defaults: { model: 'fake/small', contextTokens: 50_000 } },
      models: { providers: { fake: { baseUrl: model.baseUrl, apiKey: 'a-key', api: 'openai-completions' } } },
      plugins: { entries: { kind: { config } } },
    }),
  );
}

async function start(): Promise<StartedGateway> {
  const environment = readEnvironment({ HOME: home.home, TZ: 'UTC' }, () => home.home, home.home);
  started = await startGateway({ environment, loaded: await loadConfig({ environment }), port: 0, warn: () => {} });
  return started;
}

async function stop(): Promise<void> {
  await started?.stop(1_000);
  started = undefined;
}

/** Sends a message as `atrium agent` does. */
async function say(text: string): Promise<void> {
  model.script(() => reply('Yes, of course.'));
  expect((await home.run(['agent', '--message', text])).code).toBe(0);
}

const context = (...argv: string[]) => home.run(['context', ...argv]);

describe('without a gateway', () => {
  it('a preview is what is sent then, with what plugins add, in the session that was used last', async () => {
    await say('good morning');
    const previewed = await context('preview', '--message', 'and now?', '--body');
    expect(previewed).toMatchObject({ code: 0, err: '' });
    expect(previewed.out).toContain('Be kind.');
    expect(previewed.out).toContain('good morning');
    await say('and now?');
    expect(previewed.out).toBe(model.requests.at(-1)?.body);
  });

  it('the report adds up the whole request, by part and by author', async () => {
    await say('good morning');
    const { out, code } = await context('report', '--message', 'and now?');
    expect(code).toBe(0);
    for (const part of ['system', 'tools', 'history', 'message', 'whole request'])
      expect(out).toMatch(new RegExp(`^${part} .* %$`, 'm'));
    expect(out).toMatch(/^tool dice of kind +tools/m);
    expect(out).toMatch(/^before_prompt_build of kind +system/m);
    expect(out).toMatch(/tokens of the window of 50,000 are free\. Compaction begins at/);
    const { request } = (await home.runJson(['context', 'report', '--message', 'and now?'])) as {
      request: { tokens: number; parts: { tokens: number }[] };
    };
    expect(request.parts.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(request.tokens);
  });

  it('explain finds words of plugins, tools, history and the message', async () => {
    await say('good morning');
    const explain = (text: string) => context('explain', text, '--message', 'and now?');
    expect((await explain('Be kind.')).out).toMatch(
      /is in the request, once\.[\s\S]*system 2 .*before_prompt_build of kind/,
    );
    expect((await explain('number of dice')).out).toMatch(/tools \d+ .*tool dice of kind/);
    expect((await explain('Yes, of course.')).out).toMatch(/messages 2 .*model/);
    expect((await explain('and now?')).out).toMatch(/messages 3 .*message/);
    expect((await explain('Be brief.')).out).toContain('is in the prompt, once');
    expect((await explain('Be unkind.')).code).toBe(1);
  });

  it('what may have effects is named, is an error with --strict, and is called with --run-hooks', async () => {
    await configure({ counts: true });
    for (const argv of [['preview'], ['report'], ['explain', 'Be brief.'], ['check', '--update']]) {
      const { code, err } = await context(...argv);
      expect([code, err]).toEqual([0, expect.stringContaining('not asked, because that may have effects: kind#2.')]);
      expect((await context(...argv, '--strict')).code).toBe(1);
    }
    const called = await context('preview', '--message', 'hello', '--body', '--run-hooks', '--strict');
    expect(called.code).toBe(0);
    expect(called.out).toContain('Asked 1');
  });

  it('a plugin that does not load is named', async () => {
    await home.write('extensions/kind/index.js', 'throw new Error("no luck");');
    const { err } = await context('preview');
    expect(err).toContain('The plugin "kind" could not be loaded');
    expect((await context('preview', '--strict')).code).toBe(1);
  });
});

describe('the lock', () => {
  it('catches a changed plugin prompt, a changed tool and a tool that is new', async () => {
    expect((await context('check', '--update')).code).toBe(0);
    expect(await context('check', '--strict')).toMatchObject({ code: 0, err: '' });
    await home.write(
      'extensions/kind/index.js',
      `export default { id: 'kind', register(api) {
${PLUGIN.replace('Be kind.', 'Be cruel.').replace('a number of dice', 'dice').replace("type: 'number'", "type: 'string'")}
  api.registerTool({ name: 'coin', description: 'Flips.', parameters: { type: 'object', properties: {} }, execute: async () => ({ content: [] }) });
} };`,
    );
    const { code, out } = await context('check', 'interactive');
    expect(code).toBe(1);
    expect(out).toMatch(/^ {2}System: before_prompt_build of kind: changed, .* by before_prompt_build of kind$/m);
    expect(out).toMatch(/^ {2}\+ before_prompt_build of kind {2}Be cruel\.$/m);
    expect(out).toMatch(/^ {2}Tool: dice: changed, .* by tool dice of kind$/m);
    expect(out).toMatch(/^ {2}\+ tool dice of kind .*"type": "string"$/m);
    expect(out).toMatch(/^ {2}Tool: coin: added/m);
    await start();
    expect((await context('check')).code).toBe(1);
    expect((await context('check', '--update')).code).toBe(0);
    await stop();
    expect((await context('check', '--strict')).code).toBe(0);
  });

  it('of an older version is compared as far as it goes, and without a request only the prompt is', async () => {
    await context('check', '--update', 'night');
    const index = 'workspace/context.lock/night.sections.json';
    const { sections } = JSON.parse(await home.read(index)) as { sections: { title: string }[] };
    expect(sections.map(({ title }) => title)).toContain('Tool: dice');
    await home.write('openclaw.json', JSON.stringify({ agents: { defaults: { model: 'nobody/none' } } }));
    const without = await context('check', 'night');
    expect([without.code, without.err]).toEqual([0, expect.stringContaining('there would be no request to a model')]);
    expect((await context('check', 'night', '--strict')).code).toBe(1);
    await context('check', '--update', 'night');
    expect(JSON.parse(await home.read(index))).toMatchObject({ version: 1 });
    await configure({});
    const { code, out } = await context('check', 'night');
    expect([code, out]).toEqual([0, expect.stringContaining('--update adds them')]);
  });
});

describe('a difference', () => {
  it('is also shown in what plugins add and in tools', async () => {
    const { out } = await context('diff', '--vs-session', 'agent:main:subagent:x');
    expect(out).toMatch(/^Tool: \w+ +removed/m);
    await say('good morning');
    await home.write(
      'extensions/kind/index.js',
      `export default { id: 'kind', register(api) {\n${PLUGIN.replace('Be kind.', 'Be cruel.')}\n} };`,
    );
    const since = await context('diff', '--vs-run', 'last', '--exit-code');
    expect(since.code).toBe(1);
    expect(since.out).toMatch(/^ {2}- before_prompt_build of kind {2}Be cruel\.$/m);
    expect(since.out).toMatch(/^ {2}\+ before_prompt_build of kind {2}Be kind\.$/m);
  });
});

describe('with a gateway', () => {
  it('the answers are those that the commands give without one', async () => {
    await say('good morning');
    const ask = async () => [
      await context('preview', '--message', 'and now?', '--body'),
      await context('preview'),
      await context('report', '--at', '2026-05-06T10:00'),
      await context('explain', 'Be kind.'),
      await context('explain', 'AGENTS.md:3'),
    ];
    // How long each handler took is another time each time.
    const alike = (answers: Awaited<ReturnType<typeof ask>>) =>
      answers.map(({ out, err, code }) => [out.replace(/ +\d+\.\d(?= {2}done)/g, ''), err, code]);
    const down = await ask();
    await start();
    expect(alike(await ask())).toEqual(alike(down));
  });
});
