// Reads a token that stands in a file of its own, so that the configuration can be shown to others. No link is followed.
// Never throws: what is wrong is a sentence, and never shows the token.

import type { Environment } from '../environment.ts';
import { describeExposure, readPrivateFile } from '../secrets/private-file.ts';
import { resolveUserPath } from '../user-path.ts';

export interface ReadToken {
  readonly token?: string | undefined;
  readonly problem?: string | undefined;
}

const LARGEST = 4_096;

/** `setting` is where the name of the file stands, for sentences. */
export function readTokenFile(
  name: string,
  setting: string,
  { home, cwd }: Pick<Environment, 'home' | 'cwd'>,
): ReadToken {
  const file = resolveUserPath(name, home, cwd);
  const read = readPrivateFile(file, { largest: LARGEST });
  if (!('text' in read)) return { problem: `${setting} names ${file}, which ${read.problem}.` };
  const token = read.text.trim();
  if (token === '') return { problem: `${setting} names ${file}, which is empty.` };
  return { token, problem: describeExposure(file, read) };
}
