import { expect, it } from 'vitest';
import { MemoryCluster, MemoryNode } from '../../cluster/fixtures/memory-cluster.ts';
import { SharedConfig, type SharedConfigParts } from './shared-config.ts';

it('says that the clock of this node is wrong, and nothing about one that is nearly right', async () => {
  const cluster = new MemoryNode(new MemoryCluster(), 'a');
  const configWatch = {
    current: { written: {} },
    state: async () => undefined,
  } as unknown as SharedConfigParts['configWatch'];
  const plugins = { follow: async () => undefined } as unknown as SharedConfigParts['plugins'];
  const shared = new SharedConfig({ cluster, configWatch, plugins, warn: () => undefined });
  expect(shared.warnings).toEqual([]);
  cluster.clockAheadMs = -1_500;
  expect(shared.warnings).toEqual([]);
  cluster.clockAheadMs = -95_400;
  expect(shared.warnings).toEqual([
    'The clock of this node is 1m35s behind the clock of the database, so its jobs and limits of time come at other times than those of the other nodes. Set the clocks by a time server (NTP).',
  ]);
  cluster.clockAheadMs = 3_000;
  expect(shared.warnings).toEqual([expect.stringContaining('is 3s ahead of the clock of the database')]);
});
