// The tools that the client of a run brought with its request. They are offered beside the agent's own and pass the same
// gate. A name that the agent's own tools have is refused, because a call must mean one tool only.

import type { ClientRequest } from '../store/tables.ts';
import { toolOfClient } from '../tools/client-tool.ts';
import type { Tool } from '../tools/tool.ts';
import { normalizeToolName } from '../tools/tool-name.ts';
import { ClientToolNameError } from './errors.ts';
import type { DraftParts } from './run-parts.ts';

export function clientTools(
  { clientToolTimeoutMs }: Pick<DraftParts, 'clientToolTimeoutMs'>,
  client: ClientRequest | undefined,
): readonly Tool[] {
  return (client?.tools ?? []).map((spec) => toolOfClient(spec, clientToolTimeoutMs()));
}

/** Throws ClientToolNameError. */
export function refuseTakenNames(brought: readonly Tool[], own: readonly Tool[]): void {
  const taken = namesOf(own);
  const same = brought.find(({ name }) => taken.has(normalizeToolName(name)));
  if (same) throw new ClientToolNameError({ tool: same.name });
}

/** A tool that the agent got since the request was made does not take the place of the client's. */
export function withClientTools(brought: readonly Tool[], own: readonly Tool[]): readonly Tool[] {
  const taken = namesOf(brought);
  return [...brought, ...own.filter(({ name }) => !taken.has(normalizeToolName(name)))];
}

function namesOf(tools: readonly Tool[]): ReadonlySet<string> {
  return new Set(tools.map(({ name }) => normalizeToolName(name)));
}
