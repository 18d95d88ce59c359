// An account that a node loses, on every platform, with the real client libraries against platforms on this machine. The cluster is one
// in memory, so that a node can be expelled at a chosen moment.

import { expect, it, onTestFinished } from 'vitest';
import type { ChannelPort, OutboundPart } from '../../channels/channel.ts';
import { NO_FILES } from '../../channels/fixtures/no-files.ts';
import { MemoryCluster } from '../../cluster/fixtures/memory-cluster.ts';
import { readEnvironment } from '../../config/environment.ts';
import type { Config } from '../../config/schema.ts';
import { FAKE_PLATFORMS } from '../../testkit/fake-platforms.ts';
import { CHANNEL_EXTENSIONS } from '../channels/channel-extensions.ts';
import { SharedPlatform } from './shared-platform.ts';

const NO_LISTENER: ChannelPort = {
  ...NO_FILES,
  receive: () => Promise.reject(new Error('no listener')),
  receiveChange: () => Promise.reject(new Error('no listener')),
};
const SIGNAL = new AbortController().signal;

it.each(Object.keys(FAKE_PLATFORMS))('an account of %s is not used when it may belong to another node', async (id) => {
  const platform = await (await FAKE_PLATFORMS[id]?.())?.(['Ada']);
  const row = CHANNEL_EXTENSIONS.find((each) => each.id === id);
  if (!platform || !row) throw new Error(`There is no platform ${id}.`);
  onTestFinished(() => platform.stop());
  const config = { channels: { [id]: { ...platform.section, dmPolicy: 'open', allowFrom: ['*'] } } } as Config;
  const found = await row.find(config, readEnvironment());
  const extension = await found.load();
  const memory = { read: async () => undefined, write: async () => {} };
  const common = { commands: () => [], memory, now: Date.now, warn: () => {} };
  const node = new MemoryCluster().add('a');
  // A process that was frozen has not heard yet that it is no member, but its clock tells.
  const clock = { isCertain: true };
  Object.defineProperty(node, 'isCertain', { get: () => clock.isCertain });
  const channel = new SharedPlatform({
    cluster: node,
    accounts: found.accounts,
    create: (only, mayAct) => extension.create({ ...common, only, mayAct }),
    port: () => NO_LISTENER,
    serve: (_, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
    warn: () => {},
  });
  await channel.open();
  onTestFinished(() => channel.close());
  await expect.poll(() => channel.accounts.list()).toMatchObject([{ state: 'connected', node: 'a' }]);

  const place = platform.places()[0]?.id ?? '';
  const [, peerId = ''] = platform.addressOf(place).to.split(':');
  const part = (text: string, number: number): OutboundPart => ({
    key: `run_${number}:1`,
    seq: number,
    runId: `run_${number}`,
    part: 1,
    surface: { channel: id, accountId: 'default', peer: { kind: 'direct', id: peerId } },
    text,
    options: {},
    attempt: 1,
  });
  const shown = () => platform.shown(place).map(({ text }) => text.trim());
  expect(await channel.send(part('one', 1), SIGNAL)).toMatchObject({ outcome: 'sent' });
  expect(shown()).toEqual(['one']);
  clock.isCertain = false;
  const outcome = await channel.send(part('two', 2), SIGNAL);
  expect(outcome).toMatchObject({ outcome: 'retry' });
  expect(outcome).not.toHaveProperty('mayHaveArrived', true);
  expect(shown()).toEqual(['one']);
  clock.isCertain = true;
  expect(await channel.send(part('two', 2), SIGNAL)).toMatchObject({ outcome: 'sent' });
  expect(shown()).toEqual(['one', 'two']);
});
