// Brings what is to be installed into a staging folder, whatever it comes from, so that everything after this looks at
// plain files of our own. Nothing of the package is run, and no settings file of the package is read.

import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject, type JsonObject } from '../../protocol/json.ts';
import { ArchiveRefusedError, NpmFailedError } from '../errors.ts';
import { copyFolder } from './copy-folder.ts';
import type { InstallSource } from './install-source.ts';
import { type NpmEnvironment, runNpm } from './run-npm.ts';
import { unpackArchive } from './unpack-archive.ts';

export interface FetchedPackage {
  readonly dir: string;
  /** The registry's own hash of the archive, for packages of npm. */
  readonly archiveIntegrity: string | undefined;
}

export async function fetchPackage(
  source: InstallSource,
  stagingDir: string,
  npm: NpmEnvironment,
): Promise<FetchedPackage> {
  const dir = join(stagingDir, 'package');
  if (source.kind === 'folder') {
    await copyFolder(source.spec, dir);
    return { dir, archiveIntegrity: undefined };
  }
  if (source.kind === 'archive') {
    await unpackArchive({ archive: source.spec, into: dir, scratchDir: stagingDir });
    return { dir, archiveIntegrity: undefined };
  }
  const packed = await packFromNpm(source.spec, stagingDir, npm);
  try {
    await unpackArchive({ archive: packed.file, into: dir, scratchDir: stagingDir });
  } catch (error) {
    // The path in the staging folder means nothing to the operator.
    if (error instanceof ArchiveRefusedError) {
      throw new ArchiveRefusedError({ archive: `of ${source.spec}`, problem: error.problem }, { cause: error });
    }
    throw error;
  }
  return { dir, archiveIntegrity: packed.integrity };
}

async function packFromNpm(
  spec: string,
  stagingDir: string,
  npm: NpmEnvironment,
): Promise<{ readonly file: string; readonly integrity: string | undefined }> {
  const cwd = join(stagingDir, 'npm');
  await mkdir(cwd, { mode: 0o700 });
  await writeFile(join(cwd, 'package.json'), JSON.stringify({ name: `staging-${randomUUID()}`, private: true }));
  const task = `fetch ${spec}, and nothing was installed`;
  const out = await runNpm({ ...npm, cwd, task, args: ['pack', spec, '--json', '--pack-destination', cwd] });
  const packed = firstObject(out);
  const { filename, integrity } = packed;
  if (typeof filename !== 'string' || /[/\\]/.test(filename))
    throw new NpmFailedError({ task, detail: 'it named no archive.' });
  return { file: join(cwd, filename), integrity: typeof integrity === 'string' ? integrity : undefined };
}

/** npm prints a list of one, and newer ones an object by name. */
function firstObject(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    const [first] = Array.isArray(value) ? value : Object.values(value as object);
    return isJsonObject(first) ? first : {};
  } catch {
    return {};
  }
}
