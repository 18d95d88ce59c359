// The nodes that share a store, for a command while no gateway runs here: they are read from the rows, and one can be removed.
// Errors: `remove` rejects with NodeUnknownError and with the errors of a store, `list` with those of a store.

import { ClusterRows } from '../../cluster/cluster-rows.ts';
import { NodeUnknownError } from '../../cluster/errors.ts';
import type { Config } from '../../config/schema.ts';
import type { StorePlace } from '../../protocol/store-place.ts';
import { DEFAULT_SCHEMA, describePlace } from '../../store/postgres/describe-place.ts';
import { PostgresConnection } from '../../store/postgres/postgres-connection.ts';
import { storeErrorFrom } from '../../store/postgres/store-error.ts';
import type { Nodes, ShownNode } from './nodes.ts';
import { workspacePlaces } from './workspace-places.ts';

const WAIT_MS = 5_000;
/** Nothing is renewed here, so that this does not matter. */
const NO_LEASE = 0;

export function nodesOfStore(
  place: StorePlace & { readonly kind: 'postgres' },
  config: Config,
): Pick<Nodes, 'list' | 'workspaces' | 'remove' | 'whileMember'> {
  const { url, schema = DEFAULT_SCHEMA } = place;
  const rows = new ClusterRows({ schema, leaseMs: NO_LEASE });
  const use = async <Answer>(work: (ask: PostgresConnection['ask']) => Promise<Answer>): Promise<Answer> => {
    const connection = new PostgresConnection({ url, schema, name: 'atrium nodes', waitMs: WAIT_MS });
    try {
      const held = await connection.hold();
      return await work((statement) => held.ask(statement));
    } catch (error) {
      throw storeErrorFrom(error, describePlace(url, schema));
    } finally {
      await connection.close();
    }
  };
  return {
    list: () =>
      use(async (ask) =>
        (await rows.list(ask)).map(
          ({ workspaces: _, isSilent, status, ...member }): ShownNode => ({
            ...member,
            status: isSilent ? 'silent' : status,
            isHere: false,
          }),
        ),
      ),
    // A command is no node, so there is no membership to wait for.
    whileMember: async () => {},
    workspaces: () => use(async (ask) => workspacePlaces(config, await rows.list(ask))),
    remove: (node) =>
      use(async (ask) => {
        const memberId = await rows.memberNamed(ask, node);
        if (memberId === undefined) throw new NodeUnknownError({ node });
        await rows.remove(ask, memberId);
      }),
  };
}
