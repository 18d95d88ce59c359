// Installing in two steps: what a person reads first, and that nothing is in its place before the yes.

import { access, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { gatewayForTest } from '../../testkit/gateway-for-test.ts';
import { on } from '../../testkit/on.ts';
import { pluginFiles } from '../../testkit/plugin-files.ts';
import type { ScratchGateway } from '../../testkit/scratch-gateway.ts';

/** A plugin in a folder of the person, outside of the places where a gateway looks. */
async function sourceIn({ home }: ScratchGateway): Promise<string> {
  const files = Object.entries(pluginFiles('tea', `require('node:child_process');`));
  for (const [path, text] of files) await home.write(path.replace('extensions/tea', 'downloads/tea'), text);
  return home.path('downloads/tea');
}

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

it('shows the scan, and puts nothing into its place before the yes', async () => {
  const scratch = await gatewayForTest();
  const { installs } = scratch.services;
  const source = await sourceIn(scratch);
  const review = await installs.begin({ source, kind: 'plugin' });
  expect(review).toMatchObject({ kind: 'plugin', name: 'tea', version: '1.0.0', from: source, refusal: null });
  expect(review.findings).toMatchObject([
    { kind: 'child-process', severity: 'critical', places: [{ file: 'index.js' }] },
  ]);
  expect(await isThere(review.to)).toBe(false);
  await installs.cancel(review.id);
  await expect(installs.confirm(review.id)).rejects.toThrow('waits to be confirmed');
  expect(await isThere(review.to)).toBe(false);
  const staging = await readdir(join(scratch.home.stateDir, 'atrium/installing'));
  expect(staging).toEqual([]);
});

it('has one review at a time, and drops the one before', async () => {
  const scratch = await gatewayForTest();
  const { installs } = scratch.services;
  const source = await sourceIn(scratch);
  const first = await installs.begin({ source, kind: 'plugin' });
  const second = await installs.begin({ source, kind: 'plugin' });
  await expect(installs.confirm(first.id)).rejects.toThrow('waits to be confirmed');
  await installs.cancel(second.id);
});

it('lets a plugin refuse, and then nobody can confirm it', async () => {
  const scratch = await gatewayForTest({
    register: (hooks) =>
      void on(hooks, 'before_install', 'warden', () => ({ block: true, blockReason: 'no tea here' })),
  });
  const { installs } = scratch.services;
  const review = await installs.begin({ source: await sourceIn(scratch), kind: 'plugin' });
  expect(review.refusal).toEqual({ by: 'warden', reason: 'no tea here' });
  await expect(installs.confirm(review.id)).rejects.toThrow('waits to be confirmed');
  expect(await isThere(review.to)).toBe(false);
});
