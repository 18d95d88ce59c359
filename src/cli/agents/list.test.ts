import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CliHome } from '../fixtures/cli-home.ts';

let home: CliHome;
beforeEach(async () => {
  home = await CliHome.create();
});
afterEach(() => home.remove());

describe('atrium agents list', () => {
  it('knows main in an untouched home, and says how to begin', async () => {
    const { code, out } = await home.run(['agents', 'list']);
    expect(code).toBe(0);
    expect(out).toBe(
      `agent  default  files     first run  workspace\nmain   yes      openclaw  -          ${home.path('workspace')} (not there: atrium agents init)\n`,
    );
  });

  it('shows every agent of the configuration', async () => {
    await home.write(
      'openclaw.yaml',
      'agents: { list: [{ id: main }, { id: boa, taxonomy: openboa, default: true }] }',
    );
    await home.run(['agents', 'init', 'boa']);
    const { out } = await home.run(['agents', 'list']);
    expect(out).toContain('atrium agents init main');
    expect(out).toMatch(/^boa +yes +openboa +pending +\/.*agents\/boa\/workspace$/m);
    expect(await home.runJson(['agents', 'list'])).toEqual({
      agents: [
        { id: 'main', default: false, taxonomy: 'openclaw', workspace: home.path('workspace-main'), exists: false },
        {
          id: 'boa',
          default: true,
          taxonomy: 'openboa',
          workspace: home.path('agents/boa/workspace'),
          exists: true,
          firstRun: 'pending',
        },
      ],
    });
  });

  it('says what is wrong with a broken configuration', async () => {
    await home.write('openclaw.yaml', 'agents: { list: main }');
    const { code, err } = await home.run(['agents', 'list']);
    expect(code).toBe(2);
    expect(err).toMatch(/openclaw\.yaml:1: agents\.list is the text "main"; expected a list of agents/);
  });
});
