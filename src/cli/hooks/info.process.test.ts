import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CliHome } from '../fixtures/cli-home.ts';

let home: CliHome;
beforeEach(async () => {
  home = await CliHome.create();
});
afterEach(() => home.remove());

describe('atrium hooks info', () => {
  it('shows a bundled handler with the settings that the schema knows', async () => {
    await home.write('openclaw.yaml', 'bootstrap: { hooks: { time-context: { enabled: true, overnight_start: 21 } } }');
    const { code, out } = await home.run(['hooks', 'info', 'time-context']);
    expect(code).toBe(0);
    expect(out).toContain('on, called as number 3 on agent:bootstrap');
    expect(out).toContain(`bootstrap.hooks.time-context in ${home.path('openclaw.yaml')}`);
    expect(out).toContain('{"enabled":true,"overnight_start":21}');
    expect(out).toMatch(/overnight_end +Default 6\./);
  });

  it('shows a pack with its files, events and needs, and why it is not loaded', async () => {
    await home.writePack('hooks/needy', {
      events: ['agent:bootstrap', 'command:new'],
      requires: { bins: ['no-such-program'], env: ['NOT_SET'] },
      os: ['linux', 'darwin', 'win32'],
      hookKey: 'needs-much',
    });
    for (const name of ['needy', 'hook:needy', 'needs-much']) {
      const { out } = await home.run(['hooks', 'info', name]);
      expect(out).toMatch(/^hook:needy\n/);
      expect(out).toContain(home.path('hooks/needy/HOOK.md'));
      expect(out).toContain(home.path('hooks/needy/handler.ts'));
      expect(out).toMatch(/events +agent:bootstrap, command:new/);
      expect(out).toMatch(/needs +programs no-such-program; variables NOT_SET/);
      expect(out).toMatch(/state +blocked: Needs on the PATH: no-such-program\./);
      expect(out).toContain('hooks.internal.entries.needs-much in');
    }
  });

  it('shows a rule as it is written', async () => {
    await home.write(
      'openclaw.yaml',
      'bootstrap: { rules: [{ id: quiet, file: AGENTS.md, text: Hush., when: { hours: 22-6 } }] }',
    );
    const { out } = await home.run(['hooks', 'info', 'quiet']);
    expect(out).toContain('{"id":"quiet","file":"AGENTS.md","text":"Hush.","when":{"hours":"22-6"}}');
  });

  it('asks which one is meant when a name has two meanings', async () => {
    await home.write('openclaw.yaml', 'bootstrap: { rules: [{ id: greeter, file: AGENTS.md, text: Hi. }] }');
    await home.writePack('hooks/greeter', { events: ['agent:bootstrap'] });
    const { code, err } = await home.run(['hooks', 'info', 'greeter']);
    expect([code, err]).toEqual([
      2,
      'atrium: "greeter" can mean rule:greeter or hook:greeter. Use one of these names.\n',
    ]);
    expect((await home.run(['hooks', 'info', 'hook:greeter'])).code).toBe(0);
  });

  it('refuses an unknown name with the likely one', async () => {
    const { code, err } = await home.run(['hooks', 'info', 'ci-mod']);
    expect(code).toBe(2);
    expect(err).toBe('atrium: There is no handler, rule or hook pack "ci-mod". Did you mean "ci-mode"?\n');
  });

  it('prints JSON for programs', async () => {
    await home.writePack('hooks/greeter', { events: ['agent:bootstrap'] });
    expect(await home.runJson(['hooks', 'info', 'greeter'])).toMatchObject({
      id: 'hook:greeter',
      state: 'on',
      place: 3,
      settings: { path: 'hooks.internal.entries.greeter', file: home.path('openclaw.json') },
      pack: { metadata: { events: ['agent:bootstrap'] } },
    });
  });
});
