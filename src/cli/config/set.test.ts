import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CliHome } from '../fixtures/cli-home.ts';
import { RunningGateway } from '../fixtures/running-gateway.ts';

let home: CliHome;
beforeEach(async () => {
  home = await CliHome.create();
});
afterEach(() => home.remove());

const text = (name = 'openclaw.json') => readFile(home.path(name), 'utf8');

describe('atrium config set', () => {
  it('writes the first setting of a new home, into a file that only its owner can read', async () => {
    const { code, out } = await home.run(['config', 'set', 'agents.defaults.model', 'anthropic/claude-sonnet-4-5']);
    expect([code, out]).toEqual([
      0,
      `Wrote agents.defaults.model = "anthropic/claude-sonnet-4-5" to ${home.path('openclaw.json')}.\n`,
    ]);
    expect(JSON.parse(await text())).toEqual({ agents: { defaults: { model: 'anthropic/claude-sonnet-4-5' } } });
  });

  it('keeps comments, and writes where the setting takes effect', async () => {
    await home.write('openclaw.json', '{ agents: { defaults: { model: "a/b" } } }');
    await home.write('openclaw.yaml', '# ours\nagents:\n  defaults:\n    model: c/d # the strong one\n');
    expect((await home.run(['config', 'set', 'agents.defaults.model', 'e/f'])).code).toBe(0);
    expect(await text('openclaw.yaml')).toBe('# ours\nagents:\n  defaults:\n    model: e/f # the strong one\n');
    expect(await text()).toBe('{ agents: { defaults: { model: "a/b" } } }');
  });

  it('reads JSON5 as what it is, anything else as a text, and everything as a text when told to', async () => {
    await home.run(['config', 'set', 'tools.deny', "['exec',]"]);
    await home.run(['config', 'set', 'agents.defaults.userTimezone', 'Europe/Lisbon']);
    await home.run(['config', 'set', 'gateway.auth.token', '1234', '--string']);
    expect(JSON.parse(await text())).toEqual({
      tools: { deny: ['exec'] },
      agents: { defaults: { userTimezone: 'Europe/Lisbon' } },
      gateway: { auth: { token: '1234' } },
    });
  });

  it('writes nothing that no gateway could use, and says what would be wrong', async () => {
    await home.write('openclaw.json', '{ tools: { deny: [] } }');
    const refused = await home.run(['config', 'set', 'tools.deny', '5']);
    expect([refused.code, refused.err]).toEqual([
      2,
      'atrium: tools.deny would be the number 5; expected a list of texts.\nNothing was written.\n',
    ]);
    expect(await text()).toBe('{ tools: { deny: [] } }');
    const forced = await home.run(['config', 'set', 'tools.deny', '5', '--force']);
    expect(forced.out).toContain('No gateway starts with this configuration; "atrium config check" says why.');
    expect(await text()).toContain('deny: 5');
  });

  it('doubts a model that no list has, and says what it replaced', async () => {
    await home.write(
      'openclaw.json',
      '{ agents: { defaults: { model: { primary: "openai/gpt-5.4", fallbacks: ["openai/gpt-4.1"] } } } }',
    );
    const unknown = await home.run(['config', 'set', 'agents.defaults.model', 'nosuch/x']);
    expect(unknown.code).toBe(0);
    expect(unknown.out).toContain('It replaced {"primary":"openai/gpt-5.4","fallbacks":["openai/gpt-4.1"]}.');
    expect(unknown.out).toContain('warning: There is no model provider "nosuch".');
    const near = await home.run([
      'config',
      'set',
      'agents.defaults.model',
      '{ primary: "openai/gpt-5.4", fallbacks: ["gpt-4.1"] }',
    ]);
    expect(near.out).toContain('Did you mean openai/gpt-4.1?');
    expect(near.out).not.toContain('It replaced');
  });

  it('refuses a protocol that nobody speaks, which config check and doctor name where it stands already', async () => {
    const refused = await home.run(['config', 'set', 'models.providers.x.api', 'ollama']);
    expect([refused.code, refused.err]).toEqual([
      2,
      expect.stringMatching(
        /models\.providers\.x\.api would be the text "ollama"; expected one of .*\nNothing was written\./,
      ),
    ]);
    await home.write('openclaw.json', '{ models: { providers: { x: { api: "ollama" } } } }');
    const sentence = /models\.providers\.x\.api is the text "ollama", so models of this provider cannot be used/;
    expect((await home.run(['config', 'check'])).out).toMatch(sentence);
    expect((await home.run(['doctor'])).out).toMatch(sentence);
  });

  it('changes the token of a running gateway from its next start on', async () => {
    const running = await RunningGateway.create();
    try {
      await running.start();
      const set = () => running.home.run(['config', 'set', 'gateway.auth.token', 'another-token-123']);
      const later = 'The running gateway takes it up at its next start: gateway.auth.';
      expect(await set()).toMatchObject({ code: 0, out: expect.stringContaining(later) });
      const other = await running.home.run(['config', 'set', 'tools.deny', '[]']);
      expect([other.code, other.out]).toEqual([0, expect.stringContaining('The running gateway has taken it up.')]);
      const status = await running.home.run(['status']);
      expect([status.code, status.out]).toEqual([0, expect.stringContaining('gateway.auth.token: ')]);
      await running.stop();
      await running.start();
      expect((await running.home.run(['status'])).code).toBe(0);
      const taken = await running.home.run(['models', 'set', 'openai/gpt-5.4']);
      expect(taken.out).toMatch(/The running gateway (?:has taken it up|takes it up at its next start)/);
    } finally {
      await running.remove();
    }
  });

  it('has written the setting also when the running gateway refuses to say what it makes of it', async () => {
    const running = await RunningGateway.create();
    try {
      // A gateway of an older version, so that this command knows only the token of the file.
      await running.start(undefined, { token: undefined });
      await running.home.write('openclaw.json', '{ gateway: { auth: { token: "another-token-123" } } }');
      let last: { readonly code: number; readonly out: string } | undefined;
      for (let times = 1; times <= 12; times++) {
        last = await running.home.run(['config', 'set', 'logging.maxFileBytes', `${times}000000`]);
        expect([times, last.code]).toEqual([times, 0]);
      }
      expect(last?.out).toMatch(
        /^Wrote logging\.maxFileBytes = 12000000 to .*\nIt is written, but the running gateway could not be asked .*Too many wrong tokens/,
      );
      expect(await readFile(running.home.path('openclaw.json'), 'utf8')).toContain('12000000');
    } finally {
      await running.remove();
    }
  });

  it('mends a file that cannot be used', async () => {
    await home.write('openclaw.json', '{ tools: { deny: 5 } }');
    expect((await home.run(['config', 'set', 'tools.deny', '["exec"]'])).code).toBe(0);
    expect((await home.run(['config', 'check'])).code).toBe(0);
  });

  it('knows the settings, suggests the one that was meant, and says when OpenClaw has one that is not used', async () => {
    const slip = await home.run(['config', 'set', 'agents.defaults.modell', 'a/b']);
    expect(slip.code).toBe(2);
    expect(slip.err).toContain('Did you mean agents.defaults.model?');
    await expect(text()).rejects.toThrow('ENOENT');
    const unused = await home.run(['config', 'set', 'browser.enabled', 'true']);
    expect(unused.code).toBe(0);
    expect(unused.out).toContain('browser is not used: Atrium has no browser.');
    const differs = await home.run(['config', 'set', 'env.vars.OPENAI_API_KEY', 'sk-0123456789abcdefghij']);
    expect(differs.out).toContain('env.vars is used, but not as in OpenClaw: ');
    expect(differs.out).not.toContain('not used');
    expect((await home.run(['config', 'set', 'a..b', '1'])).err).toContain('is no address of a setting');
  });

  it('does not write a setting with which no gateway starts, unless that is wanted', async () => {
    const refused = await home.run(['config', 'set', 'gateway.auth.mode', 'trusted-proxy']);
    expect([refused.code, refused.out]).toEqual([2, '']);
    expect(refused.err).toContain('gateway.auth.mode was not written, because no gateway would start with it: ');
    await expect(text()).rejects.toThrow('ENOENT');
    expect((await home.run(['config', 'set', 'gateway.auth.mode', 'trusted-proxy', '--force'])).code).toBe(0);
    // What else is in such a file can still be changed.
    expect((await home.run(['config', 'set', 'acceptUnused', '["gateway.auth.mode"]'])).code).toBe(0);
    expect((await home.run(['config', 'set', 'gateway.auth.mode', 'trusted-proxy'])).code).toBe(0);
  });

  it('asks for a value that is left out, and does not show a secret', async () => {
    const key = 'sk-0123456789abcdefghij';
    const asked = await home.run(['config', 'set', 'models.providers.groq.apiKey'], { answers: [key] });
    expect(asked.out).toContain('Wrote models.providers.groq.apiKey = "[redacted]" to ');
    expect(await text()).toContain(key);
    expect((await home.run(['config', 'set', 'tools.profile'])).err).toContain('There is no value for tools.profile');
    const empty = await home.run(['config', 'set', 'models.providers.groq.apiKey'], { answers: [''] });
    expect(empty.code).toBe(2);
    expect(await text()).toContain(key);
  });

  it.each(['null', 'NaN', '1e400', '-Infinity'])('writes no %s, which no file can hold', async (value) => {
    const { code, err } = await home.run(['config', 'set', '--', 'gateway.port', value]);
    expect(code).toBe(2);
    expect(err).toContain('"atrium config unset gateway.port"');
  });

  it('changes nothing where another program makes the file', async () => {
    const { code, err } = await home.run(['config', 'set', 'tools.profile', 'full'], {
      env: { OPENCLAW_NIX_MODE: '1' },
    });
    expect(code).toBe(2);
    expect(err).toContain('OPENCLAW_NIX_MODE is 1');
  });
});

