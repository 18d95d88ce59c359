// Installs from what a person typed, and says what came of it: the common part of `plugins install` and `skills install`.

import { resolveUserPath } from '../../config/user-path.ts';
import { type Installed, installPackage } from '../../plugins/install/install-package.ts';
import { parseInstallSource } from '../../plugins/install/install-source.ts';
import type { PluginScan } from '../../plugins/install/scan-plugin.ts';
import { countOf } from '../../protocol/count-of.ts';
import type { CliIo } from '../cli-io.ts';
import { oneLine } from '../output/format-table.ts';
import { type InstallFlags, reviewInstall } from './review-install.ts';

export interface RanInstall extends Installed {
  readonly scan: PluginScan;
}

/** Undefined when the person said no, which is said. */
export async function runInstall(
  given: string,
  wanted: 'plugin' | 'skill',
  flags: InstallFlags,
  io: CliIo,
): Promise<RanInstall | undefined> {
  const { home, cwd, stateDir, variables } = io.environment;
  const source = await parseInstallSource(given, (path) => resolveUserPath(path, home, cwd));
  let scan: PluginScan = { scannedFiles: 0, findings: [] };
  const installed = await installPackage(
    { wanted, source, stateDir, force: flags.force === true, now: () => io.now().getTime(), variables },
    async (staged) => {
      scan = staged.scan;
      return reviewInstall(staged, flags, io);
    },
  );
  if (!installed) {
    io.out('Nothing was installed.\n');
    return undefined;
  }
  if (!flags.json) io.out(describeInstalled(installed));
  return { ...installed, scan };
}

function describeInstalled({ record, dependencies }: Installed): string {
  const { count, withScripts } = dependencies;
  const needed = count === 0 ? '' : ` with ${countOf(count, 'package')} that it needs`;
  const scripts =
    withScripts.length === 0
      ? ''
      : `Not run: the install scripts of ${oneLine(withScripts.join(', '))}. What depends on them may not work.\n`;
  return `Installed ${oneLine(record.id)}${record.version === null ? '' : ` ${oneLine(record.version)}`} in ${record.dir}${needed}.\n${scripts}`;
}
