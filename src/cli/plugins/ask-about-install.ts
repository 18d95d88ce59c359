// Asks the plugins that are there whether something may be installed, through the gateway that runs, else through one of
// our own for that moment. A home without plugins has nobody to ask. Not being able to ask is a no.
//
// Errors: InstallBlockedError when a plugin refuses; InstallUncheckedError when they could not be asked.

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { loadConfig } from '../../config/load-config.ts';
import { pluginSettingsOf } from '../../config/plugin-settings.ts';
import type { InstallVerdict } from '../../gateway/services/check-install.ts';
import { installQuestion } from '../../plugins/install/install-event.ts';
import type { StagedInstall } from '../../plugins/install/install-package.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { CliIo } from '../cli-io.ts';
import { InstallBlockedError, InstallUncheckedError } from '../errors.ts';
import { callGateway } from '../gateway/call-gateway.ts';
import { reachGateway } from '../gateway/reach-gateway.ts';

/** What they found besides; rejects when they refuse. */
export async function askAboutInstall(staged: StagedInstall, io: CliIo): Promise<InstallVerdict['findings']> {
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
    const body = { event, context } as unknown as JsonObject;
    return (await callGateway(gateway, 'POST', '/api/installs/check', body)) as unknown as InstallVerdict;
  } finally {
    await gateway.close();
  }
}

/** Those that come with the product have no opinion on installations. */
async function hasPlugins({ environment }: CliIo): Promise<boolean> {
  const { config } = await loadConfig({ environment });
  const { enabled, loadPaths, entries } = pluginSettingsOf(config, environment.home);
  if (!enabled) return false;
  // One that is switched on by name may lie in the workspace.
  if (loadPaths.length > 0 || Object.values(entries).some((entry) => entry.enabled === true)) return true;
  const names = await readdir(join(environment.stateDir, 'extensions')).catch(() => []);
  return names.some((name) => name !== 'installs.json' && !name.startsWith('.'));
}
