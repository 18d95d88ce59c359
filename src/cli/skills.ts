// `atrium skills`: instructions that agents look up when they need them.

import { InstallManagedError } from '../gateway/errors.ts';
import { type CliCommand, command } from './command.ts';
import { CONFIG_OPTION, INSTALL_ARGUMENT, INSTALL_OPTIONS } from './common-options.ts';
import { listText } from './output/format-table.ts';
import { line } from './output/text.ts';

/** These are skills, which this agent is not told of. */
const NOT_OFFERED: ReadonlySet<string> = new Set(['disabled', 'over-budget']);

export const SKILL_COMMANDS: readonly CliCommand[] = [
  command({
    path: 'skills list',
    summary: 'list the skills of an agent and where they come from',
    options: {
      '--agent <id>': 'the agent whose skills are meant (default: the configured default agent)',
      ...CONFIG_OPTION,
    },
    examples: ['skills list', "skills list --json | jq -r '.skills[].name'"],
    notes:
      "The first of a name is the one that counts: the workspace's, then those of the state directory, then those of plugins.",
    async run(flags, { io }) {
      const { listSkills } = await import('./list-skills.ts');
      const { skills, problems, missing } = await listSkills(flags, io);
      const text = listText(
        skills,
        {
          skill: ({ name }) => name,
          from: ({ from }) => from,
          'what it says of itself': ({ description }) => description,
        },
        problems.length === 0
          ? 'There are no skills. "atrium skills install --help" shows how to get one.'
          : 'No skill is offered to this agent.',
      );
      const warnings = problems.map(({ path, detail, reason }) => {
        const what = NOT_OFFERED.has(reason) ? 'is not offered' : 'is no skill';
        return line(`warning: ${path} ${what}: ${detail}`).trimEnd();
      });
      const absent = missing.map(
        ({ name, setting }) => `warning: ${setting} names ${name}, which is in no folder of skills and in no plugin.`,
      );
      return { json: { skills, problems, missing }, text, warnings: [...warnings, ...absent] };
    },
  }),
  command({
    path: 'skills install',
    summary: 'install a skill for every agent, after showing what is in it',
    args: INSTALL_ARGUMENT,
    options: INSTALL_OPTIONS,
    examples: ['skills install ./pdf-reader', 'skills install some-skill@1.0.0'],
    notes: `A skill is a folder with a SKILL.md. It goes to <state>/skills, where every agent is told its name and description; an
agent reads the rest when it needs it. A skill of the same name in an agent's workspace comes first.
Exit code: 0 when it is installed, 1 when you say no, 2 when it is refused.`,
    async run({ source, ...flags }, { io }) {
      const { runInstall } = await import('./plugins/run-install.ts');
      const ran = await runInstall(source, 'skill', flags, io);
      if (!ran) return { ok: false };
      const { record, dependencies, scan } = ran;
      const text = 'Agents are told of it with their next message.\n';
      return { json: { installed: record, dependencies, scan }, text };
    },
  }),
  command({
    path: 'skills uninstall',
    summary: 'remove an installed skill',
    args: { '<name>': 'a skill that was installed with "skills install"' },
    examples: ['skills uninstall pdf-reader'],
    notes: 'Skills that you wrote yourself are never removed.',
    async run({ name }, { io }) {
      if (io.environment.isConfigManaged) throw new InstallManagedError({ target: name });
      const { uninstallPackage } = await import('../plugins/install/uninstall-package.ts');
      const record = await uninstallPackage(io.environment.stateDir, name, ['skill']);
      return { json: { uninstalled: record }, text: line(`Removed ${record.id} from ${record.dir}.`) };
    },
  }),
];
