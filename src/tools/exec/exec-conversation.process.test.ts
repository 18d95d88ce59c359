// Commands in whole conversations: a model asks for them, the gateway decides, a person is asked where that is due.

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../protocol/json.ts';
import { gatewayForTest } from '../../testkit/gateway-for-test.ts';
import { reply, toolCall, toolCalls } from '../../testkit/model-server.ts';
import type { ScratchGateway } from '../../testkit/scratch-gateway.ts';
import { pidTokenOf } from './pid-token.ts';

const ANA = { sender: 'ana' };

/** What the model read as the results of its calls, in its latest request. */
function resultsOf({ model }: ScratchGateway): readonly string[] {
  const { messages } = JSON.parse(model.requests.at(-1)?.body ?? '{}') as { messages: JsonObject[] };
  return messages.filter(({ role }) => role === 'tool').map(({ content }) => String(content));
}

describe('a model that wants to run a command', () => {
  it('reads what it printed, and never sees the gateway’s secrets', async () => {
    const scratch = await gatewayForTest({
      config: { tools: { exec: { security: 'full', env: ['SHOWN'] } } },
      variables: { SECRET_API_KEY: 'swordfish', SHOWN: 'shown' },
      files: { 'workspace/notes.md': 'Buy milk.\n' },
    });
    scratch.model.script([
      toolCalls([
        { name: 'exec', params: { command: 'cat notes.md && env' } },
        { name: 'exec', params: { command: 'exit 3' } },
      ]),
      reply('Done.'),
    ]);
    await scratch.channel.asks(ANA, 'Go', 'Done.');
    const [printed, failed] = resultsOf(scratch);
    expect(printed).toMatch(/^Buy milk\.\n/);
    expect(printed).toMatch(/^SHOWN=shown$/m);
    expect(printed).not.toMatch(/swordfish/);
    expect(failed).toMatch(/Exit code 3/);
    scratch.channel.expectNothingMore();
  });

  it('runs what a rule names at once, and asks for the rest: always means this command in this folder', async () => {
    const scratch = await gatewayForTest({
      config: { tools: { exec: { allow: ['ls *'] } }, approvals: { approvers: ['test:ana'] } },
      files: { 'workspace/notes.md': 'Buy milk.\n' },
    });
    const { channel, model, store } = scratch;
    const command = 'wc -c notes.md';
    model.script([
      toolCall('exec', { command: 'ls -1 notes.md' }),
      toolCall('exec', { command }),
      reply('Ten bytes.'),
      toolCall('exec', { command }),
      reply('Still ten.'),
      toolCall('exec', { command: 'wc -c notes.md; touch x' }),
      reply('I may not.'),
    ]);
    await channel.says(ANA, 'How long is it?');
    const question = await channel.expectDelivered(/Approval needed: Run a command/);
    expect(question.text).toContain('$ wc -c notes.md');
    const [approval] = await store.select('approvals', { where: { status: 'waiting' } });
    expect(approval).toMatchObject({ toolName: 'exec', rule: { argv: ['wc', '-c', 'notes.md'], cwd: '.' } });
    await channel.asks(ANA, `/approve ${approval?.id} allow-always`, new RegExp(`${approval?.id}.*allowed`));
    await channel.expectDelivered('Ten bytes.');
    expect(resultsOf(scratch)).toEqual([
      'notes.md\n\n[Exit code 0.]',
      expect.stringMatching(/^\s*10 notes\.md\n\n\[Exit code 0\.\]$/),
    ]);

    await channel.asks(ANA, 'And now?', 'Still ten.');

    await channel.asks(ANA, 'And more?', /Approval needed/);
    const [second] = await store.select('approvals', { where: { status: 'waiting' } });
    expect(second).toMatchObject({ rule: null, allowedDecisions: ['allow-once', 'deny'] });
    await channel.asks(ANA, `/approve ${second?.id} deny`, new RegExp(`${second?.id}.*denied`));
    await channel.expectDelivered('I may not.');
    expect(await readdir(scratch.workspaceDir)).not.toContain('x');
  });

  it('is told why it may not, where nobody is asked', async () => {
    const scratch = await gatewayForTest({
      config: {
        tools: { exec: { ask: 'off', allow: ['git *', 'ls; rm'], env: ['LD_PRELOAD'] } },
        agents: { defaults: { model: 'fake/small' }, list: [{ id: 'main' }] },
      },
    });
    scratch.model.script([toolCall('exec', { command: 'touch x' }), reply('I see.')]);
    await scratch.channel.asks(ANA, 'Go', 'I see.');
    expect(resultsOf(scratch)).toEqual([expect.stringMatching(/No rule allows this command/)]);
    expect(await readdir(scratch.workspaceDir)).not.toContain('x');
    const { warnings } = await scratch.services.status();
    expect(warnings.filter((warning) => warning.includes('tools.exec'))).toEqual([
      expect.stringMatching(/"git \*".*any other program/),
      expect.stringMatching(/"ls; rm".*not one simple command/),
      expect.stringMatching(/LD_PRELOAD/),
    ]);
  });

  it('looks after it in the background, also after the gateway was restarted', async () => {
    const scratch = await gatewayForTest({ config: { tools: { exec: { security: 'full' } } } });
    const { channel, model } = scratch;
    const command = 'echo up; while [ ! -e go ]; do sleep 0.02; done; echo through';
    model.script([toolCall('exec', { command, background: true }), reply('It runs.')]);
    await channel.asks(ANA, 'Start it', 'It runs.');
    const [row] = await scratch.store.select('processes');
    expect(row).toMatchObject({ status: 'running', agentId: 'main', command });

    await scratch.stop();
    await scratch.home.write('workspace/go', '');
    await sleep(50);
    await scratch.start();
    model.script([
      toolCall('process', { action: 'poll', id: row?.id ?? '', waitSeconds: 10, offset: 3 }),
      reply('Over.'),
    ]);
    await channel.asks(ANA, 'How is it?', 'Over.');
    expect(resultsOf(scratch).at(-1)).toMatch(/^through\n/);
  });

  it('leaves nothing of it when its session is deleted', async () => {
    const scratch = await gatewayForTest({ config: { tools: { exec: { security: 'full' } } } });
    scratch.model.script([
      toolCalls([
        { name: 'exec', params: { command: 'echo swordfish; sleep 60', background: true } },
        { name: 'exec', params: { command: 'seq 1 99999' } },
      ]),
      reply('Both.'),
    ]);
    await scratch.channel.asks(ANA, 'Go', 'Both.');
    const rows = await scratch.store.select('processes', { orderBy: [['status', 'desc']] });
    expect(rows).toMatchObject([{ status: 'running' }, { status: 'ended' }]);
    const dir = join(scratch.home.stateDir, 'atrium', 'exec');
    expect((await readdir(dir)).length).toBeGreaterThan(1);
    await scratch.services.sessions.delete(rows[0]?.sessionKey ?? '');
    expect(await scratch.store.select('processes')).toEqual([]);
    expect(await readdir(dir)).toEqual([]);
    expect(await pidTokenOf(rows[0]?.pid ?? 0)).toBeUndefined();
  });

  it('starts nothing and writes nothing as long as nobody runs a command', async () => {
    const scratch = await gatewayForTest({ config: { tools: { exec: { security: 'full' } } } });
    expect(await readdir(join(scratch.home.stateDir, 'atrium'))).not.toContain('exec');
  });
});
