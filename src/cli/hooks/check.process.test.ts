import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CliHome } from '../fixtures/cli-home.ts';

let home: CliHome;
beforeEach(async () => {
  home = await CliHome.create();
});
afterEach(() => home.remove());

describe('atrium hooks check', () => {
  it('has nothing to say about a home in order', async () => {
    await home.writePack('hooks/fine', { events: ['agent:bootstrap'] });
    expect(await home.run(['hooks', 'check'])).toEqual({
      code: 0,
      out: 'All handlers of one agent loaded.\n',
      err: '',
    });
  });

  it('says a sentence for each problem and exits 1', async () => {
    await home.write('openclaw.yaml', 'bootstrap: { handlers: [{ id: global-files, path: ./mine.js }] }');
    await home.write('mine.js', 'export default () => {}');
    await home.writePack('hooks/broken', { events: ['agent:bootstrap'] }, 'throw new Error("kaputt\\n\\u001b[31mred")');
    await home.writePack('hooks/deaf', { events: [] });
    await home.writePack('hooks/misspelt', { events: ['agent:bootstrap'], stabilty: 'run' });
    await home.writePack('hooks/needy', { events: ['agent:bootstrap'], requires: { bins: ['no-such-program'] } });
    await home.writePack('hooks/nothing', { events: ['agent:bootstrap'] }, 'export const handler = () => {}');
    await home.writePack('hooks/twin', { events: ['agent:bootstrap'] });
    await home.writePack('workspace/hooks/twin', { events: ['agent:bootstrap'] });
    await home.writePack('hooks/typo', { events: ['agent:bootstrap', 'comand:new', 'weather'] });
    const { code, out } = await home.run(['hooks', 'check']);
    expect(code).toBe(1);
    const sentences = [
      /^A handler "global-files" comes with Atrium/m,
      /^The handler of hook "broken" .* cannot be loaded: kaputt \[31mred\./m,
      /^The hook "deaf" names no events and would never fire\./m,
      /misspelt\/HOOK\.md: unknown field "stabilty"; did you mean "stability"\?$/m,
      /^The hook "needy" is not loaded\. Needs on the PATH: no-such-program\./m,
      /^The handler of hook "nothing" .* exports no function "default"\. It does export handler/m,
      /^The hook "twin" is there twice/m,
      /^The hook "typo" listens to "comand:new", which nothing fires\. Did you mean "command:new"\?/m,
      /^The hook "typo" listens to "weather", which nothing fires\. Known events: agent,/m,
      /^9 problems\.$/m,
    ];
    for (const sentence of sentences) expect(out).toMatch(sentence);
    expect(out.trim().split('\n')).toHaveLength(10);
  });

  it('leaves alone what is switched off', async () => {
    await home.write('openclaw.yaml', 'hooks: { internal: { entries: { broken: { enabled: false } } } }');
    await home.writePack('hooks/broken', { events: ['agent:bootstrap'] }, 'throw new Error("kaputt")');
    await home.writePack('workspace/hooks/theirs', { events: ['agent:bootstrap'] }, 'throw new Error("kaputt")');
    expect((await home.run(['hooks', 'check'])).code).toBe(0);
  });

  it('looks at every agent, and says which one when not all are concerned', async () => {
    await home.write(
      'openclaw.yaml',
      `agents: { list: [{ id: main }, { id: ops }] }
hooks: { internal: { entries: { local: { enabled: true } } } }
`,
    );
    await home.writePack('hooks/deaf', { events: [] });
    await home.writePack('workspace-ops/hooks/local', { events: [] });
    const { out } = await home.run(['hooks', 'check']);
    expect(out).toMatch(/"deaf" names no events .*HOOK\.md\.$/m);
    expect(out).toMatch(/"local" names no events .*HOOK\.md\. \(agent ops\)$/m);
    expect((await home.run(['hooks', 'check', '--agent', 'main'])).out).not.toContain('local');
    expect(await home.runJson(['hooks', 'check'])).toMatchObject({
      ok: false,
      problems: [{ agents: ['main', 'ops'] }, { agents: ['ops'] }],
    });
  });

  it('cannot check against a broken configuration', async () => {
    await home.write('openclaw.yaml', 'bootstrap: [');
    expect(await home.run(['hooks', 'check'])).toMatchObject({ code: 2, out: '' });
  });
});
