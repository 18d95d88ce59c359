import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { AtriumProcess, runAtrium } from '../../testkit/atrium-process.ts';
import { GatewayProcess } from '../../testkit/gateway-process.ts';
import { hang, ModelServer, reply } from '../../testkit/model-server.ts';
import { ScratchHome } from '../../testkit/scratch-home.ts';
import { fakeOpenClaw } from '../fixtures/fake-openclaw.ts';

async function scratch(files: Readonly<Record<string, string>> = {}): Promise<ScratchHome> {
  const home = await ScratchHome.create(files);
  onTestFinished(() => home.remove());
  return home;
}

function start(home: ScratchHome, flags: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
  const process = new AtriumProcess(['start', '--port', '0', ...flags], { home: home.home, env });
  onTestFinished(() => process.kill());
  return process;
}

describe('a machine with nothing configured', () => {
  test('the banner says where to talk, who answers and what would be better; SIGTERM ends it well', async () => {
    const home = await scratch();
    const gateway = start(home);
    await gateway.until('atrium docs models');
    expect(gateway.out).toMatch(/^Atrium \d+\.\d+\.\d+ is ready\.\n/);
    expect(gateway.out).toMatch(/talk +http:\/\/127\.0\.0\.1:\d+\/#token=\S{40,}\n/);
    expect(gateway.out).toMatch(/agents +main \(default\): mirror\/mirror, /);
    expect(gateway.out).toContain('Run atrium onboard, set ANTHROPIC_API_KEY');
    expect((await runAtrium(['agent', '--message', 'say hello'], { home: home.home })).out).toBe('hello\n');
    gateway.signal('SIGTERM');
    expect(await gateway.ended()).toBe(0);
    expect(gateway.err).toBe('Stopping: finishing what is running. Once more stops at once.\n');
  });
});

describe('a home whose OpenClaw is still running', () => {
  test('is warned of once the gateway is ready; a home that OpenClaw never wrote is not', async () => {
    const port = await fakeOpenClaw();
    const gateway = { port };
    const meta = { lastTouchedVersion: '2026.5.19' };
    const theirs = start(await scratch({ 'openclaw.json': JSON.stringify({ gateway, meta }) }));
    await theirs.until('both answer on the same chat accounts and run the same jobs.');
    expect(theirs.err).toContain(`OpenClaw is running at http://127.0.0.1:${port}.`);
    expect(theirs.out).toMatch(/^Atrium \S+ is ready\./);
    const own = start(await scratch({ 'openclaw.json': JSON.stringify({ gateway }) }));
    await own.until('is ready');
    own.signal('SIGTERM');
    expect(await own.ended()).toBe(0);
    expect(own.err).not.toContain('OpenClaw is running');
  });
});

describe('a state directory that cannot be', () => {
  test.skipIf(process.platform !== 'linux').each([
    ['without a token', '{}'],
    ['with a token in the configuration', '{ gateway: { auth: { token: "a-token-for-tests-only" } } }'],
  ])('ends the start with a sentence, %s', async (_, config) => {
    // In /proc no folder can be made, and Node's own way to make one never returns there.
    const home = await scratch({ 'openclaw.json': config });
    const gateway = start(home, ['--config', home.path('openclaw.json')], { OPENCLAW_STATE_DIR: '/proc/nope' });
    expect(await gateway.ended()).toBe(2);
    expect(gateway.err).toMatch(/^atrium: The state directory \/proc\/nope cannot be used: .*OPENCLAW_STATE_DIR\.\n$/);
  });
});

describe('SIGUSR1', () => {
  test('starts the gateway again in the same process, with the configuration as it is then', async () => {
    const home = await scratch({ 'openclaw.json': '{}' });
    const gateway = start(home);
    await gateway.until('is ready');
    await home.write('openclaw.json', JSON.stringify({ agents: { list: [{ id: 'second' }] } }));
    const said = gateway.out.length;
    gateway.signal('SIGUSR1');
    await gateway.until(/is ready[\s\S]*second/, said);
    expect(gateway.err).toBe('Stopping: finishing what is running. Once more stops at once.\nStarting again.\n');
    gateway.signal('SIGTERM');
    expect(await gateway.ended()).toBe(0);
  });

  test('a gateway that is told to stop while it starts again starts, and ends well', async () => {
    const gateway = start(await scratch({ 'openclaw.json': '{}' }));
    await gateway.until('is ready');
    gateway.signal('SIGUSR1');
    await gateway.until('Starting again.');
    // Without a listener, the one would end the process and the other would open Node's debugger.
    gateway.signal('SIGUSR1');
    gateway.signal('SIGTERM');
    expect(await gateway.ended(), gateway.err).toBe(0);
    expect(gateway.err).not.toContain('Debugger');
    expect(gateway.out.match(/is ready/g)).toHaveLength(2);
  });

  test('a gateway that is told to stop while it stops for a restart does not start again', async () => {
    const gateway = await GatewayProcess.create();
    onTestFinished(() => gateway.close());
    await gateway.start();
    gateway.model.script([hang('Half')]);
    await gateway.json('/api/messages', { body: { text: 'hello' } });
    await gateway.model.waitForRequests(1);
    gateway.signal('SIGUSR1');
    await expect.poll(() => gateway.err, { timeout: 15_000 }).toContain('finishing what is running');
    gateway.signal('SIGTERM');
    await expect.poll(() => gateway.err, { timeout: 15_000 }).toContain('does not start again');
    expect(gateway.err).not.toContain('Stopping at once.');
    gateway.signal('SIGTERM');
    expect(await gateway.ended()).toEqual({ code: 1, signal: null });
  });
});

describe('a key in the environment and nothing else', () => {
  test.each([
    ['ANTHROPIC', '/v1/messages', 'x-api-key', 'key-of-the-test'],
    ['OPENAI', '/v1/chat/completions', 'authorization', 'Bearer key-of-the-test'],
  ])('the key and the address of %s are all that is needed', async (name, path, header, value) => {
    const model = await ModelServer.start();
    onTestFinished(() => model.close());
    model.script([reply('Hello from the provider.')]);
    const home = await scratch();
    const env = { [`${name}_API_KEY`]: 'key-of-the-test', [`${name}_BASE_URL`]: model.baseUrl };
    const gateway = start(home, [], env);
    await gateway.until('agents');
    expect(gateway.out).toContain(`main (default): ${name.toLowerCase()}/`);
    expect(gateway.out).not.toContain('No model is configured');
    expect((await runAtrium(['agent', '--message', 'hello'], { home: home.home })).out).toBe(
      'Hello from the provider.\n',
    );
    expect(model.requests).toHaveLength(1);
    expect(model.requests[0]?.path).toBe(path);
    expect(model.requests[0]?.headers[header]).toBe(value);
    expect(gateway.out + gateway.err).not.toContain('key-of-the-test');
  });
});

describe('what keeps it from starting is one sentence, and exit code 2', () => {
  const refused = (home: ScratchHome, ...flags: readonly string[]) =>
    runAtrium(['start', ...flags], { home: home.home });

  test('a port that somebody else has', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const { code, out, err } = await refused(await scratch(), '--port', String(port));
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(new RegExp(`^atrium: Port ${port} on 127\\.0\\.0\\.1 is in use.*\\n$`));
  });

  test('a port that is none', async () => {
    const { code, err } = await refused(await scratch(), '--port', '70000');
    expect([code, err]).toEqual([2, 'atrium: --port "70000" is not a number from 0 to 65535.\n']);
  });

  test('a gateway that runs on this state already, which goes on', async () => {
    const home = await scratch();
    const first = start(home);
    await first.until('is ready');
    const [, url] = /talk +(http:\S+)\/#/.exec(first.out) ?? [];
    const { code, err } = await refused(home, '--port', '0');
    expect(code).toBe(2);
    expect(err).toMatch(/^atrium: The state directory \S+ is in use by the gateway at \S+ \(process \d+\)\..*\n$/);
    expect(err).toContain(url);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
  });

  test.each([
    ['broken', '{ agents: {', /openclaw\.json:\d+:\d+: this is not JSON5/],
    ['wrong', '{ agents: { list: 5 } }', /agents\.list is the number 5/],
    ['out of range', '{ gateway: { bind: "somewhere" } }', /gateway\.bind|somewhere/],
  ])('a configuration that is %s', async (_, text, sentence) => {
    const { code, out, err } = await refused(await scratch({ 'openclaw.json': text }), '--port', '0');
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(/^atrium: /);
    expect(err).toMatch(sentence);
    expect(err).not.toContain('unexpected');
  });
});

