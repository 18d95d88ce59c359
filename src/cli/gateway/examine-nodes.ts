// What `atrium doctor` finds about the gateways that share one database: who is there, and whether each agent has its workspace where
// its runs are. Nothing where the store is a file.

import type { LoadedConfig } from '../../config/load-config.ts';
import { storePlaceOf } from '../../config/store-place.ts';
import { isAtriumError } from '../../protocol/errors.ts';
import type { CliIo } from '../cli-io.ts';
import type { ToldNodes } from '../nodes.ts';
import type { Section } from './doctor-section.ts';
import { lazyClient, openReadingClient } from './gateway-client.ts';

export async function examineNodes({ config }: LoadedConfig, io: CliIo): Promise<readonly Section[]> {
  if (storePlaceOf(io.environment, config).kind === 'sqlite') return [];
  const client = lazyClient(() => openReadingClient(io));
  try {
    const { nodes, workspaces } = await client.get<ToldNodes>('/api/nodes');
    const named = nodes.map(({ node, status }) => (status === 'up' ? node : `${node} (${status})`));
    const versions = new Set(nodes.map(({ version }) => version));
    return [
      {
        name: 'nodes',
        finding: named.length === 0 ? 'no gateway runs on this store' : named.join(', '),
        problems: [
          ...nodes.flatMap(({ node, status }) =>
            status === 'silent'
              ? [
                  `The node "${node}" does not renew its lease. Start a gateway, or remove it with "atrium nodes remove ${node}".`,
                ]
              : [],
          ),
          ...workspaces.flatMap(({ problem }) => problem ?? []),
        ],
        remarks:
          versions.size > 1
            ? [`The nodes have different versions: ${[...versions].join(', ')}. Finish the upgrade.`]
            : [],
      },
    ];
  } catch (error) {
    if (!isAtriumError(error)) throw error;
    return [{ name: 'nodes', finding: 'could not be read', problems: [error.message], remarks: [] }];
  } finally {
    await client.close();
  }
}
