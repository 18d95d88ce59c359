// A secret in the section of a channel: text, or a reference that loading the configuration did not look up. A variable
// that is not set is told as that, and is never taken for the secret itself.

import type { z } from 'zod';
import type { EnvironmentVariables } from '../home-dir.ts';
import type { secret } from '../schema-kinds.ts';
import { unresolvedSecret } from '../secrets/secret-reference.ts';

export type WrittenSecret = z.infer<ReturnType<typeof secret>>;

export interface GivenSecret {
  readonly value?: string | undefined;
  readonly problem?: string | undefined;
}

/** `setting` is where the secret stands, for sentences. */
export function givenSecret(
  written: WrittenSecret | undefined,
  setting: string,
  variables: EnvironmentVariables,
): GivenSecret {
  const value =
    typeof written === 'object' && written.source === 'env' ? (variables[written.id ?? ''] ?? written) : written;
  const problem = unresolvedSecret(value, setting);
  if (problem !== undefined) return { problem };
  return { value: typeof value === 'string' ? value.trim() || undefined : undefined };
}
