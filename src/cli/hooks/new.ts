// `atrium hooks new`: writes a hook pack that works and has a test, to be changed.

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { loadConfig } from '../../config/load-config.ts';
import { WorkspaceNotFoundError } from '../../context/errors.ts';
import { saveHookScaffold, scaffoldHook } from '../../hooks/packs/scaffold-hook.ts';
import { resolveAgent } from '../agents/resolve-agent.ts';
import type { CliIo } from '../cli-io.ts';
import type { AddCommand } from '../commands.ts';
import { hooksGroup } from '../hooks-group.ts';

interface NewHookFlags {
  readonly workspace?: boolean;
  readonly agent?: string;
  readonly config?: string;
}

export const addHooksNew: AddCommand = (program, io) => {
  hooksGroup(program)
    .command('new')
    .argument('<name>', 'the name of the hook: small letters, digits and dashes')
    .description('write a new hook pack, with a handler and a test')
    .option('--workspace', "put it into the agent's workspace instead of the state directory")
    .option('--agent <id>', 'the agent whose workspace is meant (default: the configured default agent)')
    .option('--config <file>', 'read this configuration file only')
    .addHelpText(
      'after',
      `
Examples:
  $ atrium hooks new greeter                for every agent, in <state>/hooks/greeter
  $ atrium hooks new greeter --workspace    for one agent, in <workspace>/hooks/greeter`,
    )
    .action(async (name: string, flags: NewHookFlags) => {
      const scaffold = scaffoldHook(await hooksDirOf(flags, io), name);
      await saveHookScaffold(scaffold);
      io.out(`Wrote the hook "${name}":\n${scaffold.files.map(({ path }) => `  ${path}\n`).join('')}\nNext:\n`);
      if (flags.workspace) {
        const agent = flags.agent === undefined ? '' : ` --agent ${flags.agent}`;
        io.out(`  Workspace hooks are off until you allow them:  atrium hooks enable ${name}${agent}\n`);
      }
      io.out(scaffold.nextSteps.map((step) => `  ${step}\n`).join(''));
    });
};

async function hooksDirOf(flags: NewHookFlags, io: CliIo): Promise<string> {
  if (!flags.workspace) return join(io.environment.stateDir, 'hooks');
  const { config } = await loadConfig({ environment: io.environment, configPath: flags.config });
  const { workspaceDir } = resolveAgent(config, io.environment, flags.agent);
  const isDirectory = await stat(workspaceDir).then(
    (entry) => entry.isDirectory(),
    () => false,
  );
  if (!isDirectory) throw new WorkspaceNotFoundError({ dir: workspaceDir });
  return join(workspaceDir, 'hooks');
}
