import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ScratchPackages } from '../plugins/install/fixtures/scratch-packages.ts';
import { CliHome } from './fixtures/cli-home.ts';

let packages: ScratchPackages;
let home: CliHome;
beforeEach(async () => {
  packages = await ScratchPackages.create();
  home = await CliHome.create({ 'workspace/AGENTS.md': 'Be kind.' });
});
afterEach(async () => {
  await home.remove();
  await packages.remove();
});

const skillMd = (name: string, description: string) => `---\nname: ${name}\ndescription: ${description}\n---\nBody.\n`;

describe('atrium skills', () => {
  it('installs a skill, and agents are told of it', async () => {
    const folder = await packages.write('pdf', {
      'SKILL.md': skillMd('pdf-reader', 'Reads PDF files.'),
      'package.json': '{ "name": "@someone/pdf", "version": "1.0.0" }',
      'scripts/read.py': 'print(1)',
    });
    const { code, out } = await home.run(['skills', 'install', folder, '--yes']);
    expect(code).toBe(0);
    expect(out).toContain('skill      pdf-reader\n');
    expect(out).toContain('   ! brings scripts for other programs: scripts/read.py:1\n');
    expect((await home.run(['context', 'preview'])).out).toContain('Reads PDF files.');
    expect((await home.run(['skills', 'list'])).out).toBe(
      [
        'skill       from                what it says of itself',
        'pdf-reader  @someone/pdf 1.0.0  Reads PDF files.',
        '',
      ].join('\n'),
    );
    expect((await home.run(['skills', 'uninstall', 'pdf-reader'])).code).toBe(0);
    expect((await home.run(['skills', 'list'])).out).toMatch(/^There are no skills\./);
  });

  it('lists where each comes from; the first of a name counts', async () => {
    await home.write('workspace/skills/csv/SKILL.md', skillMd('csv', 'The own one.'));
    await home.write('skills/csv/SKILL.md', skillMd('csv', 'The shared one.'));
    await home.write('skills/tea/SKILL.md', skillMd('tea', 'Makes tea.'));
    await home.write('extensions/kit/openclaw.plugin.json', '{ "id": "kit", "skills": ["./skills", "../../.."] }');
    await home.write('extensions/kit/index.js', '');
    await home.write('extensions/kit/skills/saw/SKILL.md', skillMd('saw', 'Saws.'));
    const { skills, problems } = (await home.runJson(['skills', 'list'])) as {
      skills: { name: string; from: string }[];
      problems: { path: string }[];
    };
    expect(skills.map(({ name, from }) => `${name}: ${from}`)).toEqual([
      'csv: workspace',
      'tea: state',
      'saw: plugin kit',
    ]);
    expect(problems.map(({ path }) => path)).toEqual([home.path('skills/csv/SKILL.md')]);
  });

  it('says what is a plugin and no skill', async () => {
    const { code, err } = await home.run(['skills', 'install', await packages.writePlugin('greeter'), '--yes']);
    expect(code).toBe(2);
    expect(err).toContain('it has no SKILL.md');
  });
});
