// Installs what a person named: it fetches the package, shows its contents, asks the plugins and then the person, and
// reports the result. `plugins install` and `skills install` share this part.

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { loadConfig } from '../../config/load-config.ts';
import { pluginSettingsOf } from '../../config/plugin-settings.ts';
import { resolveUserPath } from '../../config/user-path.ts';
import { InstallManagedError } from '../../gateway/errors.ts';
import type { InstallVerdict } from '../../gateway/services/check-install.ts';
import type { InstallFinding } from '../../hooks/lifecycle-hooks.ts';
import { dependencyNames } from '../../plugins/install/install-dependencies.ts';
import { installQuestion } from '../../plugins/install/install-event.ts';
import { type Installed, installPackage, type StagedInstall } from '../../plugins/install/install-package.ts';
import { parseInstallSource } from '../../plugins/install/install-source.ts';
import type { PluginScan, ScanFinding } from '../../plugins/install/scan-plugin.ts';
import { SCAN_KINDS, type ScanKind } from '../../plugins/install/scan-rules.ts';
import { countOf } from '../../protocol/count-of.ts';
import type { CliIo } from '../cli-io.ts';
import type { FlagsOf } from '../command.ts';
import type { INSTALL_OPTIONS } from '../common-options.ts';
import { InstallBlockedError, InstallUncheckedError, InstallUnconfirmedError } from '../errors.ts';
import { clientAt } from '../gateway/gateway-client.ts';
import { reachGateway } from '../gateway/reach-gateway.ts';
import { oneLine } from '../output/text.ts';

type InstallFlags = FlagsOf<typeof INSTALL_OPTIONS>;

export interface RanInstall extends Installed {
  readonly scan: PluginScan;
}

/** Undefined when the person refused, which is printed. */
export async function runInstall(
  given: string,
  wanted: 'plugin' | 'skill',
  flags: InstallFlags,
  io: CliIo,
): Promise<RanInstall | undefined> {
  const { home, cwd, stateDir, variables, isConfigManaged } = io.environment;
  if (isConfigManaged) throw new InstallManagedError({ target: given });
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

/** False when the person refuses. */
async function reviewInstall(staged: StagedInstall, flags: InstallFlags, io: CliIo): Promise<boolean> {
  // A program reads one JSON value on standard output, so nothing else may be printed there.
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

/** One question at the terminal; every answer except a yes is a no. Undefined when there is no terminal to ask at. */
async function askYes(question: string, io: CliIo): Promise<boolean | undefined> {
  if (!io.isTerminal || process.stdin.isTTY !== true) return undefined;
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const answer = await new Promise<string>((resolve) => {
      lines.once('close', () => resolve(''));
      lines.once('SIGINT', () => resolve(''));
      lines.question(`${question} [y/N] `, resolve);
    });
    return /^y(?:es)?$/i.test(answer.trim());
  } finally {
    lines.close();
  }
}

const MOST_PLACES = 3;

function formatScan({ scannedFiles, findings }: PluginScan): string {
  const looked = `${countOf(scannedFiles, 'file')} looked through`;
  if (findings.length === 0) {
    return `${looked}: nothing of what the scan knows is mentioned. That does not mean that it is safe.\n`;
  }
  const kinds = (Object.keys(SCAN_KINDS) as ScanKind[]).flatMap((kind) => {
    const ofKind = findings.filter((finding) => finding.kind === kind);
    return ofKind.length === 0 ? [] : [formatKind(SCAN_KINDS[kind], ofKind)];
  });
  return `${looked}. By the words in it, it\n${kinds.join('')}`;
}

/** What plugins found besides, for people. */
function formatPluginFindings(findings: readonly InstallFinding[]): string {
  if (findings.length === 0) return '';
  const lines = findings.map(
    ({ severity, message, file, line }) =>
      `  ${mark(severity)} ${oneLine(String(message))} (${placeOf({ file, line })})\n`,
  );
  return `Plugins add:\n${lines.join('')}`;
}

function formatKind(meaning: string, findings: readonly ScanFinding[]): string {
  const severity = SEVERITIES.find((each) => findings.some((finding) => finding.severity === each)) ?? 'info';
  const places = [...new Set(findings.map(placeOf))];
  const more = places.length - MOST_PLACES;
  const shown = places.slice(0, MOST_PLACES).join(', ');
  return `  ${mark(severity)} ${meaning}: ${shown}${more > 0 ? ` and ${more} more` : ''}\n`;
}

const SEVERITIES = ['critical', 'warn', 'info'] as const;

function mark(severity: string): string {
  return severity === 'critical' ? '!!' : severity === 'warn' ? ' !' : ' -';
}

function placeOf({ file, line }: Pick<InstallFinding, 'file' | 'line'>): string {
  return oneLine(`${file}:${line}`);
}

/** The plugins' other findings; rejects when one refuses. */
async function askAboutInstall(staged: StagedInstall, io: CliIo): Promise<InstallVerdict['findings']> {
  const { id } = staged.installable;
  let verdict: InstallVerdict;
  try {
    verdict = await verdictOn(staged, io);
  } catch (error) {
    throw new InstallUncheckedError({ target: id, detail: (error as Error).message }, { cause: error });
  }
  const { refusal, findings } = verdict;
  if (refusal) throw new InstallBlockedError({ target: id, by: refusal.by, reason: refusal.reason });
  return findings;
}

async function verdictOn(staged: StagedInstall, io: CliIo): Promise<InstallVerdict> {
  const { isStateLocked } = await import('../../store/state-lock.ts');
  const isRunning = await isStateLocked(io.environment.stateDir);
  if (!isRunning && !(await hasPlugins(io))) return { refusal: null, findings: [], asked: 0 };
  const { event, context } = installQuestion(staged);
  const gateway = await reachGateway(io, undefined);
  try {
    return await clientAt(gateway).post<InstallVerdict>('/api/installs/check', { event, context });
  } finally {
    await gateway.close();
  }
}

/** The plugins that come with the product never object to installations. */
async function hasPlugins({ environment }: CliIo): Promise<boolean> {
  const { config } = await loadConfig({ environment });
  const { enabled, loadPaths, entries } = pluginSettingsOf(config, environment.home);
  if (!enabled) return false;
  // A plugin that is switched on by name may lie in the workspace.
  if (loadPaths.length > 0 || Object.values(entries).some((entry) => entry.enabled === true)) return true;
  const names = await readdir(join(environment.stateDir, 'extensions')).catch(() => []);
  return names.some((name) => name !== 'installs.json' && !name.startsWith('.'));
}
