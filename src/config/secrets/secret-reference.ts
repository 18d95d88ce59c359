// A reference to a secret, as OpenClaw writes it in place of the secret itself: `{ source, provider, id }`. This file
// recognises one; `resolve-secrets.ts` looks it up.

import { isPlainObject } from '../plain-object.ts';

export interface SecretReference {
  readonly source: 'env' | 'file' | 'exec';
  /** A name under `secrets.providers`; without it, that of `secrets.defaults`. */
  readonly provider?: string | undefined;
  readonly id: string;
  /** Why it could not be looked up, as a full sentence; set by the look-up. */
  readonly problem?: string | undefined;
}

const SOURCES: readonly unknown[] = ['env', 'file', 'exec'];
const MEMBERS = ['source', 'provider', 'id'];

export function isSecretReference(value: unknown): value is SecretReference {
  return (
    isPlainObject(value) &&
    SOURCES.includes(value.source) &&
    typeof value.id === 'string' &&
    (value.provider === undefined || typeof value.provider === 'string') &&
    Object.keys(value).every((key) => MEMBERS.includes(key))
  );
}

/**
 * Why a value that should be a secret is none: a reference that could not be looked up, or a variable that is not set.
 * Undefined for text that can be used. `setting` is where the value stands.
 */
export function unresolvedSecret(value: unknown, setting: string): string | undefined {
  if (typeof value === 'string') {
    const name = /\$\{([A-Z_][A-Z0-9_]*)\}/.exec(value)?.[1];
    return name === undefined ? undefined : `${setting} names the variable ${name}, which is not set.`;
  }
  if (!isPlainObject(value)) return undefined;
  if (typeof value.problem === 'string') return `${setting}: ${value.problem}`;
  if (value.source === 'env') return `${setting} names the variable ${String(value.id ?? '')}, which is not set.`;
  return `${setting} is a reference to a secret that is looked up only by a running gateway.`;
}
