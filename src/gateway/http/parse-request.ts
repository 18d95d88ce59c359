// Checks what a request says against its schema. The schemas are loaded here, with the first request that has something
// to check.

import type { z } from 'zod';
import { RequestInvalidError } from '../errors.ts';

type Schemas = typeof import('./schemas.ts');

/** Also called once after start-up, so that nobody waits for it. */
export function loadSchemas(): Promise<Schemas> {
  return import('./schemas.ts');
}

export async function parseRequest<T extends z.ZodType>(
  value: unknown,
  choose: (schemas: Schemas) => T,
): Promise<z.infer<T>> {
  const result = choose(await loadSchemas()).safeParse(value);
  if (result.success) return result.data;
  const issues = result.error.issues.slice(0, MAX_ISSUES).map(({ path, message }) => ({ at: path.join('.'), message }));
  const sentence = issues.map(({ at, message }) => `${at === '' ? 'The request' : at}: ${message}.`).join(' ');
  throw new RequestInvalidError({ problem: sentence.slice(0, MAX_LENGTH), param: issues[0]?.at || undefined });
}

const MAX_ISSUES = 3;
const MAX_LENGTH = 500;
