import { describe, expect, it, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import { readEnvironment } from '../../config/environment.ts';
import { loadConfig } from '../../config/load-config.ts';
import { pluginFiles } from '../../testkit/plugin-files.ts';
import { ScratchHome } from '../../testkit/scratch-home.ts';
import { startGateway } from '../start-gateway.ts';

const PLUGIN = `
  api.registerHttpRoute({ path: '/hooks/bell', auth: 'plugin', handler: (req, res) => { res.end('ding'); return true; } });
  api.registerGatewayMethod('bell.ring', ({ params, respond }) => {
    if (params.times > 3) respond(false, undefined, { code: 'TOO_LOUD', message: 'three times is enough' });
    else respond(true, { rang: params.times });
  });
`;

describe('a gateway that listens', () => {
  it('lets a plugin answer over HTTP and over the socket', async () => {
    const home = await ScratchHome.create({ 'openclaw.json': '{}', ...pluginFiles('bell', PLUGIN) });
    onTestFinished(() => home.remove());
    const environment = readEnvironment({ HOME: home.home, TZ: 'UTC' }, () => home.home, home.home);
    const warnings: string[] = [];
    const started = await startGateway({
      environment,
      loaded: await loadConfig({ environment }),
      warn: (sentence) => warnings.push(sentence),
      port: 0,
    });
    onTestFinished(() => started.stop(0));
    const { url, token, services } = started;
    expect(services.plugins.inspect('bell')).toMatchObject({
      state: 'loaded',
      where: 'worker',
      routes: [expect.stringContaining('/hooks/bell')],
    });

    expect(await (await fetch(`${url}/hooks/bell`)).text()).toBe('ding');

    const headers = { authorization: `Bearer ${token}` };
    const call = async (params: object) => {
      const response = await fetch(`${url}/api/methods/bell.ring`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ params }),
      });
      return { status: response.status, body: await response.json() };
    };
    expect(await call({ times: 2 })).toEqual({ status: 200, body: { ok: true, payload: { rang: 2 } } });
    const refused = await call({ times: 4 });
    expect(refused.status).toBe(422);
    expect(JSON.stringify(refused.body)).toContain('three times is enough');

    const frame = await new Promise((resolve, reject) => {
      const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`, { headers });
      socket.on('error', reject);
      socket.on('open', () =>
        socket.send(JSON.stringify({ type: 'call', id: '1', method: 'bell.ring', params: { times: 1 } })),
      );
      socket.on('message', (data) => {
        resolve(JSON.parse(String(data)));
        socket.close();
      });
    });
    expect(frame).toEqual({ type: 'result', id: '1', ok: true, payload: { rang: 1 } });
    expect(warnings).toEqual([]);
  });
});
