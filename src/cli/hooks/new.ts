// `atrium hooks new`: writes a hook pack that works and has a test, to be changed.

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { loadConfig } from '../../config/load-config.ts';
import { WorkspaceNotFoundError } from '../../context/errors.ts';
import { saveHookScaffold, scaffoldHook } from '../../hooks/packs/scaffold-hook.ts';
import { resolveAgent } from '../agents/resolve-agent.ts';
import type { CliIo } from '../cli-io.ts';
import { command, type FlagsOf } from '../command.ts';
import { CONFIG_OPTION } from '../common-options.ts';

const OPTIONS = {
  '--workspace': "put it into the agent's workspace instead of the state directory",
  '--agent <id>': 'the agent whose workspace is meant (default: the configured default agent)',
  ...CONFIG_OPTION,
} as const;

export const hooksNew = command({
  path: 'hooks new',
  summary: 'write a new hook pack, with a handler and a test',
  args: { '<name>': 'the name of the hook: small letters, digits and dashes' },
  options: OPTIONS,
  examples: [
    'hooks new greeter                for every agent, in <state>/hooks/greeter',
    'hooks new greeter --workspace    for one agent, in <workspace>/hooks/greeter',
  ],
  json: false,
  async run({ name, ...flags }, { io }) {
    const scaffold = scaffoldHook(await hooksDirOf(flags, io), name);
    await saveHookScaffold(scaffold);
    const agent = flags.agent === undefined ? '' : ` --agent ${flags.agent}`;
    const steps = [
      ...(flags.workspace
        ? [`Workspace hooks are off until you allow them:  atrium hooks enable ${name}${agent}`]
        : []),
      ...scaffold.nextSteps,
    ];
    const lines = (texts: readonly string[]) => texts.map((text) => `  ${text}\n`).join('');
    return {
      text: `Wrote the hook "${name}":\n${lines(scaffold.files.map(({ path }) => path))}\nNext:\n${lines(steps)}`,
    };
  },
});

async function hooksDirOf(flags: FlagsOf<typeof OPTIONS>, io: CliIo): Promise<string> {
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
