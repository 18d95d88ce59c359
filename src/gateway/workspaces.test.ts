import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { gatewayForTest } from '../testkit/gateway-for-test.ts';
import { reply } from '../testkit/model-server.ts';

it('a fresh home gets a workspace before the first answer', async () => {
  const scratch = await gatewayForTest();
  scratch.model.script([reply('Hello.')]);
  await scratch.channel.asks({}, 'Hi', 'Hello.');
  expect(await scratch.home.read('workspace/AGENTS.md')).not.toBe('');
  expect((await scratch.services.status()).warnings).toEqual([]);
});

it('a workspace that cannot be made is told to the person and once to the operator, until it can be created', async () => {
  const scratch = await gatewayForTest({
    config: { agents: { defaults: { model: 'fake/small', workspace: '~/projects/agent' } } },
  });
  const blocked = join(scratch.home.home, 'projects');
  await scratch.stop();
  await rm(blocked, { recursive: true });
  await writeFile(blocked, 'in the way');
  await scratch.start();
  await scratch.channel.asks({}, 'Hi', /could not be answered\. There is no workspace at/);
  const told = ['The workspace of "main" could not be prepared', 'The agent "main" cannot run: There is no workspace'];
  const both = expect.arrayContaining(told.map((sentence) => expect.stringContaining(sentence)));
  for (const warnings of [scratch.warnings, (await scratch.services.status()).warnings]) {
    expect(warnings).toEqual(both);
    expect(warnings).toHaveLength(told.length);
  }

  await rm(blocked);
  scratch.model.script([reply('Hello.')]);
  await scratch.channel.asks({}, 'Hi', 'Hello.');
  expect((await scratch.services.status()).warnings).toEqual([]);
});
