import { chmod, symlink } from 'node:fs/promises';
import { join } from 'node:path';
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

  it("says which skills of an agent's list are in no folder, and not of those that are there and not offered", async () => {
    await home.write('openclaw.json', '{ agents: { defaults: { skills: ["tea", "weather", "saw"] } } }');
    const saw = `---\nname: saw\ndescription: Saws.\nmetadata: { "openclaw": { "requires": { "bins": ["no-such-saw"] } } }\n---\n`;
    await home.write('skills/power-tool/SKILL.md', saw);
    const { out, err } = await home.run(['skills', 'list']);
    expect(out).toBe('No skill is offered to this agent.\n');
    expect(err.match(/agents\.defaults\.skills names \S+/g)).toEqual([
      'agents.defaults.skills names tea,',
      'agents.defaults.skills names weather,',
    ]);
    expect(err).toContain('power-tool/SKILL.md is not offered: Needs on the PATH: no-such-saw.');
  });

  it('says what is a plugin and no skill', async () => {
    const { code, err } = await home.run(['skills', 'install', await packages.writePlugin('greeter'), '--yes']);
    expect(code).toBe(2);
    expect(err).toContain('it has no SKILL.md');
  });
});

describe('a skill that is not for this home', () => {
  const needs = (name: string, metadata: object) =>
    home.write(
      `skills/${name}/SKILL.md`,
      `---\nname: ${name}\ndescription: It is ${name}.\nmetadata: ${JSON.stringify({ openclaw: metadata })}\n---\nBody.\n`,
    );
  const listed = async (env: Readonly<Record<string, string>> = {}) => {
    const { skills, problems } = (await home.runJson(['skills', 'list'], { env })) as {
      skills: { name: string }[];
      problems: { path: string; detail: string }[];
    };
    const { out: prompt } = await home.run(['context', 'preview'], { env });
    for (const { name } of skills) expect(prompt).toContain(`It is ${name}.`);
    for (const { path } of problems) expect(prompt).not.toContain(`It is ${path.split('/').at(-2)}.`);
    return { names: skills.map(({ name }) => name), why: problems.map(({ detail }) => detail) };
  };

  it('is left out of the prompt when the operator switched it off, by its name or by its own key', async () => {
    await needs('tea', {});
    await needs('milk', { skillKey: 'dairy' });
    await needs('salt', {});
    await home.write(
      'openclaw.json',
      '{ skills: { entries: { tea: { enabled: false }, dairy: { enabled: false } } } }',
    );
    expect(await listed()).toEqual({
      names: ['salt'],
      why: ['skills.entries.dairy.enabled is false', 'skills.entries.tea.enabled is false'],
    });
  });

  it('is told as a skill that is not offered', async () => {
    await needs('tea', {});
    await needs('salt', {});
    await home.write('openclaw.json', '{ agents: { defaults: { skills: ["salt"] } } }');
    const { err } = await home.run(['skills', 'list']);
    const file = home.path('skills/tea/SKILL.md');
    expect(err).toBe(`warning: ${file} is not offered: agents.defaults.skills does not name it\n`);
  });

  it('is left out when this machine lacks what it requires, and each thing is named', async () => {
    await home.write('bin/kettle', '#!/bin/sh\n');
    await chmod(home.path('bin/kettle'), 0o755);
    const env = { PATH: home.path('bin'), TEA_KEY: 'x' };
    await needs('has-bin', { requires: { bins: ['kettle'] } });
    await needs('lacks-bin', { requires: { bins: ['kettle', 'samovar'] } });
    await needs('has-any', { requires: { anyBins: ['samovar', 'kettle'] } });
    await needs('lacks-any', { requires: { anyBins: ['samovar'] } });
    await needs('has-env', { requires: { env: ['TEA_KEY'] } });
    await needs('lacks-env', { requires: { env: ['MILK_KEY'] } });
    await needs('has-config', { requires: { config: ['agents.defaults.workspace'] } });
    await needs('lacks-config', { requires: { config: ['channels.tea.token'] } });
    await needs('lacks-os', { os: ['amiga'], always: true });
    await needs('has-always', { always: true, requires: { bins: ['samovar'] } });
    await home.write('openclaw.json', JSON.stringify({ agents: { defaults: { workspace: home.path('workspace') } } }));
    const { names, why } = await listed(env);
    expect(names).toEqual(['has-always', 'has-any', 'has-bin', 'has-config', 'has-env']);
    expect(why).toEqual([
      'Needs one of these on the PATH: samovar.',
      'Needs on the PATH: samovar.',
      'Needs these configuration values to be set: channels.tea.token.',
      'Needs these environment variables to be set: MILK_KEY.',
      expect.stringMatching(/^Runs on amiga only/),
    ]);
  });

  it('is there when its entry brings the variable, or the key for its main one', async () => {
    await needs('by-env', { requires: { env: ['A_KEY'] } });
    await needs('by-key', { primaryEnv: 'B_KEY', requires: { env: ['B_KEY'] } });
    await needs('by-blank', { primaryEnv: 'C_KEY', requires: { env: ['C_KEY'] } });
    const entries = {
      'by-env': { env: { A_KEY: 'x' } },
      'by-key': { apiKey: 'x' },
      'by-blank': { apiKey: `\${NOT_SET}` },
    };
    await home.write('openclaw.json', JSON.stringify({ skills: { entries } }));
    expect((await listed()).names).toEqual(['by-env', 'by-key']);
  });

  it('may be in a folder that the operator names, out of which no link leads', async () => {
    await home.write('elsewhere/kettle/SKILL.md', '---\nname: kettle\ndescription: It is kettle.\n---\n');
    await home.write('outside/SKILL.md', '---\nname: outside\ndescription: It is outside.\n---\n');
    await symlink(join(home.stateDir, 'outside'), join(home.stateDir, 'elsewhere', 'linked'));
    await home.write('openclaw.json', `{ skills: { load: { extraDirs: ["${home.stateDir}/elsewhere", "~/none"] } } }`);
    expect((await listed()).names).toEqual(['kettle']);
  });

  it('is left out when the list of the agent does not have it, or when it asks to be', async () => {
    await needs('tea', {});
    await needs('milk', {});
    await home.write(
      'skills/shy/SKILL.md',
      '---\nname: shy\ndescription: It is shy.\ndisable-model-invocation: true\n---\n',
    );
    await home.write('openclaw.json', '{ agents: { defaults: { skills: ["tea", "shy"] } } }');
    expect(await listed()).toEqual({
      names: ['tea'],
      why: ['agents.defaults.skills does not name it', 'it asks not to be shown to models (disable-model-invocation)'],
    });
    await home.write(
      'openclaw.json',
      '{ agents: { defaults: { skills: ["tea"] }, list: [{ id: "main", skills: [] }] } }',
    );
    expect((await listed()).names).toEqual([]);
  });

  it('does not let another one of its name step in', async () => {
    await needs('tea', {});
    await home.write(
      'workspace/skills/tea/SKILL.md',
      '---\nname: tea\ndescription: It is tea.\nmetadata: { openclaw: { requires: { bins: [samovar] } } }\n---\n',
    );
    expect((await listed()).names).toEqual([]);
  });
});
