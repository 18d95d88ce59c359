// `atrium nodes`: the gateways that share one database.

import type { ShownNode } from '../gateway/services/nodes.ts';
import type { WorkspacePlace } from '../gateway/services/workspace-places.ts';
import { type CliCommand, command } from './command.ts';
import { path } from './gateway/gateway-client.ts';
import { listText } from './output/format-table.ts';
import { formatTime } from './output/format-time.ts';
import { line } from './output/text.ts';

/** What the API says about the nodes. */
export interface ToldNodes {
  readonly nodes: readonly ShownNode[];
  readonly workspaces: readonly WorkspacePlace[];
}

export const NODE_COMMANDS: readonly CliCommand[] = [
  command({
    path: 'nodes list',
    summary: 'list the gateways that share the database, and say where the workspaces are',
    examples: ['nodes list', "nodes list --json | jq -r '.nodes[].node'"],
    needs: 'reading',
    async run(_, { client, io }) {
      const told = await client.get<ToldNodes>('/api/nodes');
      const columns = {
        node: (each: ShownNode) => (each.isHere ? `${each.node} (here)` : each.node),
        status: (each: ShownNode) => each.status,
        since: (each: ShownNode) => formatTime(each.joinedAt, io.environment.timezone),
        version: (each: ShownNode) => each.version,
        url: (each: ShownNode) => each.url ?? '',
        member: (each: ShownNode) => each.id ?? '',
      };
      const text = listText(told.nodes, columns, 'No gateway runs on this store.');
      return { json: told, text, warnings: told.workspaces.flatMap(({ problem }) => problem ?? []) };
    },
  }),
  command({
    path: 'nodes drain',
    summary: 'let a node take no new work, such as before it is stopped',
    args: { '<node>': 'the name of the node, as the list shows it' },
    examples: ['nodes drain berlin-1'],
    needs: 'gateway',
    async run({ node }, { client }) {
      const json = await client.post<{ node: string }>(path`/api/nodes/${node}/drain`, {});
      return {
        json,
        text: line(
          `${node} takes no new work until it is started again. What it has goes on, and its duties pass to other nodes.`,
        ),
      };
    },
  }),
  command({
    path: 'nodes remove',
    summary: 'expel a node that is gone; the others go on with its work',
    args: { '<node>': 'the name of the node, as the list shows it' },
    examples: ['nodes remove berlin-1'],
    notes:
      'A node that is dead or frozen is expelled by the others in less than two seconds, so this is seldom needed. One that lives joins again by itself.',
    needs: 'reading',
    async run({ node }, { client }) {
      const json = await client.delete<{ node: string }>(path`/api/nodes/${node}`);
      return {
        json,
        text: line(`${node} is no member any more. Nothing more is stored for it, and others go on with its work.`),
      };
    },
  }),
];
