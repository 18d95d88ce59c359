// Where something is installed from: a package of the npm registry, a folder, or an archive. Reads what a person typed
// and looks at the disk, never at the network. Everything else that npm would take (git, addresses, aliases) is refused:
// the same text could mean something else later.

import { stat } from 'node:fs/promises';
import { InstallSourceError } from '../errors.ts';

export type InstallSource =
  | { readonly kind: 'npm'; readonly spec: string; readonly name: string }
  /** `spec` is the path, links not followed. */
  | { readonly kind: 'folder' | 'archive'; readonly spec: string };

/** `resolvePath` makes a path absolute that may begin with `~` or be relative. */
export async function parseInstallSource(given: string, resolvePath: (path: string) => string): Promise<InstallSource> {
  const text = given.trim();
  if (text === '' || /[\x00-\x1f\x7f]/.test(text))
    throw new InstallSourceError({ given, problem: 'it is no name and no path' });
  if (looksLikePath(text)) return sourceOnDisk(given, resolvePath(text));
  if (/^[a-z+]+:/i.test(text))
    throw new InstallSourceError({ given, problem: 'addresses and other protocols are not fetched' });
  const [, name] = NPM_SPEC.exec(text) ?? [];
  if (name === undefined) throw new InstallSourceError({ given, problem: 'npm has no names of this form' });
  return { kind: 'npm', spec: text, name };
}

/** A name, and behind an `@` a version, a range without blanks, or a tag. */
const NPM_SPEC = /^((?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~][a-z0-9._~-]*)(?:@[a-z0-9^~<>=.*+-]+)?$/i;
const ARCHIVE_NAME = /\.(?:tgz|tar\.gz|tar)$/i;

function looksLikePath(text: string): boolean {
  return /^(?:[./~\\]|[a-z]:[\\/])/i.test(text) || ARCHIVE_NAME.test(text);
}

async function sourceOnDisk(given: string, path: string): Promise<InstallSource> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory()) return { kind: 'folder', spec: path };
  if (!found) throw new InstallSourceError({ given, problem: `there is nothing at ${path}` });
  if (!found.isFile()) throw new InstallSourceError({ given, problem: 'it is neither a folder nor a file' });
  if (!ARCHIVE_NAME.test(path))
    throw new InstallSourceError({ given, problem: 'its name does not end in .tgz, .tar.gz or .tar' });
  return { kind: 'archive', spec: path };
}
