// biome-ignore-all lint/suspicious/noTemplateCurlyInString: such texts are what people write into the configuration.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CliHome } from '../fixtures/cli-home.ts';

let home: CliHome;
beforeEach(async () => {
  home = await CliHome.create();
});
afterEach(() => home.remove());

const KEY = 'sk-0123456789abcdefghij';

describe('atrium config get', () => {
  it('prints a text as it is, anything else as JSON, and with --json where it comes from', async () => {
    await home.write('openclaw.json', '{\n  agents: { defaults: { model: "a/b" } },\n  tools: { deny: ["exec"] },\n}');
    expect(await home.run(['config', 'get', 'agents.defaults.model'])).toMatchObject({ code: 0, out: 'a/b\n' });
    expect((await home.run(['config', 'get', 'tools'])).out).toBe('{\n  "deny": [\n    "exec"\n  ]\n}\n');
    expect(await home.runJson(['config', 'get', 'tools.deny[0]'])).toEqual({
      setting: 'tools.deny[0]',
      value: 'exec',
      isSet: true,
      file: home.path('openclaw.json'),
      line: 3,
    });
  });

  it('hides secrets at any depth, shows which variable has one, and reveals them when told to', async () => {
    const providers = {
      groq: { apiKey: KEY },
      other: { apiKey: '${OTHER_KEY}', headers: { 'X-Team': 'of-headers' } },
    };
    await home.write(
      'openclaw.json',
      JSON.stringify({ models: { providers }, env: { PLAIN: 'of-env', vars: { MORE: 'of-vars' } } }),
    );
    const env = { OTHER_KEY: 'the-secret-of-the-variable' };
    const { out } = await home.run(['config', 'get'], { env });
    expect(out).not.toContain(KEY);
    expect(out).not.toMatch(/the-secret-of-the-variable|of-headers|of-env|of-vars/);
    expect(out).toContain('${OTHER_KEY}');
    expect((await home.run(['config', 'get', 'models.providers.groq.apiKey'])).out).toBe('[redacted]\n');
    expect((await home.run(['config', 'get', 'models.providers.groq.apiKey', '--reveal'])).out).toBe(`${KEY}\n`);
  });

  it('exits 1 when it is not set', async () => {
    expect(await home.run(['config', 'get', 'agents.defaults.model'])).toMatchObject({
      code: 1,
      err: 'agents.defaults.model is not set.\n',
    });
  });
});

describe('atrium config path', () => {
  it('prints the file that would be written, then those that are read, also when one is broken', async () => {
    expect(await home.run(['config', 'path'])).toMatchObject({ code: 1, out: `${home.path('openclaw.json')}\n` });
    await home.write('openclaw.json', '{ $include: "./more.json" }');
    await home.write('more.json', '{ tools: {} }');
    expect(await home.run(['config', 'path'])).toMatchObject({
      code: 0,
      out: `${home.path('more.json')}\n${home.path('openclaw.json')}\n`,
    });
    await home.write('openclaw.json', '{ tools: [');
    expect(await home.run(['config', 'path'])).toMatchObject({ code: 0, out: `${home.path('openclaw.json')}\n` });
  });
});
