import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CliHome } from '../fixtures/cli-home.ts';

let home: CliHome;
beforeEach(async () => {
  home = await CliHome.create();
});
afterEach(() => home.remove());

describe('atrium hooks enable and disable', () => {
  it('write a bundled handler into a new file and say exactly what and where', async () => {
    expect(await home.run(['hooks', 'enable', 'time-context'])).toEqual({
      code: 0,
      out: `Wrote bootstrap.hooks.time-context.enabled = true to ${home.path('openclaw.json')}.\ntime-context is enabled now.\n`,
      err: '',
    });
    expect(JSON.parse(await home.read('openclaw.json'))).toEqual({
      bootstrap: { hooks: { 'time-context': { enabled: true } } },
    });
  });

  it('do not switch a bundled handler along with a pack of its name, and check says so', async () => {
    await home.writePack('hooks/ci-mode', { events: ['command:new'] });
    const { code, err } = await home.run(['hooks', 'disable', 'hook:ci-mode']);
    expect(code).toBe(2);
    expect(err).toContain('hooks.internal.entries.ci-mode');
    await expect(home.read('openclaw.json')).rejects.toThrow('ENOENT');
    expect((await home.run(['hooks', 'check'])).out).toContain('shares hooks.internal.entries.ci-mode');
    // The bundled handler has a switch of its own.
    expect((await home.run(['hooks', 'disable', 'ci-mode'])).out).toContain('bootstrap.hooks.ci-mode.enabled = false');
  });

  it('write nothing where another program makes the configuration, and reading still works', async () => {
    const env = { OPENCLAW_NIX_MODE: '1' };
    const { code, err } = await home.run(['hooks', 'enable', 'time-context'], { env });
    expect([code, err]).toEqual([2, expect.stringContaining('because OPENCLAW_NIX_MODE is 1')]);
    await expect(home.read('openclaw.json')).rejects.toThrow('ENOENT');
    expect((await home.run(['hooks', 'info', 'time-context'], { env })).code).toBe(0);
    for (const mode of ['0', '', 'true']) {
      const written = await home.run(['hooks', 'enable', 'time-context'], { env: { OPENCLAW_NIX_MODE: mode } });
      expect(written.code).toBe(0);
    }
  });

  it('write nothing that is so already', async () => {
    expect((await home.run(['hooks', 'disable', 'time-context'])).out).toBe(
      'time-context is disabled already; nothing was written.\n',
    );
    await expect(home.read('openclaw.json')).rejects.toThrow('ENOENT');
    await home.run(['hooks', 'enable', 'time-context']);
    const written = await home.read('openclaw.json');
    expect((await home.run(['hooks', 'enable', 'time-context'])).out).toMatch(/enabled already/);
    expect(await home.read('openclaw.json')).toBe(written);
  });

  it('keep every comment of a JSON5 file', async () => {
    const text = `// My home, since 2024.
{
  bootstrap: {
    hooks: {
      'ci-mode': { force: false }, // never force it
    },
    /* Rules of the house. */
    rules: [
      { id: 'first', file: 'AGENTS.md', text: 'a' }, // keep me
      // the quiet one
      { id: 'quiet', file: 'AGENTS.md', text: 'b' },
    ],
  },
  channels: { discord: { enabled: true } }, // not ours
}
`;
    await home.write('openclaw.json', text);
    await home.run(['hooks', 'disable', 'ci-mode']);
    await home.run(['hooks', 'disable', 'rule:quiet']);
    expect(await home.read('openclaw.json')).toBe(
      text
        .replace('{ force: false }', '{ force: false, enabled: false }')
        .replace("text: 'b' }", "text: 'b', enabled: false }"),
    );
  });

  it('keep every comment of a YAML file', async () => {
    const text = `# My home.
bootstrap:
  handlers: # mine
    - id: greet # hello
      path: ./greet.js
      enabled: false # not yet
  # packs are below
hooks:
  internal: # OpenClaw knows these too
    entries:
      notes: # mine
        env: { A: b }
`;
    await home.write('openclaw.yaml', text);
    await home.write('greet.js', 'export default () => {}');
    await home.writePack('hooks/notes', { events: ['agent:bootstrap'] });
    await home.run(['hooks', 'enable', 'greet']);
    await home.run(['hooks', 'disable', 'notes']);
    const expected = text
      .replace('enabled: false # not yet', 'enabled: true # not yet')
      .replace('env: { A: b }\n', 'env: { A: b }\n        enabled: false\n');
    expect(await home.read('openclaw.yaml')).toBe(expected);
    const { handlers } = (await home.runJson(['hooks', 'list'])) as { handlers: { id: string; state: string }[] };
    const states = Object.fromEntries(handlers.map(({ id, state }) => [id, state]));
    expect(states).toMatchObject({ greet: 'on', 'hook:notes': 'off' });
  });

  it('write to the file whose word counts when two are merged', async () => {
    await home.write('openclaw.json', '{ bootstrap: { hooks: { "ci-mode": { enabled: true } } } }');
    await home.write('openclaw.yaml', 'bootstrap: { hooks: { ci-mode: { enabled: true } } }\n');
    const { out } = await home.run(['hooks', 'disable', 'ci-mode']);
    expect(out).toContain(home.path('openclaw.yaml'));
    expect(await home.read('openclaw.yaml')).toContain('enabled: false');
    expect(await home.read('openclaw.json')).toContain('enabled: true');
  });

  it('find a rule by its id where an included file shifts its place', async () => {
    await home.write(
      'openclaw.json',
      '{ bootstrap: { $include: "./rules.json", rules: [{ id: "own", file: "AGENTS.md", text: "b" }] } }',
    );
    await home.write('rules.json', '{ rules: [{ id: "included", file: "AGENTS.md", text: "a" }] }');
    const { out } = await home.run(['hooks', 'disable', 'own']);
    expect(out).toContain(`Wrote bootstrap.rules[0].enabled = false to ${home.path('openclaw.json')}.`);
    expect(out).toContain('rule:own is disabled now.');
    const refused = await home.run(['hooks', 'disable', 'included']);
    expect(refused.code).toBe(2);
    expect(refused.err).toMatch(/the entry "included" stands in another file\. The file is unchanged/);
  });

  it('let a workspace pack run once it is allowed, under its own key', async () => {
    await home.writePack('workspace/hooks/theirs', { events: ['agent:bootstrap'], hookKey: 'their-key' });
    const { out } = await home.run(['hooks', 'enable', 'theirs']);
    expect(out).toContain('Wrote hooks.internal.entries.their-key.enabled = true');
    expect((await home.run(['hooks', 'list'])).out).toMatch(/^3 +hook:theirs/m);
    await home.run(['hooks', 'disable', 'theirs']);
    expect((await home.run(['hooks', 'list'])).out).toContain('hook:theirs (off)');
  });

  it('say so when what is enabled is not called all the same', async () => {
    await home.writePack('hooks/needy', { events: ['agent:bootstrap'], requires: { env: ['NOT_SET'] } });
    const { code, out } = await home.run(['hooks', 'enable', 'needy']);
    expect(code).toBe(0);
    expect(out).toMatch(
      /enabled already; nothing was written\.\nIt is not called all the same: Needs these environment/,
    );
    expect((await home.run(['hooks', 'enable', 'bootstrap-extra-files'])).out).toMatch(/no paths are set/);
  });

  it('can switch off a pack that throws or hangs when it is loaded, without loading it', async () => {
    const handler = 'globalThis.loadedWhileSwitching = true; throw new Error("kaputt")';
    await home.writePack('hooks/broken', { events: ['agent:bootstrap'] }, handler);
    expect((await home.run(['hooks', 'disable', 'broken'])).code).toBe(0);
    expect(globalThis).not.toHaveProperty('loadedWhileSwitching');
    expect((await home.run(['hooks', 'check'])).code).toBe(0);
  });

  it('refuse an unknown name and write nothing', async () => {
    const { code, err } = await home.run(['hooks', 'disable', 'time-contex']);
    expect([code, err]).toEqual([
      2,
      'atrium: There is no handler, rule or hook pack "time-contex". Did you mean "time-context"?\n',
    ]);
    await expect(home.read('openclaw.json')).rejects.toThrow('ENOENT');
  });

  it('leave the oldest kind of handler to its owner', async () => {
    await home.write('openclaw.yaml', 'hooks: { internal: { handlers: [{ event: agent, module: old.mjs }] } }');
    await home.write('workspace/old.mjs', 'export default () => {}');
    const { code, err } = await home.run(['hooks', 'disable', 'handlers[0]']);
    expect(code).toBe(2);
    expect(err).toContain('Edit hooks.internal.handlers by hand');
  });

  it('write into the file that --config names, which must exist', async () => {
    await home.write('draft.yaml', '# a draft\n');
    await home.run(['hooks', 'enable', 'time-context', '--config', home.path('draft.yaml')]);
    expect(await home.read('draft.yaml')).toBe(
      '# a draft\nbootstrap:\n  hooks:\n    time-context:\n      enabled: true\n',
    );
    const { code, err } = await home.run(['hooks', 'enable', 'time-context', '--config', 'none.yaml']);
    expect(code).toBe(2);
    expect(err).toMatch(/There is no configuration file/);
  });

  it('touch nothing in a home whose configuration cannot be read', async () => {
    await home.write('openclaw.json', '{ oops');
    expect((await home.run(['hooks', 'enable', 'time-context'])).code).toBe(2);
    expect(await home.read('openclaw.json')).toBe('{ oops');
  });
});
