// Installs a plugin, hook pack or skill: fetch, look through, have it reviewed, fetch its dependencies, put it into its
// place, write it down. Nothing of it runs here. Until the last step everything happens in a staging folder, so whatever
// goes wrong leaves the state directory as it was, and what is replaced stays until its successor is there.
//
// Errors: every refusal is an AtriumError of its own; whatever `review` rejects with is passed on.

import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { InstallExistsError } from '../errors.ts';
import { fetchPackage } from './fetch-package.ts';
import { hashPluginFolder } from './hash-plugin-folder.ts';
import { type InstalledDependencies, installDependencies } from './install-dependencies.ts';
import { type InstallRecord, isSameInstall, readInstallRecords, writeInstallRecords } from './install-records.ts';
import type { InstallSource } from './install-source.ts';
import { folderNameOf, type Installable, type InstallKind, readInstallable } from './installable.ts';
import type { NpmEnvironment } from './run-npm.ts';
import { type PluginScan, scanPlugin } from './scan-plugin.ts';
import { withStaging } from './staging.ts';

export interface InstallRequest extends NpmEnvironment {
  readonly wanted: 'plugin' | 'skill';
  readonly source: InstallSource;
  readonly stateDir: string;
  /** Replaces what stands in its place, also when it was not installed by this command. */
  readonly force: boolean;
  readonly now: () => number;
}

/** What the review sees before the installation is decided. */
export interface StagedInstall {
  readonly installable: Installable;
  readonly source: InstallSource;
  readonly scan: PluginScan;
  readonly target: string;
  /** What it takes the place of; undefined when the place is free. */
  readonly replaces: InstallRecord | 'something else' | undefined;
}

export interface Installed {
  readonly record: InstallRecord;
  readonly dependencies: InstalledDependencies;
}

/** `review` rejects to refuse; false means that a person said no, and gives undefined. */
export async function installPackage(
  request: InstallRequest,
  review: (staged: StagedInstall) => Promise<boolean>,
): Promise<Installed | undefined> {
  const { wanted, source, stateDir, force, variables, now } = request;
  return withStaging(stateDir, async ({ stagingDir, place }) => {
    const records = await readInstallRecords(stateDir);
    const fetched = await fetchPackage(source, stagingDir, { variables });
    const installable = await readInstallable(fetched.dir, wanted, source.spec);
    const { kind, id, dir, packageName = null, version = null, packageJson } = installable;
    const target = installDirOf(stateDir, kind, id);
    const replaces = await findReplaced(records, { ...installable, spec: source.spec }, target, force);
    const scan = await scanPlugin(dir);
    if (!(await review({ installable, source, scan, target, replaces }))) return undefined;

    const dependencies = await installDependencies(dir, packageJson, stagingDir, { variables });
    const record: InstallRecord = {
      kind,
      id,
      dir: target,
      spec: source.spec,
      origin: source.kind,
      name: packageName,
      version,
      integrity: await hashPluginFolder(dir),
      archiveIntegrity: fetched.archiveIntegrity ?? null,
      installedAt: now(),
    };
    const placed = await place(dir, target);
    try {
      const others = records.filter((each) => !isSameInstall(each, record));
      await writeInstallRecords(stateDir, [...others, record]);
    } catch (error) {
      await placed.undo();
      throw error;
    }
    return { record, dependencies };
  });
}

const FOLDERS: Readonly<Record<InstallKind, string>> = { plugin: 'extensions', 'hook-pack': 'hooks', skill: 'skills' };

export function installDirOf(stateDir: string, kind: InstallKind, id: string): string {
  return join(stateDir, FOLDERS[kind], folderNameOf(id));
}

/** An older version of the same package is replaced; anything else only when the operator says so. */
async function findReplaced(
  records: readonly InstallRecord[],
  installable: Installable & { readonly spec: string },
  target: string,
  force: boolean,
): Promise<StagedInstall['replaces']> {
  const { id, packageName = null, spec } = installable;
  const isTaken = (await lstat(target).catch(() => undefined)) !== undefined;
  const known = records.find((record) => isSameInstall(record, installable));
  if (known && known.name === packageName && (packageName !== null || known.spec === spec)) return known;
  if (known && !force) {
    const other = known.name ?? known.spec;
    throw new InstallExistsError({ id, problem: `another package, ${other}, is installed under this name` });
  }
  if (known) return known;
  if (isTaken && !force)
    throw new InstallExistsError({ id, problem: `${target} is there and was not put there by this command` });
  return isTaken ? 'something else' : undefined;
}
