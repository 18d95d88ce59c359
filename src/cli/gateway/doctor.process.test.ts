import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { HookTrial } from '../../gateway/doctor/try-hooks.ts';
import { pluginFiles } from '../../testkit/plugin-files.ts';
import { CliHome } from '../fixtures/cli-home.ts';
import { GREETING, GreeterHooks } from '../fixtures/greeter.ts';
import { RunningGateway } from '../fixtures/running-gateway.ts';

async function homeWith(files: Readonly<Record<string, string>> = {}): Promise<CliHome> {
  const home = await CliHome.create(files);
  onTestFinished(() => home.remove());
  return home;
}

describe('atrium doctor', () => {
  it('has nothing to say against a home that is in order', async () => {
    const home = await homeWith({ 'openclaw.json': '{}' });
    await home.run(['agents', 'init']);
    const { out, code } = await home.run(['doctor']);
    expect(code).toBe(0);
    expect(out).toMatch(/^configuration +ok +.*openclaw\.json$/m);
    expect(out).toMatch(/^agents +ok +main$/m);
    expect(out).toMatch(/^plugins +ok +none$/m);
    expect(out).toMatch(/^hooks +ok +no gateway is running; "atrium doctor --hooks" tries them all$/m);
  });

  it('has nothing against a home that no gateway was started on yet', async () => {
    const home = await homeWith();
    const { out, code } = await home.run(['doctor']);
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/note: main: There is no workspace at .* "atrium start" makes it\./),
    ]);
    await home.write('openclaw.json', '{}');
    await home.write('workspace', 'a file');
    expect((await home.run(['doctor'])).code).toBe(1);
  });

  it('names what is wrong, and exits with 1', async () => {
    const home = await homeWith({
      'openclaw.json': '{ bootstrp: {}, plugins: { entries: { strict: { config: { key: "x" } } } } }',
      'extensions/strict/openclaw.plugin.json': JSON.stringify({
        id: 'strict',
        configSchema: { properties: { key: { type: 'integer' } } },
      }),
      'extensions/strict/index.ts': '',
      'hooks/broken/HOOK.md': '---\nname: broken\nmetadata: {"openclaw":{"events":["command:nwe"]}}\n---\n',
      'hooks/broken/handler.ts': 'export default () => {}',
    });
    const { out, code } = await home.run(['doctor']);
    expect(code).toBe(1);
    expect(out).toMatch(/^ {2}note: .*openclaw\.\w+:\d+: .*bootstrp/m);
    expect(out).toMatch(/^plugins +1 wrong +0 of 1 would be loaded$/m);
    expect(out).toMatch(/^ {2}wrong: strict is failed\. plugins\.entries\.strict\.config\.key must be integer\.$/m);
    expect(out).toMatch(/^ {2}wrong: The hook "broken" listens to "command:nwe".*Did you mean "command:new"\?$/m);
    expect(await home.runJson(['doctor'])).toMatchObject({
      ok: false,
      sections: expect.arrayContaining([expect.objectContaining({ name: 'configuration' })]),
    });
  });

  it('says that a configuration cannot be used, and looks no further', async () => {
    const home = await homeWith({ 'openclaw.json': '{ agents: ' });
    const { out, code } = await home.run(['doctor']);
    expect(code).toBe(1);
    expect(out).toMatch(/^configuration +1 wrong +cannot be used$/m);
    expect(out).not.toContain('agents ');
  });

  it('asks a running gateway about its handlers', async () => {
    const running = await RunningGateway.create();
    onTestFinished(() => running.remove());
    const hooks = new GreeterHooks();
    hooks.handlers = [GREETING, { ...GREETING, id: 'b', state: 'blocked', reason: 'It may not.' }];
    await running.start(() => ({ hooks }));
    expect((await running.home.run(['doctor'])).out).toMatch(
      /^hooks +ok +1 of 2 handlers are called\n {2}note: message_received of greeter is blocked\. It may not\.$/m,
    );
  });

  it('says once that a change waits for the next start', async () => {
    const running = await RunningGateway.create();
    onTestFinished(() => running.remove());
    const state = { files: [], waiting: ['gateway.port'], problem: null };
    await running.start(() => ({ configuration: { state: async () => state } }));
    const { err } = await running.home.run(['doctor']);
    expect(err.match(/gateway\.port/g)).toHaveLength(1);
  });
});

const EAGER = `
  api.on('message_received', () => {});
  api.on('before_prompt_build', () => ({ prependContext: 'Be kind.' }));
  api.on('before_tool_call', () => {});
  api.on('tool_result_persist', () => {});
  api.on('session_start', () => {});
  api.on('session_end', () => {});
  api.on('before_reset', () => {});
  api.on('heartbeat_prompt_contribution', () => ({}));
  api.on('cron_changed', () => {});
  api.on('before_install', () => {});
  api.on('message_sent', () => {});
  api.on('gateway_start', () => {});
  api.on('gateway_stop', () => {});
  api.on('agent_end', () => {});
  api.on('subagent_spawned', () => {});
  api.on('llm_output', () => { throw new Error('no ink'); });
  api.registerService({ id: 'net', start: () => { throw new Error('a service was started'); } });
`;

