// `atrium skills install`: brings a skill in for every agent, in the way in which plugins come in.

import type { AddCommand } from './commands.ts';
import { EXIT } from './exit-code.ts';
import type { InstallFlags } from './plugins/review-install.ts';
import { skillsGroup } from './skills-group.ts';

export const addSkillsInstall: AddCommand = (program, io, exit) => {
  skillsGroup(program)
    .command('install')
    .argument('<source>', 'an npm name with or without a version, a folder, or an archive (.tgz, .tar.gz, .tar)')
    .description('install a skill for every agent, after showing what is in it')
    .option('--yes', 'do not ask; what is found is shown all the same')
    .option('--force', 'replace what stands in its place, whoever put it there')
    .option('--json', 'print JSON for programs; needs --yes')
    .addHelpText(
      'after',
      `
Examples:
  $ atrium skills install ./pdf-reader
  $ atrium skills install some-skill@1.0.0

A skill is a folder with a SKILL.md. It goes to <state>/skills, where every agent is told its name and description; an
agent reads the rest when it needs it. A skill of the same name in an agent's workspace comes first.
Exit code: 0 when it is installed, 1 when you say no, 2 when it is refused.`,
    )
    .action(async (given: string, flags: InstallFlags) => {
      const { runInstall } = await import('./plugins/run-install.ts');
      const ran = await runInstall(given, 'skill', flags, io);
      if (!ran) {
        exit(EXIT.finding);
        return;
      }
      const { record, dependencies, scan } = ran;
      if (flags.json) io.out(`${JSON.stringify({ installed: record, dependencies, scan }, null, 2)}\n`);
      else io.out('Agents are told of it with their next message.\n');
    });
};
