// `atrium hooks new` and `atrium hooks test`: write a hook pack that works and has a test, to be changed, and run the tests that
// lie beside a pack's handler, with the modules that the handler gets from Atrium. `node:test` prints the outcome and decides
// the exit code when the process ends.

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { loadConfig } from '../../config/load-config.ts';
import { WorkspaceNotFoundError } from '../../context/errors.ts';
import { BUNDLED_IDS } from '../../gateway/composer/bundled-handlers.ts';
import { hookDirectoriesOf } from '../../gateway/composer/user-handlers.ts';
import { listBundledPacks } from '../../hooks/bundled/bundled-packs.ts';
import { discoverHooks } from '../../hooks/packs/discover-hooks.ts';
import { resolveHookKey } from '../../hooks/packs/hook-pack.ts';
import { saveHookScaffold, scaffoldHook } from '../../hooks/packs/scaffold-hook.ts';
import { testHook } from '../../hooks/packs/test-hook.ts';
import { nearMatch } from '../../protocol/near-match.ts';
import { ownHandlers } from '../../public/own-handlers.ts';
import { resolveAgent, resolveWorkspaceDir } from '../agents/resolve-agent.ts';
import type { CliIo } from '../cli-io.ts';
import { command, type FlagsOf } from '../command.ts';
import { CONFIG_OPTION } from '../common-options.ts';
import { UnknownHookPackError } from '../errors.ts';
import { HOOK_OPTIONS } from './ask-hooks.ts';

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
    const taken = [...BUNDLED_IDS, ...listBundledPacks('').map((pack) => pack.name)];
    const scaffold = scaffoldHook(await hooksDirOf(flags, io), name, taken);
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

export const hooksTest = command({
  path: 'hooks test',
  summary: "run a hook pack's own tests",
  args: { '<name>': 'the name of a hook pack' },
  options: HOOK_OPTIONS,
  examples: ['hooks test greeter    runs <state>/hooks/greeter/*.test.ts'],
  notes: 'The tests use node:test and may import "atrium/context". Exit code: 0 when they pass, 1 when one fails.',
  json: false,
  async run({ name, ...flags }, { io }) {
    const { environment } = io;
    const { config } = await loadConfig({ environment, configPath: flags.config });
    const workspaceDir = resolveWorkspaceDir(config, environment, flags);
    const { packs } = await discoverHooks(hookDirectoriesOf({ config, environment, workspaceDir }));
    const wanted = name.replace(/^hook:/, '');
    const pack = packs.find((each) => each.name === wanted) ?? packs.find((each) => resolveHookKey(each) === wanted);
    if (pack === undefined) {
      const names = packs.map((each) => each.name);
      throw new UnknownHookPackError({ pack: wanted, suggestion: nearMatch(wanted, names) });
    }
    io.linger();
    await testHook(pack, { virtualModules: await ownHandlers(config, environment).modulesFor(pack) });
    return {};
  },
});
