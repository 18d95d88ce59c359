// `atrium config`: the configuration of this home, and what can be set in it.

import { type CliCommand, command } from '../command.ts';
import { configCheck } from './check.ts';
import { configEdit } from './edit.ts';
import { configGet } from './get.ts';
import { configPath } from './path.ts';
import { configSet, configUnset } from './set.ts';

export const CONFIG_COMMANDS: readonly CliCommand[] = [
  configCheck,
  configPath,
  configGet,
  configSet,
  configUnset,
  configEdit,
  command({
    path: 'config schema',
    summary: 'print the JSON Schema of the configuration, for editors and forms',
    examples: ['config schema > openclaw.schema.json'],
    json: false,
    async run() {
      const { configJsonSchema } = await import('../../config/schema.ts');
      return { text: `${JSON.stringify(configJsonSchema(), null, 2)}\n` };
    },
  }),
];