describe('Ctrl-C', () => {
  test('finishes what is running, a second one ends at once, and the next start answers', async () => {
    const gateway = await GatewayProcess.create();
    onTestFinished(() => gateway.close());
    await gateway.start();
    gateway.model.script([hang('Half')]);
    const { runId } = await gateway.json<{ runId: string }>('/api/messages', { body: { text: 'hello' } });
    await gateway.model.waitForRequests(1);
    gateway.signal('SIGINT');
    await expect.poll(() => gateway.err, { timeout: 15_000 }).toContain('finishing what is running');
    gateway.signal('SIGINT');
    expect(await gateway.ended()).toEqual({ code: 1, signal: null });
    expect(gateway.err).toContain('Stopping at once.');
    gateway.model.script([reply('Whole.')]);
    await gateway.start();
    const { run } = await gateway.json<{ run: { outcome: { reply: string } } }>(`/api/runs/${runId}/wait`);
    expect(run.outcome.reply).toBe('Whole.');
  });
});

test('warnings are lines with a time on standard error', async () => {
  const home = await scratch({ 'openclaw.json': '{ agents: { defaults: { thinkingDefult: 1 } }, nonsense: true }' });
  const gateway = start(home);
  await gateway.until('is ready');
  // The two streams arrive one after the other, in either order.
  await expect.poll(() => gateway.err).toMatch(/\n$/);
  const lines = gateway.err.split('\n').filter((line) => line !== '');
  for (const line of lines) expect(line).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z warning: \S/);
});

