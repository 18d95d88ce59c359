import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { gatewayForTest } from '../testkit/gateway-for-test.ts';
import { reply } from '../testkit/model-server.ts';

it('a run’s trajectory tells what it was given, what it used and what that cost', async () => {
  const scratch = await gatewayForTest({ provider: { models: [{ id: 'small', cost: { input: 2, output: 10 } }] } });
  scratch.model.script([reply('Hello.', { usage: { input: 1_000, output: 100 } })]);
  await scratch.channel.asks({ sender: 'owner' }, 'Hi', 'Hello.');
  await scratch.stop();
  const dir = join(scratch.home.stateDir, 'logs', 'trajectory');
  const [file = ''] = await readdir(dir);
  const lines = (await readFile(join(dir, file), 'utf8')).trim().split('\n');
  const records = lines.map((line): { type: string; data: Record<string, unknown> } => JSON.parse(line));
  const types = records.map(({ type }) => type);
  for (const type of ['context.compiled', 'prompt.submitted', 'model.completed', 'delivery.ended', 'session.ended']) {
    expect(types).toContain(type);
  }
  expect(records.find(({ type }) => type === 'model.completed')?.data).toMatchObject({
    usage: { input: 1_000, output: 100 },
    cost: 0.003,
  });
});
