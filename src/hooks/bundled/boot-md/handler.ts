// Starts a run with each agent's BOOT.md as its message, once for each start of the gateway.

import type { InternalHookEvent } from '../../../protocol/bootstrap-event.ts';
import { packDepsOf } from '../pack-deps.ts';

const MAX_CHARS = 32_000;

export async function handler(event: InternalHookEvent): Promise<void> {
  if (event.type !== 'gateway' || event.action !== 'startup') return;
  const { agentIds, readFile, startRun } = packDepsOf(event);
  const startedAt = event.timestamp.getTime();
  for (const agentId of agentIds) {
    const text = await readFile(agentId, 'BOOT.md');
    if (text === undefined || saysNothing(text)) continue;
    await startRun({ agentId, id: `boot-${startedAt}`, text: `${OPENING}\n\n${text.slice(0, MAX_CHARS).trim()}` });
  }
}

const OPENING =
  'The gateway has just started. Nobody is waiting for an answer. Do what the BOOT.md of your workspace says:';

/** A file that has only headings, comments and empty lines contains no instruction. */
function saysNothing(text: string): boolean {
  return text
    .replace(/<!--[\s\S]*?-->/g, '')
    .split('\n')
    .every((line) => /^\s*(#.*)?$/.test(line));
}
