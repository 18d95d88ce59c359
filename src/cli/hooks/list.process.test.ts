import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CliHome } from '../fixtures/cli-home.ts';

let home: CliHome;
beforeEach(async () => {
  home = await CliHome.create();
});
afterEach(() => home.remove());

describe('atrium hooks list', () => {
  it('shows an untouched home: what is called, in order, and what is not and why', async () => {
    const { code, out, err } = await home.run(['hooks', 'list']);
    expect([code, err]).toEqual([0, '']);
    expect(out).toBe(`Handlers on agent:bootstrap for the agent "main", in calling order:

#  handler          priority  stability  from
1  global-files           10  static     atrium
2  agent-overrides        50  static     atrium
3  ci-mode               200  static     atrium

Not called:
  time-context (off): switched off; set bootstrap.hooks.time-context.enabled to true to use it.
  bootstrap-extra-files (off): no paths are set; name some in bootstrap.hooks.bootstrap-extra-files.paths.
  hook:boot-md (off): it comes with Atrium and waits to be switched on.
  hook:command-logger (off): it comes with Atrium and waits to be switched on.
  hook:compaction-notifier (off): it comes with Atrium and waits to be switched on.
  hook:session-memory (off): it comes with Atrium and waits to be switched on.
Switch one on with "atrium hooks enable <name>".
`);
  });

  it('puts rules, configured handlers and packs where they are called', async () => {
    await home.write(
      'openclaw.yaml',
      `bootstrap:
  rules: [{ id: early, file: AGENTS.md, text: x, priority: 5 }]
  handlers: [{ id: mine, path: ./mine.js, priority: 60, stability: run }]
  hooks: { time-context: { enabled: true } }
`,
    );
    await home.write('mine.js', 'export default () => {}');
    await home.writePack('hooks/greeter', { events: ['agent:bootstrap'], priority: 55, stability: 'session' });
    const { handlers } = (await home.runJson(['hooks', 'list'])) as { handlers: Record<string, unknown>[] };
    expect(handlers.filter(({ state }) => state === 'on').map(({ id }) => id)).toEqual([
      'rule:early',
      'global-files',
      'agent-overrides',
      'hook:greeter',
      'mine',
      'time-context',
      'ci-mode',
    ]);
    expect(handlers[3]).toEqual({
      id: 'hook:greeter',
      name: 'greeter',
      kind: 'hook pack',
      state: 'on',
      description: 'A pack',
      source: home.path('hooks/greeter'),
      settings: ['hooks', 'internal', 'entries', 'greeter'],
      priority: 55,
      stability: 'session',
      onError: 'skip',
      timeoutMs: 5000,
    });
  });

  it('says of everything that is not called which kind of no it is', async () => {
    await home.write(
      'openclaw.yaml',
      `bootstrap:
  rules: [{ id: quiet, file: AGENTS.md, text: x, enabled: false }]
  handlers: [{ id: ci-mode, path: ./mine.js }, { id: gone, path: ./gone.js }]
hooks: { internal: { entries: { off: { enabled: false } }, handlers: [{ event: command, module: old.mjs }] } }
`,
    );
    await home.write('mine.js', 'export default () => {}');
    await home.write('workspace/old.mjs', 'export default () => {}');
    await home.writePack('hooks/off', { events: ['agent:bootstrap'] });
    await home.writePack('hooks/needy', { events: ['agent:bootstrap'], requires: { env: ['NOT_SET'] } });
    await home.writePack('hooks/broken', { events: ['agent:bootstrap'] }, 'throw new Error("kaputt")');
    await home.writePack('hooks/typo', { events: ['agent:bootsrap'] });
    await home.writePack('hooks/other', { events: ['command:new'] });
    await home.writePack('workspace/hooks/theirs', { events: ['agent:bootstrap'] });
    const { out, err } = await home.run(['hooks', 'list']);
    const rest = out.slice(out.indexOf('Not called')).split('\n');
    const line = (id: string) => rest.find((text) => text.startsWith(`  ${id} (`));
    expect(line('rule:quiet')).toMatch(/\(off\): bootstrap\.rules\[0\]\.enabled is false/);
    expect(line('ci-mode')).toMatch(/\(failed\): A handler "ci-mode" comes with Atrium/);
    expect(line('gone')).toMatch(/\(failed\): .*the file is not there/);
    expect(line('hook:off')).toMatch(/\(off\): Disabled in the configuration/);
    expect(line('hook:needy')).toMatch(/\(blocked\): Needs these environment variables to be set: NOT_SET/);
    expect(line('hook:broken')).toMatch(/\(failed\): .*kaputt/);
    expect(line('hook:typo')).toMatch(/\(failed\): .*Did you mean "agent:bootstrap"/);
    expect(line('hook:other')).toMatch(/\(other events\): It listens to command:new only/);
    expect(line('hook:theirs')).toMatch(/\(off\): Workspace hooks are off until you allow them/);
    expect(line('hook:handlers[0]')).toMatch(/\(other events\)/);
    // Each thing is said once.
    expect(err).toBe('');
  });

  it('does not offer a switch where one switch holds all packs', async () => {
    await home.write('openclaw.yaml', 'hooks: { internal: { enabled: false } }');
    await home.writePack('hooks/mine', { events: ['agent:bootstrap'] });
    const { out } = await home.run(['hooks', 'list']);
    expect(out).toContain('hook:mine (off): hooks.internal.enabled is false, which switches every hook pack off.');
  });

  it('keeps control characters of a pack away from the terminal', async () => {
    await home.write('hooks/evil/HOOK.md', '---\nname: "evil\\u001b[2Jpack"\n---\n');
    await home.write('hooks/evil/handler.js', 'export default () => {}');
    expect((await home.run(['hooks', 'list'])).out).not.toContain('\u001b');
  });

  it('refuses an unknown agent with the likely one', async () => {
    await home.write('openclaw.yaml', 'agents: { list: [{ id: main }, { id: ops }] }');
    const { code, err } = await home.run(['hooks', 'list', '--agent', 'opps']);
    expect(code).toBe(2);
    expect(err).toBe('atrium: There is no agent "opps". Did you mean "ops"?\n');
  });

  it('says in one line what is wrong with a broken configuration', async () => {
    await home.write('openclaw.json', '{ agents: [ }');
    const { code, out, err } = await home.run(['hooks', 'list']);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(/^atrium: .*openclaw\.json:1:13: this is not JSON5[^\n]*\n$/);
  });
});
