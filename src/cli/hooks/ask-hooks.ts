// The handlers of an agent for the commands that show or switch them: as the running gateway has them, else as a gateway
// that starts now would.
// Errors: `findHookItem` throws UnknownHandlerError with the likely name, and AmbiguousHandlerError.

import { resolveUserPath } from '../../config/user-path.ts';
import { UnknownHandlerError } from '../../gateway/errors.ts';
import { type HookInventory, type HookItem, readHookInventory } from '../../gateway/services/hook-inventory.ts';
import { resolveHookKey } from '../../hooks/packs/hook-pack.ts';
import { nearMatch } from '../../protocol/near-match.ts';
import type { CliIo } from '../cli-io.ts';
import type { FlagsOf } from '../command.ts';
import { CONFIG_OPTION } from '../common-options.ts';
import { openContext } from '../context/situation-options.ts';
import { AmbiguousHandlerError } from '../errors.ts';
import { askRunning, type GatewayClient } from '../gateway/gateway-client.ts';
import { warningLines } from '../output/warnings.ts';

/** The flags that say whose handlers are meant. */
export const HOOK_OPTIONS = {
  '--agent <id>': 'the agent whose handlers are meant (default: the configured default agent)',
  '--workspace <dir>': "use this folder instead of the agent's workspace",
  ...CONFIG_OPTION,
} as const;

/** The argument that names one of them. */
export const HOOK_ARGUMENT = {
  '<name>': 'a handler, a rule or a hook pack, as "atrium hooks list" names it',
} as const;

export interface AskedHooks {
  /** The agent that the flags name, or the default one. */
  readonly inventory: HookInventory;
  /** The same for all agents that the flags mean: the one that they name, or every agent. */
  readonly all: readonly HookInventory[];
  /** Lines about the configuration, for the error stream. */
  readonly warnings: readonly string[];
}

type HookFlags = Partial<FlagsOf<typeof HOOK_OPTIONS>>;

export async function askHooks(flags: HookFlags, io: CliIo): Promise<AskedHooks> {
  return (await askRunningHooks(flags, io)) ?? (await readHooks(flags, io));
}

/** Undefined when no gateway is running, or when the command has a configuration of its own. */
export async function askRunningHooks(flags: HookFlags, io: CliIo): Promise<AskedHooks | undefined> {
  if (flags.config !== undefined) return undefined;
  const { home, cwd } = io.environment;
  const workspace = flags.workspace === undefined ? undefined : resolveUserPath(flags.workspace, home, cwd);
  const ask = (client: GatewayClient) => (agent: string | undefined) =>
    client.get<HookInventory>('/api/hooks/handlers', { agent, workspace });
  return askRunning(io, async (client) => ({ ...(await everyAgent(flags, ask(client))), warnings: [] }));
}

async function readHooks(flags: HookFlags, io: CliIo): Promise<AskedHooks> {
  const { environment } = io;
  const { engine, request, loaded } = await openContext(flags, io);
  const read = (agentId: string | undefined) => readHookInventory({ engine, environment }, { ...request, agentId });
  return { ...(await everyAgent(flags, read)), warnings: warningLines(loaded) };
}

async function everyAgent(
  { agent, workspace }: HookFlags,
  ask: (agentId: string | undefined) => Promise<HookInventory>,
): Promise<Pick<AskedHooks, 'inventory' | 'all'>> {
  const inventory = await ask(agent);
  if (agent !== undefined || workspace !== undefined) return { inventory, all: [inventory] };
  const all: HookInventory[] = [];
  for (const id of inventory.agentIds) all.push(id === inventory.agentId ? inventory : await ask(id));
  return { inventory, all };
}

/** By id, by name or by the name that the configuration uses; an unknown name is an error with the likely one. */
export function findHookItem(items: readonly HookItem[], name: string): HookItem {
  const byId = items.filter((item) => item.id === name);
  const found = byId.length > 0 ? byId : items.filter((item) => namesOf(item).includes(name));
  const ids = [...new Set(found.map((item) => item.id))];
  if (ids.length > 1) throw new AmbiguousHandlerError({ handler: name, ids });
  const [first] = found;
  if (first === undefined)
    throw new UnknownHandlerError({ handler: name, suggestion: nearMatch(name, items.flatMap(namesOf)) });
  return found.find((item) => item.state === 'on') ?? first;
}

function namesOf(item: HookItem): string[] {
  return item.pack === undefined ? [item.name, item.id] : [item.name, item.id, resolveHookKey(item.pack)];
}
