import { createServer } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { gatewayForTest } from '../testkit/gateway-for-test.ts';
import { reply } from '../testkit/model-server.ts';

/** Adds a word to every answer of the agent. */
const shout = (word: string) => `export default (api: any) => {
  api.on('message_sending', (event: any) => ({ content: event.content + ' ' + (api.pluginConfig.word ?? '${word}') }));
};`;

describe('a plugin of a running gateway', () => {
  it('changes what is said, with the code and the settings that it has now, once', async () => {
    const scratch = await gatewayForTest({ files: { 'extensions/shout/index.ts': shout('one') } });
    const { channel, model, home } = scratch;
    const { plugins } = scratch.services;
    const answers = async (text: string) => {
      model.script([reply(text)]);
      await channel.says({}, 'hi');
    };
    await answers('first');
    await channel.expectDelivered('first one');
    expect(plugins.inspect('shout')).toMatchObject({ state: 'loaded', where: 'worker', generation: 1 });

    await home.write('extensions/shout/index.ts', shout('two'));
    for (let time = 0; time < 2; time++) await plugins.reload('shout');
    await answers('second');
    await channel.expectDelivered('second two');

    const config = JSON.parse(await home.read('openclaw.json'));
    const entries = { shout: { config: { word: 'three' } } };
    await home.write('openclaw.json', JSON.stringify({ ...config, plugins: { entries } }));
    await plugins.reload('shout');
    await answers('third');
    await channel.expectDelivered('third three');

    await home.write('openclaw.json', JSON.stringify({ ...config, plugins: { deny: ['shout'] } }));
    await vi.waitFor(() => expect(plugins.inspect('shout').state).toBe('disabled'));
    await answers('fourth');
    await channel.expectDelivered('fourth');
  });

  it('has its start and its stop told when it is loaded again, disabled and enabled, and no other plugin has', async () => {
    const note = `process.getBuiltinModule('node:fs').appendFileSync(api.rootDir + '/log.txt', `;
    const server = (greeting: string) => `export default (api: any) => {
      const http = process.getBuiltinModule('node:http');
      const server = http.createServer((request: any, response: any) => response.end('${greeting}'));
      api.on('gateway_start', (event: any) => new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(api.pluginConfig.port, '127.0.0.1', () => { ${note} 'start ${greeting} ' + event.port + '\\n'); resolve(); });
      }));
      api.on('gateway_stop', (event: any) => new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => { ${note} 'stop ${greeting} ' + event.reason + '\\n'); resolve(); });
      }));
    };`;
    const bystander = `export default (api: any) => {
      api.on('gateway_start', () => ${note} 'start\\n'));
      api.on('gateway_stop', () => ${note} 'stop\\n'));
    };`;
    const port = await freePort();
    const scratch = await gatewayForTest({
      files: { 'extensions/serve/index.ts': server('one'), 'extensions/bystander/index.ts': bystander },
      config: { plugins: { entries: { serve: { config: { port } } } } },
    });
    const { home } = scratch;
    const { plugins } = scratch.services;
    const told = async () => (await home.read('extensions/serve/log.txt')).split('\n').slice(0, -1);
    const served = async () => (await fetch(`http://127.0.0.1:${port}`)).text();
    await scratch.opened.listensAt('http://127.0.0.1:18999');
    expect(await served()).toBe('one');

    await home.write('extensions/serve/index.ts', server('two'));
    await plugins.reload('serve');
    expect(await told()).toEqual(['start one 18999', 'stop one restart', 'start two 18999']);
    expect(await served()).toBe('two');

    const config = JSON.parse(await home.read('openclaw.json'));
    await home.write('openclaw.json', JSON.stringify({ ...config, plugins: { deny: ['serve'] } }));
    await vi.waitFor(() => expect(plugins.inspect('serve').state).toBe('disabled'));
    expect((await told()).at(-1)).toBe('stop two disable');
    await expect(served()).rejects.toThrow();

    await home.write('openclaw.json', JSON.stringify(config));
    await vi.waitFor(() => expect(plugins.inspect('serve').state).toBe('loaded'));
    await vi.waitFor(async () => expect(await served()).toBe('two'));
    await scratch.stop();
    expect(await told()).toEqual([
      'start one 18999',
      'stop one restart',
      'start two 18999',
      'stop two disable',
      'start two 18999',
      'stop two shutdown',
    ]);
    expect(await home.read('extensions/bystander/log.txt')).toBe('start\nstop\n');
  });

  it('ends what it was asked before it was loaded again', async () => {
    const slow = `export default (api: any) => api.on('message_sending', async (event: any) => {
      await new Promise((resolve) => setTimeout(resolve, 300));
      return { content: event.content + ' at last' };
    });`;
    const { channel, model, services, hooks } = await gatewayForTest({ files: { 'extensions/slow/index.ts': slow } });
    const [armed] = hooks.list('message_sending');
    model.script([reply('Here')]);
    const { runId } = await channel.says({}, 'hi');
    await model.waitForRequests(1);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await services.plugins.reload('slow');
    expect(hooks.list('message_sending')[0]?.handler).not.toBe(armed?.handler);
    await services.runs.wait(runId);
    await channel.expectDelivered('Here at last');
  });

  it('with a handler that will never be called is loaded, and the operator is told of it once', async () => {
    const { services, warnings, home } = await gatewayForTest({
      files: { 'extensions/spy/index.ts': `export default (api: any) => api.on('agent_end', () => {});` },
    });
    expect(services.plugins.inspect('spy')).toMatchObject({ state: 'loaded', hooks: [{ state: 'blocked' }] });
    const told = () => warnings.filter((warning) => warning.startsWith('plugin spy: '));
    expect(told()).toEqual([expect.stringContaining('Its handler for agent_end is blocked: it sees conversations;')]);
    await services.plugins.reload('spy');
    expect(told()).toHaveLength(1);
    await home.write('extensions/spy/index.ts', `export default (api: any) => api.on('agent_ended', () => {});`);
    await services.plugins.reload('spy');
    expect(told()[1]).toContain('there is no such hook, so it would never fire. Did it mean "agent_end"?');
  });

  it('that cannot be loaded does not keep the gateway from starting', async () => {
    const { channel, model, services, warnings } = await gatewayForTest({
      files: { 'extensions/shout/index.ts': 'throw new Error("not today");' },
    });
    expect(services.plugins.inspect('shout')).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining('not today'),
    });
    expect(warnings.join('\n')).toContain('The plugin "shout" was not loaded');
    model.script([reply('as ever')]);
    await channel.asks({}, 'hi', 'as ever');
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