describe('atrium doctor --hooks', () => {
  it.each(['inline', 'worker'])('says of every handler whether it fired, and why not (%s)', async (isolation) => {
    const home = await homeWith({
      ...pluginFiles('eager', EAGER),
      ...pluginFiles('shy', "api.on('agent_end', () => {}); api.on('message_sending', () => {});"),
      ...pluginFiles('gone', "throw new Error('it will not');"),
      'openclaw.json': JSON.stringify({
        plugins: {
          entries: {
            eager: { isolation, hooks: { allowConversationAccess: true } },
            shy: { isolation },
            gone: { isolation },
          },
        },
      }),
      'hooks/diary/HOOK.md':
        '---\nname: diary\nmetadata: {"openclaw":{"events":["command:new","gateway:pre-restart","agent:bootstrap"]}}\n---\n',
      'hooks/diary/handler.ts': 'export default () => {}',
      'workspace/AGENTS.md': '# Rules\n',
    });
    const before = await snapshot(home.home);
    const trial = (await home.runJson(['doctor', '--hooks'])) as HookTrial & { ok: boolean };
    expect(await snapshot(home.home)).toEqual(before);
    const verdicts = (owner: string) =>
      Object.fromEntries(
        trial.handlers.filter((each) => each.owner === owner).map(({ hook, verdict }) => [hook, verdict]),
      );
    expect(verdicts('eager')).toEqual({
      message_received: 'fired',
      before_prompt_build: 'fired',
      before_tool_call: 'fired',
      tool_result_persist: 'fired',
      session_start: 'fired',
      session_end: 'fired',
      before_reset: 'fired',
      heartbeat_prompt_contribution: 'fired',
      cron_changed: 'fired',
      before_install: 'fired',
      message_sent: 'fired',
      gateway_start: 'fired',
      gateway_stop: 'fired',
      agent_end: 'fired',
      subagent_spawned: 'fired',
      llm_output: 'failed',
    });
    const reasonOf = (owner: string, hook: string) =>
      trial.handlers.find((each) => each.owner === owner && each.hook === hook)?.reason;
    expect(reasonOf('eager', 'llm_output')).toMatch(/calls failed, the last one: no ink$/);
    expect(verdicts('shy')).toEqual({ agent_end: 'silent', message_sending: 'fired' });
    expect(reasonOf('shy', 'agent_end')).toContain('plugins.entries.shy.hooks.allowConversationAccess');
    expect(verdicts('diary')).toEqual({
      'command:new': 'fired',
      'gateway:pre-restart': 'silent',
      'agent:bootstrap': 'fired',
    });
    expect(reasonOf('diary', 'gateway:pre-restart')).toContain('It fires when the gateway stops');
    expect(trial.absent).toEqual([{ owner: 'gone', state: 'failed', reason: expect.stringContaining('it will not') }]);
    expect(trial.notes.join('\n')).not.toContain('a service was started');
    expect(trial.ok).toBe(false);
  });

  it('is content when everything fires, and readable', async () => {
    const home = await homeWith({
      ...pluginFiles('eager', "api.on('message_received', () => {}); api.on('before_agent_run', () => {});"),
      'openclaw.json': JSON.stringify({
        plugins: { entries: { eager: { isolation: 'inline', hooks: { allowConversationAccess: true } } } },
      }),
    });
    const { out, code } = await home.run(['doctor', '--hooks'], { columns: 100 });
    expect(out).toMatch(/^eager +message_received +\d+ +fired$/m);
    expect(out).toMatch(/^eager +before_agent_run +\d+ +fired$/m);
    expect(out).toContain('Every handler that should fire does.');
    expect(code).toBe(0);
    expect(out.split('\n').every((line) => line.length <= 160)).toBe(true);
  });

  it('is not content with a handler that will never be called', async () => {
    const home = await homeWith({
      'hooks/hopeful/HOOK.md': '---\nname: hopeful\nmetadata: {"openclaw":{"events":["message:imagined"]}}\n---\n',
      'hooks/hopeful/handler.ts': 'export default () => {}',
    });
    const { out, code } = await home.run(['doctor', '--hooks']);
    expect(code).toBe(1);
    expect(out).toContain('The hook "hopeful" listens to "message:imagined", which nothing fires.');
  });

  it('goes on when a handler blocks every run, and names who', async () => {
    const home = await homeWith({
      ...pluginFiles(
        'wall',
        "api.on('before_agent_run', () => ({ outcome: 'block', reason: 'no' })); api.on('llm_input', () => {});",
      ),
      'openclaw.json': JSON.stringify({
        plugins: { entries: { wall: { isolation: 'inline', hooks: { allowConversationAccess: true } } } },
      }),
    });
    const { out, code } = await home.run(['doctor', '--hooks']);
    expect(code).toBe(1);
    expect(out).toMatch(/^wall +before_agent_run +\d+ +fired$/m);
    expect(out).toMatch(/^wall +llm_input +0 +did not fire \(armed\)$/m);
    expect(out).toMatch(/ended early\. Blocked by wall\./);
  });
});

/** Every file of a home with what is in it. */
async function snapshot(dir: string): Promise<Readonly<Record<string, string>>> {
  const names = (await readdir(dir, { recursive: true })).sort();
  const files: Record<string, string> = {};
  for (const name of names) {
    const path = join(dir, name);
    files[name] = (await stat(path)).isFile() ? await readFile(path, 'utf8') : '(folder)';
  }
  return files;
}
