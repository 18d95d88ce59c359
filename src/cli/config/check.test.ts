import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CliHome } from '../fixtures/cli-home.ts';

let home: CliHome;
beforeEach(async () => {
  home = await CliHome.create();
});
afterEach(() => home.remove());

describe('atrium config check', () => {
  it('needs no configuration', async () => {
    const { code, out } = await home.run(['config', 'check']);
    expect(code).toBe(0);
    expect(out).toContain(`none is needed. To write one: ${home.path('openclaw.json')}`);
  });

  it('names the files, how they were merged, and what nobody knows', async () => {
    await home.write(
      'openclaw.json',
      '{\n  agents: { defaults: { userTimezone: "UTC" } },\n  bootstrap: { hoks: {} },\n}',
    );
    await home.write('openclaw.yaml', 'agents:\n  defaults:\n    userTimezone: Europe/Lisbon\n');
    const { code, out, err } = await home.run(['config', 'check']);
    expect([code, err]).toEqual([0, '']);
    expect(out).toBe(`${home.path('openclaw.json')} (JSON5)
${home.path('openclaw.yaml')} (YAML)
${home.path('openclaw.yaml')} is merged over ${home.path('openclaw.json')}; it wins at agents.defaults.userTimezone.
warning: ${home.path('openclaw.json')}:3: bootstrap.hoks is not a setting that Atrium knows; it is kept and has no effect. Did you mean "hooks"?
Usable, with 1 warning.
`);
    expect(await home.runJson(['config', 'check'])).toMatchObject({
      ok: true,
      files: [{ format: 'json5' }, { format: 'yaml' }],
      merged: { overridden: ['agents.defaults.userTimezone'] },
      warnings: [{ line: 3, path: 'bootstrap.hoks', suggestion: 'hooks' }],
    });
  });

  it('names tools that do not exist and rules that allow nothing', async () => {
    await home.write('openclaw.json', '{ tools: { deny: ["exce"], profile: "codding", exec: { allow: ["ls; rm"] } } }');
    const { code, out } = await home.run(['config', 'check']);
    expect(code).toBe(0);
    expect(out).toMatch(/^warning: .*"exce".*exec/m);
    expect(out).toMatch(/^warning: .*"codding"/m);
    expect(out).toMatch(/^warning: The rule "ls; rm" of tools\.exec\.allow allows nothing/m);
    expect(out).toContain('Usable, with 3 warnings.');
  });

  it('exits 2 on a value that cannot be used, with file, line and what is expected', async () => {
    await home.write(
      'openclaw.yaml',
      'bootstrap:\n  rules:\n    - id: a\n      file: AGENTS.md\n      text: x\n      when: { hour: 22-6 }\n',
    );
    const { code, out, err } = await home.run(['config', 'check']);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(
      /openclaw\.yaml:6: bootstrap\.rules\[0\]\.when\.hour is not a condition; .*did you mean "hours"/,
    );
    const json = await home.run(['config', 'check', '--json']);
    expect(json.code).toBe(2);
    expect(JSON.parse(json.out)).toMatchObject({
      ok: false,
      error: { code: 'ATRIUM_CONFIG_INVALID', issues: [{ line: 6, path: 'bootstrap.rules[0].when.hour' }] },
    });
  });

  it('exits 2 on text that cannot be read, and on a file that is not there', async () => {
    await home.write('openclaw.yaml', 'a: [');
    expect(await home.run(['config', 'check'])).toMatchObject({
      code: 2,
      err: expect.stringMatching(/openclaw\.yaml:\d+:\d+/),
    });
    expect(await home.run(['config', 'check', '--config', 'none.json'])).toMatchObject({ code: 2 });
  });
});

describe('atrium config schema', () => {
  it('prints JSON Schema that knows the settings', async () => {
    const { code, out } = await home.run(['config', 'schema']);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ type: 'object', properties: { bootstrap: { properties: { rules: {} } } } });
  });
});

