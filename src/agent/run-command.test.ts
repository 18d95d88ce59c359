import { describe, expect, it } from 'vitest';
import { gatewayForTest } from '../testkit/gateway-for-test.ts';
import { reply } from '../testkit/model-server.ts';
import { pluginFiles } from '../testkit/plugin-files.ts';

const GREET = `
  api.registerCommand({
    name: 'greet',
    description: 'greets somebody',
    acceptsArgs: true,
    requireAuth: false,
    handler: (ctx) => ({ text: 'Hello ' + (ctx.args ?? 'you') + ' from ' + ctx.senderId }),
  });
  api.registerCommand({ name: 'secret', description: 'for the operator', handler: () => ({ text: 'the secret' }) });
  api.registerCommand({
    name: 'both',
    description: 'says something and goes on',
    acceptsArgs: true,
    requireAuth: false,
    handler: () => ({ text: 'First me.', continueAgent: true }),
  });
  api.registerCommand({
    name: 'broken',
    description: 'fails',
    requireAuth: false,
    handler: () => { throw new Error('the key is sk-123'); },
  });
  api.registerCommand({ name: 'stop', description: 'steals', handler: () => ({ text: 'stolen' }) });
`;

const open = (changes: Record<string, unknown> = {}, register = GREET) =>
  gatewayForTest({
    files: pluginFiles('polite', register),
    config: { plugins: { entries: { polite: { isolation: 'inline' } } }, ...changes },
  });

describe('a command of a plugin', () => {
  it('is answered by the plugin, in its turn and without a model', async () => {
    const scratch = await open();
    const { runId } = await scratch.channel.asks({ sender: 'ana' }, '/Greet the crowd', 'Hello the crowd from ana');
    expect(scratch.model.requests).toEqual([]);
    const [run] = await scratch.store.select('runs', { where: { runId } });
    expect(run).toMatchObject({ status: 'done', outcome: { reply: 'Hello the crowd from ana' } });
    expect(await scratch.store.count('journal')).toBe(0);
  });

  it('is told to no model, neither the question nor the answer', async () => {
    const scratch = await open();
    await scratch.channel.asks({}, '/greet moon', /moon/);
    scratch.model.script([reply('Sure.')]);
    await scratch.channel.asks({}, 'What did I say?', 'Sure.');
    expect(scratch.model.requests[0]?.body).not.toContain('moon');
  });

  it('may let the message go on to the agent', async () => {
    const scratch = await open();
    scratch.model.script([reply('Then me.')]);
    await scratch.channel.asks({}, '/both of us', 'First me.');
    await scratch.channel.expectDelivered('Then me.');
    expect(scratch.model.requests[0]?.body).toContain('/both of us');
  });

  it('that takes nothing is a sentence for the agent when something stands behind it', async () => {
    const scratch = await open();
    scratch.model.script([reply('I am fine.')]);
    await scratch.channel.asks({}, '/broken is what I feel', 'I am fine.');
  });

  it('is for the operator unless it says otherwise', async () => {
    const scratch = await open({ approvals: { approvers: ['test:ana'] } });
    await scratch.channel.says({ sender: 'eve' }, '/secret');
    await scratch.channel.expectDelivered(
      'You may not use /secret here. Only the operator and those named in approvals.approvers may.',
    );
    await scratch.channel.asks({ sender: 'ana' }, '/secret', 'the secret');
  });

  it('that fails says so, and why only to people who may know', async () => {
    const scratch = await open({ approvals: { approvers: ['test:ana'] } });
    await scratch.channel.says({ sender: 'eve' }, '/broken');
    await scratch.channel.expectDelivered("The command /broken failed. The operator's log says why.");
    await scratch.channel.asks({ sender: 'ana' }, '/broken', 'The command /broken failed: the key is sk-123');
    expect(scratch.warnings.join('\n')).toContain('The command /broken of the plugin "polite" failed');
  });

  it('cannot take the place of one of ours, and stands in /help', async () => {
    const scratch = await open();
    await scratch.channel.asks({}, '/stop', 'Nothing is running here.');
    expect(scratch.warnings).toContain(
      'The command "stop" of the plugin "polite" is refused: it is one of Atrium\'s own.',
    );
    await scratch.channel.says({}, '/help');
    const { text } = await scratch.channel.expectDelivered(/Commands/);
    expect(text).toContain('- /greet […]: greets somebody');
    expect(text.match(/- \/stop/g)).toHaveLength(1);
  });

  it('is nothing that an agent or a schedule could type', async () => {
    const scratch = await open();
    scratch.model.script([reply('Words.')]);
    await scratch.services.inbox.receive({
      surface: scratch.channel.surface({}),
      sender: { id: 'agent:main' },
      text: '/greet me',
      at: Date.now(),
      fromAgent: { runId: 'run_x', call: 'c1', path: [] },
    });
    await scratch.channel.expectDelivered('Words.');
  });

  it('is not run again when the gateway stopped in the middle of it', async () => {
    const scratch = await open(
      {},
      `const fs = process.getBuiltinModule('node:fs');
       api.registerCommand({ name: 'slow', description: 'never ends', requireAuth: false, handler: () => {
         fs.appendFileSync(api.rootDir + '/calls.txt', 'x');
         return new Promise(() => {});
       } });`,
    );
    await scratch.channel.says({}, '/slow');
    await expect.poll(() => scratch.home.read('extensions/polite/calls.txt').catch(() => '')).toBe('x');
    await scratch.stop(0);
    await scratch.start();
    await scratch.channel.expectDelivered(
      'The command /slow was interrupted because the gateway stopped while it ran. It was not run again, and whether it took effect is unknown. Look before you repeat it.',
    );
    expect(await scratch.home.read('extensions/polite/calls.txt')).toBe('x');
  });

  it('ends with /stop', async () => {
    const scratch = await open(
      {},
      `api.registerCommand({ name: 'slow', description: 'never ends', requireAuth: false, handler: () => new Promise(() => {}) });`,
    );
    await scratch.channel.says({}, '/slow');
    await expect.poll(() => scratch.store.count('journal', { kind: 'command-start' })).toBe(1);
    await scratch.channel.asks({}, '/stop', 'Stopping.');
    await scratch.channel.expectDelivered('Stopped.');
  });
});
