// Where the workspaces of the agents are when there are several nodes: bound to one node, on a folder that all of them share, or, by
// mistake, on each node another one.

import type { Member } from '../../cluster/cluster.ts';
import { listAgentIds } from '../../config/agents.ts';
import { nodeOfAgent } from '../../config/node-of-agent.ts';
import type { Config } from '../../config/schema.ts';

export interface WorkspacePlace {
  readonly agentId: string;
  /** `unknown` while a node has not looked yet, or where there is one node only. */
  readonly place: 'bound' | 'shared' | 'apart' | 'unknown';
  /** The node that it is bound to. */
  readonly node: string | null;
  /** What is wrong with it, in one sentence with the next step. */
  readonly problem: string | null;
}

export function workspacePlaces(
  config: Config,
  members: readonly Pick<Member, 'node' | 'workspaces'>[],
): readonly WorkspacePlace[] {
  return listAgentIds(config).map((agentId) => placeOf(agentId, nodeOfAgent(config, agentId), members));
}

function placeOf(
  agentId: string,
  node: string | undefined,
  members: readonly Pick<Member, 'node' | 'workspaces'>[],
): WorkspacePlace {
  if (node !== undefined) {
    const isThere = members.some((member) => member.node === node);
    const problem = isThere
      ? null
      : `The agent "${agentId}" is bound to the node "${node}", which is not there now. Its messages wait; start that node, or change agents.list[].node.`;
    return { agentId, place: 'bound', node, problem };
  }
  const ids = members.map(({ workspaces }) => workspaces[agentId]);
  if (members.length < 2 || ids.includes(undefined)) return { agentId, place: 'unknown', node: null, problem: null };
  if (new Set(ids).size === 1) return { agentId, place: 'shared', node: null, problem: null };
  const names = members.map((member) => `"${member.node}"`).join(', ');
  const problem = `The agent "${agentId}" has another workspace on each of the nodes ${names}, and what it writes on one is not seen on the others. Put its workspace on a folder that all nodes share, or bind it to one with agents.list[].node.`;
  return { agentId, place: 'apart', node: null, problem };
}