describe('a configuration that asks for a protection that is not there', () => {
  test.each([
    ['gateway.auth.mode', { gateway: { auth: { mode: 'password', password: 'swordfish' } } }, {}],
    ['gateway.auth.mode', { gateway: { auth: { mode: 'trusted-proxy' } } }, {}],
    ['gateway.auth.password', { gateway: { auth: { password: 'swordfish' } } }, {}],
    ['OPENCLAW_GATEWAY_PASSWORD', {}, { OPENCLAW_GATEWAY_PASSWORD: 'swordfish' }],
    ['gateway.tls.enabled', { gateway: { tls: { enabled: true } } }, {}],
    ['proxy.enabled', { proxy: { enabled: true, proxyUrl: 'http://127.0.0.1:9' } }, {}],
    [
      'models.providers.work.request',
      {
        models: {
          providers: {
            work: {
              baseUrl: 'http://127.0.0.1:9/v1',
              apiKey: 'k',
              models: [],
              request: { proxy: { mode: 'explicit-proxy', url: 'http://127.0.0.1:9' } },
            },
          },
        },
      },
      {},
    ],
    ['OPENCLAW_SKIP_CRON', {}, { OPENCLAW_SKIP_CRON: '1' }],
  ])('is refused for %s, with the sentence and the way out', async (path, config, env) => {
    const home = await scratch({ 'openclaw.json': JSON.stringify(config) });
    const gateway = start(home, [], env);
    expect(await gateway.ended()).not.toBe(0);
    expect(gateway.out).toBe('');
    expect(gateway.err).toContain(`\n${path}: `);
    expect(gateway.err).toContain(`"acceptUnused": ["${path}"]`);
    expect(gateway.err).not.toContain('swordfish');
  });

  test('starts when the operator accepts it, and the banner and status still name it', async () => {
    const config = {
      acceptUnused: ['gateway.auth.mode'],
      gateway: { auth: { mode: 'password', password: 'swordfish' } },
      agents: { defaults: { sandbox: { mode: 'all' } } },
      channels: { whatsapp: { enabled: true } },
    };
    const home = await scratch({ 'openclaw.json': JSON.stringify(config) });
    const gateway = start(home);
    await gateway.until('accepted  gateway.auth.mode');
    const { out: status } = await runAtrium(['status'], { home: home.home });
    for (const text of [gateway.out, status]) {
      expect(text).toMatch(
        /found and not used:\n +danger +agents\.defaults\.sandbox\.mode: .*\n +missing +channels\.whatsapp: /,
      );
    }
    expect(JSON.parse((await runAtrium(['status', '--json'], { home: home.home })).out)).toMatchObject({
      unused: [
        { path: 'agents.defaults.sandbox.mode', refuses: 'tools' },
        { path: 'gateway.auth.mode', isAccepted: true },
        { path: 'channels.whatsapp', danger: 'missing' },
      ],
    });
    gateway.signal('SIGTERM');
    expect(await gateway.ended()).toBe(0);
  });
});

describe('the security settings of OpenClaw that are used', () => {
  test('the token of the environment, no page and no chat endpoint', async () => {
    const gatewaySettings = {
      controlUi: { enabled: false },
      http: { endpoints: { chatCompletions: { enabled: false } } },
    };
    const home = await scratch({ 'openclaw.json': JSON.stringify({ gateway: gatewaySettings }) });
    const env = { OPENCLAW_GATEWAY_TOKEN: 'the-token-of-the-environment' };
    const gateway = start(home, [], env);
    await gateway.until('is ready');
    const [, url = ''] = /api +(http:\/\/\S+)\/v1,/.exec(gateway.out) ?? [];
    const ask = async (path: string, token: string, method = 'GET') => {
      const answer = await fetch(`${url}${path}`, { method, headers: { authorization: `Bearer ${token}` } });
      await answer.body?.cancel();
      return answer.status;
    };
    expect(await ask('/api/status', 'the-token-of-the-environment')).toBe(200);
    expect(await ask('/api/status', 'another-token')).toBe(401);
    expect(await ask('/', 'the-token-of-the-environment')).toBe(404);
    expect(await ask('/v1/chat/completions', 'the-token-of-the-environment', 'POST')).toBe(404);
    expect((await runAtrium(['status'], { home: home.home, env })).out).toContain('gateway');
    gateway.signal('SIGTERM');
    expect(await gateway.ended()).toBe(0);
  });
});
