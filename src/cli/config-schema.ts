// `atrium config schema`: what can be set, as JSON Schema for editors and forms.

import type { AddCommand } from './commands.ts';
import { configGroup } from './config-group.ts';

export const addConfigSchema: AddCommand = (program, io) => {
  configGroup(program)
    .command('schema')
    .description('print the JSON Schema of the configuration, for editors and forms')
    .addHelpText(
      'after',
      `
Example:
  $ atrium config schema > openclaw.schema.json`,
    )
    .action(async () => {
      const { configJsonSchema } = await import('../config/schema.ts');
      io.out(`${JSON.stringify(configJsonSchema(), null, 2)}\n`);
    });
};