describe('settings of OpenClaw that are not used', () => {
  it('are one block, the most dangerous first, with what is refused because of them', async () => {
    const config = {
      meta: { lastTouchedVersion: '2026.5.19' },
      browser: { enabled: true },
      channels: { whatsapp: { enabled: true }, signal: { enabled: true }, line: { enabled: false } },
      agents: { defaults: { sandbox: { mode: 'all' }, heartbeat: { target: 'none' }, timeoutSeconds: 60 } },
      session: { reset: { mode: 'daily' } },
      gateway: { port: 18789 },
    };
    await home.write('openclaw.json', JSON.stringify(config));
    const { code, out } = await home.run(['config', 'check']);
    expect(code).toBe(0);
    expect(out.slice(out.indexOf('found and not used'))).toBe(`found and not used, or used differently:
  danger    agents.defaults.sandbox.mode: Atrium has no sandbox: commands run on this machine, as the user of the gateway. Such tools are refused until the setting is taken back, or named in acceptUnused.
  missing   browser: Atrium has no browser.
  missing   channels.whatsapp, channels.signal: Atrium has no such channel, so nothing is received or sent there.
  differs   session.dmScope: It is not set, so each person has a session of their own; OpenClaw keeps all direct messages in the main session.
  differs   tools.exec.security: It is not set, so a command that no rule allows is asked for; OpenClaw runs it without a question.
  differs   skills.allowBundled: The skills that come with OpenClaw are not here; "atrium skills install" brings those that you use.
  harmless  meta
Usable, with 4 settings that are not used and 3 that are used differently.
`);
    await home.write(
      'openclaw.yaml',
      'acceptUnused: [agents.defaults.sandbox, browser, channels, session.dmScope, skills, tools]',
    );
    const { out: accepted } = await home.run(['config', 'check']);
    expect(accepted).toContain(
      '  accepted  agents.defaults.sandbox.mode, browser, channels.whatsapp, channels.signal, session.dmScope, tools.exec.security, skills.allowBundled\n',
    );
    expect(accepted).toContain('Nothing to complain about.');
  });

  it('are said to keep a gateway from starting, and doctor calls that wrong', async () => {
    await home.write('openclaw.json', '{ gateway: { auth: { mode: "password" } } }');
    const check = await home.run(['config', 'check']);
    expect(check.out).toContain('A gateway does not start with it.');
    expect(check.code).toBe(2);
    const { code, out } = await home.run(['doctor']);
    expect(code).toBe(1);
    expect(out).toMatch(/wrong: gateway\.auth\.mode: Callers are known by a token/);
    expect(await home.runJson(['config', 'check'])).toMatchObject({
      ok: false,
      unused: [{ path: 'gateway.auth.mode', danger: 'protects', refuses: 'start', isAccepted: false }],
    });
  });

  it('names the params that a model does not take, as doctor does', async () => {
    await home.write('openclaw.json', PARAMS);
    const { code, out } = await home.run(['config', 'check']);
    expect(code).toBe(0);
    expect(out).toMatch(/warning: params\.temperature 0\.4 is left out for anthropic\/claude-opus-4-7: .+\./);
    expect(out).toMatch(/warning: params\.topP 0\.9 is left out for anthropic\/claude-sonnet-4-5: .+\./);
    expect(out).not.toContain('params.temperature 0.5');
    expect((await home.run(['doctor'])).out).toContain(
      'params.temperature 0.4 is left out for anthropic/claude-opus-4-7',
    );
  });
});

const PARAMS = JSON.stringify({
  models: { providers: { anthropic: { apiKey: 'sk-ant-0123456789' } } },
  agents: {
    defaults: {
      models: {
        'anthropic/claude-opus-4-7': { params: { temperature: 0.4 } },
        'anthropic/claude-sonnet-4-5': { params: { temperature: 0.5, topP: 0.9 } },
      },
    },
  },
});
