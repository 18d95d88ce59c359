import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CliHome } from '../../cli/fixtures/cli-home.ts';
import { readEnvironment } from '../../config/environment.ts';
import { bundledHandlers } from './bundled-handlers.ts';

const text = readFileSync(new URL('../../../docs/hooks.md', import.meta.url), 'utf8');

let home: CliHome;
beforeEach(async () => {
  home = await CliHome.create();
});
afterEach(() => home.remove());

describe('docs/hooks.md', () => {
  it('has a row for every bundled handler, in calling order', () => {
    const section = text.slice(text.indexOf('## The bundled handlers'), text.indexOf('Rules, configured handlers'));
    const rows = section.split('\n').filter((line) => line.startsWith('| `'));
    const environment = readEnvironment({ HOME: home.home }, () => home.home, home.home);
    const expected = bundledHandlers({ config: {}, environment, ci: false }).map(({ registration, enabled }) => {
      const { id, priority, stability, description = '' } = registration;
      // Outside of code, Markdown would take the brackets for tags.
      const sentence = description.replace(/<state>\S+/, '`$&`');
      return `| \`${id}\` | ${priority} | ${stability} | ${enabled ? 'on' : 'off'} | ${sentence} |`;
    });
    expect(rows).toEqual(expected);
  });

  it('has examples of a configuration that load without a warning', async () => {
    const examples = [...text.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, yaml = '']) => yaml);
    expect(examples.length).toBeGreaterThan(2);
    for (const example of examples) {
      await home.write('openclaw.yaml', example);
      expect(await home.runJson(['config', 'check'])).toMatchObject({ ok: true, warnings: [] });
    }
  });

  it('has an example of a hook pack that works', async () => {
    const [, hookMd = ''] = /```markdown\n([\s\S]*?)```/.exec(text) ?? [];
    const [, handler = ''] = /```ts\n(import { BootstrapFileHelper[\s\S]*?)```/.exec(text) ?? [];
    await home.write('hooks/on-call/HOOK.md', hookMd);
    await home.write('hooks/on-call/handler.ts', handler);
    await home.write('workspace/TOOLS.md', 'Notes.');
    expect((await home.run(['hooks', 'check'])).out).toBe('All handlers of one agent loaded.\n');
    expect((await home.run(['context', 'preview'])).out).toContain('On call today: the lab.');
  });
});
