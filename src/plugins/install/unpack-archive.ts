// Unpacks an untrusted archive into an empty folder. The whole archive is looked through before anything is written,
// and one bad entry refuses it: paths that lead out, links of either kind, devices, names that no file should have, more
// files or bytes than a package has. Links are refused altogether because npm never packs one.
//
// Errors: ArchiveRefusedError that names the entry. What was written by then is in the caller's staging folder.

import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { ReadEntry } from 'tar';
import { isAtriumError } from '../../protocol/errors.ts';
import { ArchiveRefusedError } from '../errors.ts';
import { makePrivate, PACKAGE_LIMITS, type TreeLimits, TreeMeter } from './package-tree.ts';

export interface UnpackRequest {
  readonly archive: string;
  /** Made here; the content of the archive's one folder, if it has one, as npm's archives do. */
  readonly into: string;
  /** An existing folder of the caller's for what is needed meanwhile. */
  readonly scratchDir: string;
  readonly limits?: TreeLimits | undefined;
}

export async function unpackArchive(request: UnpackRequest): Promise<void> {
  const { archive, into, scratchDir, limits = PACKAGE_LIMITS } = request;
  try {
    // A bounded copy is checked and unpacked, so that both see the same bytes and a small file cannot expand without end.
    const tarFile = join(scratchDir, 'archive.tar');
    await expand(archive, tarFile, limits);
    const { extract, list } = await import('tar');
    const paths: string[] = [];
    const meter = new TreeMeter(limits);
    let problem: string | undefined;
    await list({
      file: tarFile,
      strict: true,
      onReadEntry: (entry) => {
        problem ??= problemOf(entry) ?? meter.problemWith(entry.path, entry.size);
        paths.push(entry.path);
      },
    });
    if (problem !== undefined) throw new ArchiveRefusedError({ archive, problem });
    if (paths.length === 0) throw new ArchiveRefusedError({ archive, problem: 'it is empty' });
    await mkdir(into, { recursive: true, mode: 0o700 });
    await extract({
      file: tarFile,
      cwd: into,
      strict: true,
      strip: hasOneFolder(paths) ? 1 : 0,
      preserveOwner: false,
      noMtime: true,
      umask: 0o077,
    });
    await makePrivate(into);
  } catch (error) {
    if (isAtriumError(error)) throw error;
    throw new ArchiveRefusedError(
      { archive, problem: `it cannot be read (${(error as Error).message})` },
      { cause: error },
    );
  }
}

/** Entries have headers of their own, so the archive may be somewhat larger than what is in it. */
async function expand(archive: string, tarFile: string, { bytes, files }: TreeLimits): Promise<void> {
  const most = bytes + files * 2_048;
  let seen = 0;
  const bounded = new Transform({
    transform(chunk: Buffer, _, done) {
      seen += chunk.length;
      done(
        seen > most ? new ArchiveRefusedError({ archive, problem: 'it is too large when it is unpacked' }) : null,
        chunk,
      );
    },
  });
  const target = createWriteStream(tarFile, { flags: 'wx', mode: 0o600 });
  const source = createReadStream(archive);
  if (await isGzip(archive)) await pipeline(source, createGunzip(), bounded, target);
  else await pipeline(source, bounded, target);
}

async function isGzip(file: string): Promise<boolean> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(2), 0, 2, 0);
    return bytesRead === 2 && buffer.readUInt16BE() === 0x1f8b;
  } finally {
    await handle.close();
  }
}

function problemOf({ path, type }: ReadEntry): string | undefined {
  const shown = JSON.stringify(path.slice(0, 200));
  if (!['File', 'OldFile', 'ContiguousFile', 'Directory'].includes(type)) {
    return `${shown} is no file and no folder, but a ${type}`;
  }
  if (/[\x00-\x1f\x7f\\]/.test(path)) return `the name ${shown} has characters that no name should have`;
  if (/^(?:\/|[a-z]:)/i.test(path)) return `${shown} is an absolute path`;
  if (path.split('/').includes('..')) return `${shown} leads out of the archive`;
  if (path.length > 1_000) return `the name ${shown} is too long`;
  return undefined;
}

/** An archive whose top is `package/`, or whatever its author called it. */
function hasOneFolder(paths: readonly string[]): boolean {
  const parts = paths.map((path) => path.replace(/^(?:\.\/)+/, '').split('/'));
  const tops = new Set(parts.map(([top]) => top).filter((top) => top !== '' && top !== '.'));
  return tops.size === 1 && parts.every(([top, next]) => top === '' || top === '.' || next !== undefined);
}
