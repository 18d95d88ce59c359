// `atrium skills uninstall`: removes what `skills install` brought.

import type { AddCommand } from './commands.ts';
import { oneLine } from './output/format-table.ts';
import { skillsGroup } from './skills-group.ts';

export const addSkillsUninstall: AddCommand = (program, io) => {
  skillsGroup(program)
    .command('uninstall')
    .argument('<name>', 'a skill that was installed with "skills install"')
    .description('remove an installed skill')
    .option('--json', 'print JSON for programs')
    .addHelpText('after', '\nSkills that you wrote yourself are never removed.')
    .action(async (name: string, flags: { readonly json?: boolean }) => {
      const { uninstallPackage } = await import('../plugins/install/uninstall-package.ts');
      const record = await uninstallPackage(io.environment.stateDir, name, ['skill']);
      io.out(
        flags.json
          ? `${JSON.stringify({ uninstalled: record }, null, 2)}\n`
          : `Removed ${oneLine(record.id)} from ${record.dir}.\n`,
      );
    });
};
