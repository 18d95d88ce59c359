// The file with the token that a gateway makes for itself when none is configured.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export function tokenFile(stateDir: string): string {
  return join(stateDir, 'atrium', 'token');
}

/** For comparing only: undefined when there is no file yet, or none that can be read. The code that uses the token says why. */
export async function peekTokenFile(stateDir: string): Promise<string | undefined> {
  const text = await readFile(tokenFile(stateDir), 'utf8').catch(() => '');
  return text.trim() || undefined;
}
