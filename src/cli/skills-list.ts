// `atrium skills list`: every skill that there is for an agent, where it comes from.

import type { AddCommand } from './commands.ts';
import type { ListedSkill } from './list-skills.ts';
import { formatTable, oneLine, outputWidth } from './output/format-table.ts';
import { skillsGroup } from './skills-group.ts';

interface SkillsListFlags {
  readonly agent?: string;
  readonly config?: string;
  readonly json?: boolean;
}

export const addSkillsList: AddCommand = (program, io) => {
  skillsGroup(program)
    .command('list')
    .description('list the skills of an agent and where they come from')
    .option('--agent <id>', 'the agent whose skills are meant (default: the configured default agent)')
    .option('--config <file>', 'read this configuration file only')
    .option('--json', 'print JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  $ atrium skills list
  $ atrium skills list --json | jq -r '.skills[].name'

The first of a name is the one that counts: the workspace's, then those of the state directory, then those of plugins.`,
    )
    .action(async (flags: SkillsListFlags) => {
      const { listSkills } = await import('./list-skills.ts');
      const { skills, problems } = await listSkills(flags, io);
      if (flags.json) {
        io.out(`${JSON.stringify({ skills, problems }, null, 2)}\n`);
        return;
      }
      if (skills.length === 0) io.out('There are no skills. "atrium skills install --help" shows how to get one.\n');
      else io.out(formatTable(skills, COLUMNS, outputWidth(io)));
      for (const { path, detail } of problems) io.err(`warning: ${oneLine(`${path} is no skill: ${detail}`)}\n`);
    });
};

const COLUMNS = [
  { title: 'skill', cell: ({ name }: ListedSkill) => name },
  { title: 'from', cell: ({ from }: ListedSkill) => from },
  { title: 'what it says of itself', cell: ({ description }: ListedSkill) => description },
];
