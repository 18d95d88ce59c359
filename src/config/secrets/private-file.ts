// Reads a file that holds a secret. Only a regular file of bounded size is opened, and it is opened once, so that what
// was checked is what is read. Never throws: what is wrong is a reason, which never shows the content.

import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

export type PrivateFile = ReadFile | UnreadFile;

export interface ReadFile extends FileRights {
  /** Without the byte order mark that some editors write. */
  readonly text: string;
}

export interface FileRights {
  /** Whether others than the owner may read or write it. Both are false where the system has no such rights. */
  readonly isReadableByOthers: boolean;
  readonly isWritableByOthers: boolean;
}

export interface UnreadFile {
  /** Completes the sentence "… which". */
  readonly problem: string;
  readonly isMissing: boolean;
}

export interface PrivateFileOptions {
  readonly largest: number;
  /** Links are followed only where people are used to keep the file elsewhere. */
  readonly followsLinks?: boolean | undefined;
}

export function readPrivateFile(file: string, { largest, followsLinks = false }: PrivateFileOptions): PrivateFile {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  let handle: number | undefined;
  try {
    // Opening a pipe would otherwise wait for a writer that may never come.
    handle = openSync(file, O_RDONLY | (followsLinks ? 0 : (O_NOFOLLOW ?? 0)) | (O_NONBLOCK ?? 0));
    const facts = fstatSync(handle);
    if (!facts.isFile()) return unread('is not a regular file');
    if (facts.size > largest) return unread(`has more than the ${largest} bytes that are read`);
    return { text: readFileSync(handle, 'utf8').replace(/^\uFEFF/, ''), ...rightsIn(facts) };
  } catch (error) {
    const { code = 'it cannot be read' } = error as NodeJS.ErrnoException;
    const isMissing = code === 'ENOENT' || code === 'ENOTDIR';
    const why = code === 'ELOOP' ? 'it is a link, and links are not followed' : code;
    return { problem: `cannot be read (${why})`, isMissing };
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

/** A file that is not there is private. */
export function rightsIn({ mode } = { mode: 0 }): FileRights {
  const hasRights = process.platform !== 'win32';
  return {
    isReadableByOthers: hasRights && (mode & 0o044) !== 0,
    isWritableByOthers: hasRights && (mode & 0o022) !== 0,
  };
}

/** What to tell the operator about a file that others can get at; undefined for a private one. */
export function describeExposure(file: string, read: FileRights): string | undefined {
  if (!read.isReadableByOthers && !read.isWritableByOthers) return undefined;
  const verb = read.isWritableByOthers ? (read.isReadableByOthers ? 'read and change' : 'change') : 'read';
  return `Other users of this machine can ${verb} ${file}. Make it private: chmod 600 ${file}`;
}

function unread(problem: string): UnreadFile {
  return { problem, isMissing: false };
}
