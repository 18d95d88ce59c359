import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { gatewayForTest } from '../testkit/gateway-for-test.ts';
import { reply, toolCall } from '../testkit/model-server.ts';
import type { ScratchGateway } from '../testkit/scratch-gateway.ts';

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
  const told = [
    'The workspace of "main" could not be prepared',
    'The last run of the agent "main" failed: There is no workspace',
  ];
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

describe('the first run', () => {
  const GUIDE = 'Ask the person for their name.';
  const lastSystem = (scratch: ScratchGateway) => scratch.model.requests.at(-1)?.body ?? '';
  const stateOf = async (scratch: ScratchGateway) =>
    JSON.parse(await scratch.home.read('workspace/.openclaw/workspace-state.json')) as Record<string, string>;

  async function begin(config: Record<string, unknown> = {}): Promise<ScratchGateway> {
    const scratch = await gatewayForTest({
      files: { 'workspace/BOOTSTRAP.md': GUIDE },
      config: { agents: { defaults: { model: 'fake/small', ...config } } },
    });
    scratch.model.script([reply('Who are you?')]);
    await scratch.channel.asks({}, 'Hi', 'Who are you?');
    expect(lastSystem(scratch)).toContain(GUIDE);
    return scratch;
  }

  async function expectOver(scratch: ScratchGateway): Promise<void> {
    await scratch.home.write('workspace/BOOTSTRAP.md', GUIDE);
    scratch.model.script([reply('Hello again.')]);
    await scratch.channel.asks({}, 'Hi', 'Hello again.');
    expect(lastSystem(scratch)).not.toContain(GUIDE);
    expect((await stateOf(scratch)).setupCompletedAt).toBeDefined();
    await scratch.stop();
    await scratch.start();
    scratch.model.script([reply('And again.')]);
    await scratch.channel.asks({}, 'Hi', 'And again.');
    expect(lastSystem(scratch)).not.toContain(GUIDE);
  }

  it('is over when the agent has deleted its guidance, even if git brings the file back at once', async () => {
    const scratch = await begin();
    const input = '*** Begin Patch\n*** Delete File: BOOTSTRAP.md\n*** End Patch';
    scratch.model.script([toolCall('apply_patch', { input }), reply('Nice to meet you.')]);
    await scratch.channel.asks({}, 'I am Ana', 'Nice to meet you.');
    await expectOver(scratch);
  });

  it('is over when a person has deleted it, without any message in between', async () => {
    const scratch = await begin();
    await rm(join(scratch.workspaceDir, 'BOOTSTRAP.md'));
    await vi.waitFor(async () => expect(await stateOf(scratch)).toHaveProperty('setupCompletedAt'), 20_000);
    await expectOver(scratch);
  });

  it('is over when the next message finds it gone, also where no files are seeded', async () => {
    const scratch = await begin({ skipBootstrap: true });
    await rm(join(scratch.workspaceDir, 'BOOTSTRAP.md'));
    scratch.model.script([reply('Hello.')]);
    await scratch.channel.asks({}, 'Hi', 'Hello.');
    await expectOver(scratch);
  });

  it('goes on while the file is there, whatever is written to it', async () => {
    const scratch = await begin();
    await scratch.home.write('workspace/BOOTSTRAP.md', `${GUIDE} And their town.`);
    scratch.model.script([reply('Hello.')]);
    await scratch.channel.asks({}, 'Hi', 'Hello.');
    expect(lastSystem(scratch)).toContain('And their town.');
    expect(await stateOf(scratch)).not.toHaveProperty('setupCompletedAt');
  });
});
