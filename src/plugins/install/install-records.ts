// The list of what was installed by a command, in `<state>/extensions/installs.json`: what it is, where it came from and
// what its files were then. A damaged list is an error and is never taken for an empty one.
//
// Errors: InstallRecordsError when the list is there and cannot be understood.

import { readFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { isJsonObject } from '../../protocol/json.ts';
import { InstallNotWritableError, InstallRecordsError } from '../errors.ts';
import { writeJsonFileAtomically } from '../openclaw-sdk/json-files.ts';
import { type InstallKind, isInstallId } from './installable.ts';

export interface InstallRecord {
  readonly kind: InstallKind;
  readonly id: string;
  /** An absolute path. */
  readonly dir: string;
  /** As it was asked for: an npm name with or without a version, or an absolute path. */
  readonly spec: string;
  readonly origin: 'npm' | 'folder' | 'archive';
  /** The package's name; null when it has no package.json. */
  readonly name: string | null;
  readonly version: string | null;
  /** What `hashPluginFolder` gave when it was installed. */
  readonly integrity: string;
  /** The registry's hash of the archive; null when it did not come from npm. */
  readonly archiveIntegrity: string | null;
  /** Milliseconds since 1970. */
  readonly installedAt: number;
}

export function installRecordsFile(stateDir: string): string {
  return join(stateDir, 'extensions', 'installs.json');
}

export async function readInstallRecords(stateDir: string): Promise<readonly InstallRecord[]> {
  const file = installRecordsFile(stateDir);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw new InstallRecordsError({ file, problem: `it cannot be read (${code})` }, { cause: error });
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new InstallRecordsError({ file, problem: 'it is not valid JSON' }, { cause: error });
  }
  const installs = isJsonObject(value) ? value.installs : undefined;
  if (!Array.isArray(installs)) throw new InstallRecordsError({ file, problem: 'it has no list "installs"' });
  const broken = installs.findIndex((each) => !isRecord(each));
  if (broken !== -1) throw new InstallRecordsError({ file, problem: `its entry ${broken + 1} is incomplete` });
  return installs as unknown as readonly InstallRecord[];
}

/** The file is written as a whole or not at all. Callers hold the lock, so that no entry of another command is lost. */
export async function writeInstallRecords(stateDir: string, records: readonly InstallRecord[]): Promise<void> {
  const file = installRecordsFile(stateDir);
  const order = (record: InstallRecord) => `${record.kind} ${record.id}`;
  const installs = [...records].sort((a, b) => (order(a) < order(b) ? -1 : 1));
  try {
    await writeJsonFileAtomically(file, { installs }, { flush: true });
  } catch (error) {
    throw new InstallNotWritableError({ dir: file }, { cause: error });
  }
}

export function isSameInstall(a: Pick<InstallRecord, 'kind' | 'id'>, b: Pick<InstallRecord, 'kind' | 'id'>): boolean {
  return a.kind === b.kind && a.id === b.id;
}

const KINDS: readonly unknown[] = ['plugin', 'hook-pack', 'skill'];
const ORIGINS: readonly unknown[] = ['npm', 'folder', 'archive'];

function isRecord(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { kind, id, dir, spec, origin, integrity, installedAt, name, version, archiveIntegrity } = value;
  const isTextOrNull = (each: unknown) => each === null || typeof each === 'string';
  return (
    KINDS.includes(kind) &&
    ORIGINS.includes(origin) &&
    [id, dir, spec, integrity].every((each) => typeof each === 'string' && each !== '') &&
    isInstallId(String(id)) &&
    isAbsolute(String(dir)) &&
    [name, version, archiveIntegrity].every(isTextOrNull) &&
    typeof installedAt === 'number'
  );
}
