// What stands between a fetched package and the state directory: it is shown, the plugins are asked, and then the
// person is. Used by every command that installs.

import { dependencyNames } from '../../plugins/install/install-dependencies.ts';
import type { StagedInstall } from '../../plugins/install/install-package.ts';
import type { CliIo } from '../cli-io.ts';
import { InstallUnconfirmedError } from '../errors.ts';
import { oneLine } from '../output/format-table.ts';
import { askAboutInstall } from './ask-about-install.ts';
import { askYes } from './ask-yes.ts';
import { formatPluginFindings, formatScan } from './format-scan.ts';

export interface InstallFlags {
  readonly yes?: boolean;
  readonly force?: boolean;
  readonly json?: boolean;
}

/** False when the person says no. */
export async function reviewInstall(staged: StagedInstall, flags: InstallFlags, io: CliIo): Promise<boolean> {
  // Programs read one JSON value; people who use them read what is refused on the other side.
  const show = flags.json ? () => {} : io.out;
  show(describe(staged));
  show(formatScan(staged.scan));
  show(formatPluginFindings(await askAboutInstall(staged, io)));
  if (flags.yes) return true;
  const isConfirmed = flags.json ? undefined : await askYes(`Install ${oneLine(staged.installable.id)}?`, io);
  if (isConfirmed === undefined) throw new InstallUnconfirmedError({ target: staged.installable.id });
  return isConfirmed;
}

const KIND_NAMES = { plugin: 'plugin', 'hook-pack': 'hook pack', skill: 'skill' } as const;

function describe({ installable, source, target, replaces }: StagedInstall): string {
  const { kind, id, packageName, version, description, packageJson } = installable;
  const dependencies = dependencyNames(packageJson);
  const facts: readonly (readonly [string, string | undefined])[] = [
    [KIND_NAMES[kind], id],
    ['package', packageName && `${packageName}${version ? ` ${version}` : ''}`],
    ['says', description],
    ['from', source.spec],
    ['to', target],
    ['needs', dependencies.length === 0 ? undefined : `${dependencies.join(', ')} (not looked through)`],
    ['replaces', replacedText(replaces)],
  ];
  return `${facts
    .filter((fact): fact is readonly [string, string] => fact[1] !== undefined)
    .map(([name, value]) => `${name.padEnd(10)} ${oneLine(value)}\n`)
    .join('')}\n`;
}

function replacedText(replaces: StagedInstall['replaces']): string | undefined {
  if (replaces === undefined) return undefined;
  if (replaces === 'something else') return 'what is there now, which no command installed';
  return `${replaces.name ?? replaces.id}${replaces.version === null ? '' : ` ${replaces.version}`}`;
}