describe('atrium config unset', () => {
  it('takes out a member or an item, and says when there is none', async () => {
    await home.write('openclaw.json', '{\n  // kept\n  tools: { deny: ["exec", "read"], profile: "full" },\n}');
    expect((await home.run(['config', 'unset', 'tools.profile'])).code).toBe(0);
    expect((await home.run(['config', 'unset', 'tools.deny[0]'])).code).toBe(0);
    expect(await home.runJson(['config', 'get', 'tools'])).toMatchObject({ value: { deny: ['read'] } });
    expect(await text()).toContain('// kept');
    const again = await home.run(['config', 'unset', 'tools.profile']);
    expect([again.code, again.out]).toEqual([
      1,
      `tools.profile is not set in ${home.path('openclaw.json')}; nothing was written.\n`,
    ]);
  });
});

describe('a running gateway', () => {
  it('has taken a setting up when the command is over, or says that it waits for the next start', async () => {
    const gateway = await RunningGateway.create();
    try {
      await gateway.start();
      const live = await gateway.home.run([
        'config',
        'set',
        'bootstrap.rules',
        '[{ id: "a", file: "AGENTS.md", text: "x" }]',
      ]);
      expect(live.out).toContain('The running gateway has taken it up.\n');
      const late = await gateway.home.run(['config', 'set', 'gateway.port', '18999']);
      expect(late.out).toContain('The running gateway takes it up at its next start: gateway.port.\n');
      const unused = await gateway.home.run(['config', 'set', 'gateway.remote.url', 'ws://example.test']);
      expect(unused.out).toMatch(/^Wrote .*\ngateway\.remote is not used: .*\n$/);
      const status = await gateway.home.run(['status']);
      expect(status.out).toContain('gateway.port: ');
      expect(status.out).not.toContain('gateway.remote.url');
    } finally {
      await gateway.remove();
    }
  });
});
