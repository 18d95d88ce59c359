// The token of an account: the setting itself, else a file that it names, else the variable of the platform. Never
// throws: what is wrong is a sentence. How a token of the platform looks, its own section knows.

import type { Environment } from '../environment.ts';
import { DEFAULT_ACCOUNT, type FoundAccount } from './channel-settings.ts';
import { givenSecret, type WrittenSecret } from './given-secret.ts';
import { type ReadToken, readTokenFile } from './read-token-file.ts';

/** Where a token may stand. The names are those of the settings, for sentences. */
export interface TokenPlaces {
  readonly key: string;
  readonly written: WrittenSecret | undefined;
  readonly fileKey: string;
  readonly file: string | undefined;
  readonly variable: string;
}

/** Neither a token nor a problem when the token stands in none of its places. */
export function accountToken(
  { accountId, path }: Pick<FoundAccount<unknown>, 'accountId' | 'path'>,
  { key, written, fileKey, file, variable }: TokenPlaces,
  environment: Pick<Environment, 'variables' | 'home' | 'cwd'>,
): ReadToken {
  const { value, problem } = givenSecret(written, `${path}.${key}`, environment.variables);
  if (problem !== undefined) return { problem: `${problem} This account is not started.` };
  if (value !== undefined) return { token: value };
  if (file !== undefined) return readTokenFile(file, `${path}.${fileKey}`, environment);
  // The variable is that of the default account, as in OpenClaw.
  return accountId === DEFAULT_ACCOUNT ? { token: environment.variables[variable]?.trim() || undefined } : {};
}
