import { describe, expect, it } from 'vitest';
import { gatewayForTest } from '../../testkit/gateway-for-test.ts';
import { reply, toolCall } from '../../testkit/model-server.ts';
import { pluginFiles } from '../../testkit/plugin-files.ts';

const inline = (...ids: readonly string[]) => ({
  plugins: { entries: Object.fromEntries(ids.map((id) => [id, { isolation: 'inline' }])) },
});

const DICE = `
  api.registerTool({
    name: 'roll',
    description: 'Rolls a die.',
    parameters: { type: 'object', properties: { sides: { type: 'integer' } } },
    execute: async (id, params) => ({ content: [{ type: 'text', text: 'rolled ' + params.sides }], details: { id } }),
  });
  api.registerTool(
    { name: 'cheat', description: 'x', parameters: { type: 'object', properties: {} }, execute: async () => ({ content: [] }) },
    { optional: true },
  );
`;

describe('a plugin in a gateway', () => {
  it('brings a tool that the model is offered and may call', async () => {
    const scratch = await gatewayForTest({ files: pluginFiles('dice', DICE), config: inline('dice') });
    scratch.model.script([toolCall('roll', { sides: 6 }), reply('A six.')]);
    await scratch.channel.asks({}, 'roll one', 'A six.');
    const [first, second] = scratch.model.requests;
    expect(first?.body).toContain('"roll"');
    expect(first?.body).not.toContain('"cheat"');
    expect(second?.body).toContain('rolled 6');
    const explained = await scratch.services.tools.explain({});
    expect(explained.tools.find(({ name }) => name === 'cheat')).toMatchObject({
      owner: 'dice',
      isOffered: false,
      rule: 'optional, and neither it nor its plugin is named in tools.alsoAllow',
    });
  });

  it('that cannot load is named in the status of the gateway until it can', async () => {
    const scratch = await gatewayForTest({
      files: pluginFiles('dice', "throw new Error('no dice');"),
      config: inline('dice'),
    });
    const { warnings } = await scratch.services.status();
    expect(warnings).toContainEqual(expect.stringMatching(/^The plugin "dice" is failed: .*no dice/));
    for (const [path, text] of Object.entries(pluginFiles('dice', DICE))) await scratch.home.write(path, text);
    await scratch.services.plugins.reload('dice');
    expect((await scratch.services.status()).warnings).toEqual([expect.stringContaining('runs in the gateway itself')]);
  });

  it('has its optional tools offered where a list names them, or their plugin', async () => {
    const scratch = await gatewayForTest({
      files: pluginFiles('dice', DICE),
      config: { ...inline('dice'), tools: { alsoAllow: ['dice'] } },
    });
    const { tools, warnings } = await scratch.services.tools.explain({});
    expect(tools.find(({ name }) => name === 'cheat')).toMatchObject({
      isOffered: true,
      rule: 'tools.alsoAllow "dice"',
    });
    expect(warnings).toEqual([]);
  });

  it('that cannot be loaded is disabled, and the gateway runs', async () => {
    const scratch = await gatewayForTest({
      files: { ...pluginFiles('bad', 'throw new Error("no")'), ...pluginFiles('dice', DICE) },
      config: inline('bad', 'dice'),
    });
    expect(scratch.services.plugins.inspect('bad').state).toBe('failed');
    expect(scratch.services.plugins.inspect('dice')).toMatchObject({ state: 'loaded', where: 'inline' });
    expect((await scratch.services.status()).warnings).toEqual([
      'The plugin "bad" is failed: no (index.js:2).',
      'The plugin "dice" runs in the gateway itself (plugins.entries.dice.isolation), where nothing can stop it.',
    ]);
    scratch.model.script([reply('hello')]);
    await scratch.channel.asks({}, 'hi', 'hello');
  });

  it('answers methods, and takes none of the gateway', async () => {
    const scratch = await gatewayForTest({
      files: pluginFiles(
        'ping',
        `api.registerGatewayMethod('ping.echo', ({ params, respond }) => respond(true, { said: params.text }));
         api.registerGatewayMethod('health', ({ respond }) => respond(true, 'stolen'));`,
      ),
      config: inline('ping'),
    });
    const { methods } = scratch.services;
    expect(await methods.call('ping.echo', { text: 'hi' }, {})).toEqual({ said: 'hi' });
    expect(await methods.call('health', {}, {})).toEqual({ status: 'ok' });
    expect(scratch.warnings).toContain(
      'The method "health" of the plugin "ping" is refused: it is one of Atrium\'s own.',
    );
    expect(scratch.services.plugins.inspect('ping').notes).toContainEqual(
      expect.objectContaining({ code: 'refused', message: expect.stringContaining('"health"') }),
    );
  });

  it('has its services started with the gateway and stopped with it', async () => {
    const scratch = await gatewayForTest({
      files: pluginFiles(
        'svc',
        `const fs = require('node:fs');
         const note = (text) => fs.appendFileSync(api.rootDir + '/log.txt', text + '\\n');
         api.registerService({ id: 'one', start: (ctx) => note('start ' + ctx.stateDir.endsWith('.openclaw')), stop: () => note('stop') });
         api.on('gateway_stop', () => note('gateway_stop'));`.replace(
          "const fs = require('node:fs');",
          "const fs = process.getBuiltinModule('node:fs');",
        ),
      ),
      config: inline('svc'),
    });
    await scratch.stop();
    expect(await scratch.home.read('extensions/svc/log.txt')).toBe('start true\nstop\ngateway_stop\n');
  });

  it('does the same from the worker, where it runs unless the operator says otherwise', async () => {
    const scratch = await gatewayForTest({
      files: pluginFiles(
        'dice',
        `${DICE}
         api.registerCommand({ name: 'dice', description: 'd', requireAuth: false, handler: (ctx) => ({ text: 'for ' + ctx.senderId }) });
         api.registerGatewayMethod('dice.sides', ({ params, respond }) => respond(true, { sides: params.sides }));`,
      ),
    });
    expect(scratch.services.plugins.inspect('dice')).toMatchObject({ state: 'loaded', where: 'worker' });
    scratch.model.script([toolCall('roll', { sides: 20 }), reply('Twenty.')]);
    await scratch.channel.asks({ sender: 'ana' }, 'roll one', 'Twenty.');
    expect(scratch.model.requests[1]?.body).toContain('rolled 20');
    await scratch.channel.asks({ sender: 'ana' }, '/dice', 'for ana');
    expect(await scratch.services.methods.call('dice.sides', { sides: 4 }, {})).toEqual({ sides: 4 });
    await scratch.services.plugins.reload('dice');
    expect(await scratch.services.methods.call('dice.sides', { sides: 8 }, {})).toEqual({ sides: 8 });
  });

  it('costs nothing that is not there: without plugins nothing is loaded', async () => {
    const scratch = await gatewayForTest();
    expect(scratch.services.plugins.list()).toEqual([]);
    expect(scratch.services.methods.list().map(({ method }) => method)).toEqual([
      'health',
      'plugins.list',
      'plugins.sessionAction',
      'sessions.pluginPatch',
    ]);
  });
});
