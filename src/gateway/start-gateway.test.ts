// Settings of the listening gateway that OpenClaw writes in its own way, tried over real connections.

import { expect, it, onTestFinished, vi } from 'vitest';
import { readEnvironment } from '../config/environment.ts';
import { loadConfig } from '../config/load-config.ts';
import { ScratchHome } from '../testkit/scratch-home.ts';
import { ensureToken } from './http/token.ts';
import { startGateway } from './start-gateway.ts';

async function started(gateway: object) {
  const home = await ScratchHome.create({ 'openclaw.json': JSON.stringify({ gateway }) });
  onTestFinished(() => home.remove());
  const environment = readEnvironment({ HOME: home.home, TZ: 'UTC' }, () => home.home, home.home);
  const loaded = await loadConfig({ environment });
  expect([loaded.unused, loaded.warnings]).toEqual([[], []]);
  const running = await startGateway({ environment, loaded, port: 0, warn: () => {} });
  onTestFinished(() => running.stop(0));
  return running;
}

it('gateway.customBindHost is the address of bind "custom", and of nothing else', async () => {
  const custom = await started({ bind: 'custom', customBindHost: '127.0.0.3' });
  expect(custom.url).toMatch(/^http:\/\/127\.0\.0\.3:/);
  expect((await fetch(`${custom.url}/healthz`)).status).toBe(200);
  expect((await started({ customBindHost: '127.0.0.3' })).url).toMatch(/^http:\/\/127\.0\.0\.1:/);
});

it('bind "custom" without an address stays on loopback, and a bad address is refused', async () => {
  expect((await started({ bind: 'custom' })).url).toMatch(/^http:\/\/127\.0\.0\.1:/);
  await expect(started({ bind: 'custom', customBindHost: 'everywhere' })).rejects.toThrow('"everywhere"');
});

it('gateway.controlUi.allowedOrigins lets pages of these origins read and write, besides gateway.allowedOrigins', async () => {
  const { url, token } = await started({
    controlUi: { allowedOrigins: ['https://desk.example.org'] },
    allowedOrigins: ['https://own.example.org'],
  });
  const ask = (origin: string) => fetch(`${url}/api/status`, { headers: { authorization: `Bearer ${token}`, origin } });
  for (const origin of ['https://desk.example.org', 'https://own.example.org']) {
    const answer = await ask(origin);
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, origin]);
  }
  const stranger = await ask('https://desk.example.org.evil.example');
  expect([stranger.status, stranger.headers.get('access-control-allow-origin')]).toEqual([403, null]);
});

it('gateway.http.securityHeaders.strictTransportSecurity is a header of every answer, and false sends none', async () => {
  const headerOf = async (strictTransportSecurity: unknown) => {
    const { url } = await started({ http: { securityHeaders: { strictTransportSecurity } } });
    return (await fetch(`${url}/`)).headers.get('strict-transport-security');
  };
  expect(await headerOf(' max-age=63072000; includeSubDomains ')).toBe('max-age=63072000; includeSubDomains');
  expect(await headerOf(false)).toBeNull();
  await expect(headerOf('max-age=1\r\nset-cookie: a=b')).rejects.toThrow('strictTransportSecurity');
});

it.each([
  ['that it made itself', undefined, undefined],
  ['of OPENCLAW_GATEWAY_TOKEN', 'token-of-the-variable', undefined],
  ['of gateway.auth.token', undefined, 'token-of-the-setting'],
])('the token %s opens no webhooks, and checks and the status say so', async (_, variable, setting) => {
  const home = await ScratchHome.create();
  onTestFinished(() => home.remove());
  const variables = { HOME: home.home, TZ: 'UTC', ...(variable && { OPENCLAW_GATEWAY_TOKEN: variable }) };
  const environment = readEnvironment(variables, () => home.home, home.home);
  const own = variable ?? setting ?? (await ensureToken(home.stateDir)).token;
  const load = async (hookToken: string) => {
    const gateway = setting === undefined ? {} : { auth: { token: setting } };
    await home.write('openclaw.json', JSON.stringify({ gateway, hooks: { enabled: true, token: hookToken } }));
    return loadConfig({ environment });
  };
  expect((await load('another-token-for-webhooks')).warnings).toEqual([]);
  const loaded = await load(own);
  const sentence = expect.stringContaining('Webhooks are closed: hooks.token is the token of the gateway');
  expect(loaded.warnings).toMatchObject([{ path: 'hooks.token', message: sentence }]);

  const { url, token, stop } = await startGateway({ environment, loaded, port: 0, warn: () => {} });
  onTestFinished(() => stop(0));
  expect(token).toBe(own);
  const headers = { authorization: `Bearer ${own}` };
  const hook = await fetch(`${url}/hooks/agent`, { method: 'POST', headers, body: '{"message":"Hi"}' });
  expect(hook.status).toBe(404);
  const status = (await (await fetch(`${url}/api/status`, { headers })).json()) as { warnings: readonly string[] };
  expect(status.warnings).toContainEqual(sentence);
});

it('says of params that the model of an agent does not take that they are left out', async () => {
  const home = await ScratchHome.create({
    'openclaw.json': JSON.stringify({
      models: { providers: { anthropic: { apiKey: 'sk-ant-0123456789' } } },
      agents: { defaults: { model: 'anthropic/claude-opus-4-7', params: { temperature: 0.4 } } },
    }),
  });
  onTestFinished(() => home.remove());
  const environment = readEnvironment({ HOME: home.home, TZ: 'UTC' }, () => home.home, home.home);
  const said: string[] = [];
  const loaded = await loadConfig({ environment });
  const running = await startGateway({ environment, loaded, port: 0, warn: (sentence) => void said.push(sentence) });
  onTestFinished(() => running.stop(0));
  await vi.waitFor(
    () => expect(said.join('\n')).toContain('params.temperature 0.4 is left out for anthropic/claude-opus-4-7: '),
    { timeout: 20_000 },
  );
}, 30_000);
