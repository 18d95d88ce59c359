// What the Tab key completes in a chat: commands of the gateway and of the chat itself, and what may stand behind them,
// such as the names of models. Never rejects: a gateway that cannot be asked has nothing to complete.

import { completeCommand } from '../../commands/complete-command.ts';
import type { ListedCommand } from '../../commands/list-commands.ts';
import { resolveDefaultAgentId } from '../../config/agents.ts';
import { withConfigVariables } from '../../config/config-variables.ts';
import { loadConfig } from '../../config/load-config.ts';
import { formatModelRef } from '../../config/model-choice.ts';
import { listModels } from '../../gateway/models/list-models.ts';
import type { ChildView } from '../../protocol/child-view.ts';
import { parseSessionKey } from '../../protocol/session-key.ts';
import type { CliIo } from '../cli-io.ts';
import { clientAt, type GatewayAddress } from '../gateway/gateway-client.ts';

export interface LineCompletion {
  readonly gateway: { find(): Promise<GatewayAddress> };
  readonly environment: CliIo['environment'];
  /** The commands that the chat understands itself. */
  readonly own: readonly Pick<ListedCommand, 'name' | 'aliases' | 'arguments'>[];
  /** The approvals that wait in this session. */
  readonly waitingIds: () => readonly string[];
  readonly sessionKey: () => string | undefined;
}

export async function completeLine(line: string, completion: LineCompletion): Promise<readonly string[]> {
  if (!line.startsWith('/')) return [];
  try {
    const client = clientAt(await completion.gateway.find());
    const { commands } = await client.get<{ commands: readonly ListedCommand[] }>('/api/commands');
    const words = /^\/model\s/i.test(line)
      ? await modelNames(line, completion)
      : /^\/subagents\s/i.test(line)
        ? await childNames(client, completion.sessionKey())
        : completion.waitingIds();
    return completeCommand(line, [...commands, ...completion.own], () => words);
  } catch {
    return completeCommand(line, completion.own);
  }
}

/** Those that are configured; behind the beginning of a name, also the others that could be used. */
async function modelNames(
  line: string,
  { environment, sessionKey }: Pick<LineCompletion, 'environment' | 'sessionKey'>,
): Promise<readonly string[]> {
  const loaded = await loadConfig({ environment });
  const allowedFor = parseSessionKey(sessionKey() ?? '').agentId ?? resolveDefaultAgentId(loaded.config);
  const all = /\S\s+\S/.test(line);
  const models = await listModels(loaded, withConfigVariables(environment, loaded), { all, allowedFor });
  return models.filter(({ problem }) => problem === null).map(formatModelRef);
}

async function childNames(
  client: ReturnType<typeof clientAt>,
  parentKey: string | undefined,
): Promise<readonly string[]> {
  const { subagents } = await client.get<{ subagents: readonly ChildView[] }>('/api/subagents', { limit: 100 });
  const own = subagents.filter((child) => child.parentKey === parentKey);
  return [...own.flatMap(({ taskName }) => (taskName === null ? [] : [taskName])), 'last'];
}
