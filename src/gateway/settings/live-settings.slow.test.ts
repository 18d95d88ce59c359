// A configuration that is changed while the gateway runs: what can change holds from the next message on, and what
// cannot is named.

import { describe, expect, it } from 'vitest';
import { gatewayForTest } from '../../testkit/gateway-for-test.ts';
import { reply, toolCall } from '../../testkit/model-server.ts';
import type { ScratchGateway } from '../../testkit/scratch-gateway.ts';

/** Changes the file, and waits until the gateway has taken it up. Returns what waits for the next start. */
async function change(scratch: ScratchGateway, edit: (config: Shape) => void): Promise<readonly string[]> {
  const config = JSON.parse(await scratch.home.read('openclaw.json'));
  edit(config);
  await scratch.home.write('openclaw.json', JSON.stringify(config));
  const { waiting, problem } = await scratch.services.configuration.state();
  expect(problem).toBeNull();
  return waiting;
}

// The test writes any setting, so it does not check its own types.
// biome-ignore lint/suspicious/noExplicitAny: a configuration as it is in the file
type Shape = any;

const sent = (scratch: ScratchGateway) => JSON.parse(scratch.model.requests.at(-1)?.body ?? '{}');
const toolNames = (scratch: ScratchGateway): string[] =>
  (sent(scratch).tools ?? []).map((tool: { function: { name: string } }) => tool.function.name);

describe('without a restart', () => {
  it('the model, its provider and its key are other ones', async () => {
    const scratch = await gatewayForTest();
    scratch.model.script([reply('One.'), reply('Two.'), reply('Three.')]);
    await scratch.channel.asks({}, 'First', 'One.');
    expect(sent(scratch).model).toBe('small');
    expect(await change(scratch, (config) => (config.agents.defaults.model = 'fake/large'))).toEqual([]);
    await scratch.channel.asks({}, 'Second', 'Two.');
    expect(sent(scratch).model).toBe('large');
    await change(scratch, (config) => {
      config.models.providers.other = { ...config.models.providers.fake, apiKey: 'another-key' };
      config.agents.defaults.model = 'other/small';
    });
    await change(scratch, (config) => (config.models.providers.other.apiKey = 'a-third-key'));
    await scratch.channel.asks({}, 'Third', 'Three.');
    expect(scratch.model.requests.at(-1)?.headers.authorization).toBe('Bearer a-third-key');
  });

  it('an agent has other tools, and another model than the others', async () => {
    const scratch = await gatewayForTest({ config: { agents: AGENTS } });
    scratch.model.script([reply('One.'), reply('Two.')]);
    await scratch.channel.asks({}, 'First', 'One.');
    expect(toolNames(scratch)).toContain('exec');
    const waiting = await change(scratch, (config) => {
      Object.assign(config.agents.list[0], { model: 'fake/large', tools: { deny: ['exec'] } });
      config.tools = { deny: ['write'] };
    });
    expect(waiting).toEqual([]);
    await scratch.channel.asks({}, 'Second', 'Two.');
    expect(sent(scratch).model).toBe('large');
    expect(toolNames(scratch)).not.toContain('exec');
    expect(toolNames(scratch)).not.toContain('write');
  });

  it('a run may take more rounds', async () => {
    const scratch = await gatewayForTest({
      config: { agents: { defaults: { model: 'fake/small', maxToolRounds: 1 } } },
    });
    const rounds = [toolCall('session_status'), toolCall('session_status'), reply('Done.')];
    scratch.model.script(rounds);
    await scratch.channel.says({}, 'Look');
    await scratch.channel.expectDelivered(/1 /);
    await change(scratch, (config) => (config.agents.defaults.maxToolRounds = 5));
    scratch.model.script(rounds);
    await scratch.channel.asks({}, 'Look again', 'Done.');
  });

  it('a session ends earlier, and answers are kept back', async () => {
    const clock = { at: Date.parse('2026-03-02T10:00:00Z') };
    const scratch = await gatewayForTest({ now: () => clock.at });
    scratch.model.script([reply('One.'), reply('Two.'), reply('Three.')]);
    await scratch.channel.asks({}, 'The word is quince.', 'One.');
    expect(await change(scratch, (config) => (config.session = { idleMinutes: 5 }))).toEqual([]);
    clock.at += 6 * 60_000;
    await scratch.channel.asks({}, 'Second', 'Two.');
    expect(JSON.stringify(sent(scratch).messages)).not.toContain('quince');
    expect(scratch.hooks.has('message_sending')).toBe(false);
    await change(scratch, (config) => (config.session.sendPolicy = { default: 'deny' }));
    expect(scratch.hooks.has('message_sending')).toBe(true);
    await change(scratch, (config) => delete config.session.sendPolicy);
    expect(scratch.hooks.has('message_sending')).toBe(false);
  });

  it('an agent that was added has its heartbeat, and one that is gone has none', async () => {
    const clock = { at: Date.parse('2026-03-02T10:01:00Z') };
    const scratch = await gatewayForTest({ now: () => clock.at, config: { agents: AGENTS } });
    const waiting = await change(scratch, (config) =>
      config.agents.list.push({ id: 'ops', heartbeat: { every: '10m' } }),
    );
    expect(waiting).toEqual([]);
    await scratch.home.write('workspace-ops/HEARTBEAT.md', '- Look after the backups.\n');
    clock.at = Date.parse('2026-03-02T10:10:01Z');
    const { heartbeats } = scratch.opened.schedule;
    scratch.model.script([reply('HEARTBEAT_OK')]);
    expect(await heartbeats.look()).toEqual(new Map([['ops', 'queued']]));
    await change(scratch, (config) => config.agents.list.pop());
    clock.at = Date.parse('2026-03-02T10:20:01Z');
    expect(await heartbeats.look()).toEqual(new Map());
  });

  it('more sessions run at the same time', async () => {
    const scratch = await gatewayForTest({
      config: { agents: { defaults: { model: 'fake/small', maxConcurrent: 1 } } },
    });
    let answer = () => {};
    const after = new Promise<void>((resolve) => {
      answer = resolve;
    });
    scratch.model.script([{ ...reply('Late.'), after }, reply('Early.')]);
    await scratch.channel.says({ sender: 'ann' }, 'Slow');
    await expect.poll(() => scratch.model.requests.length).toBe(1);
    await scratch.channel.says({ sender: 'bob' }, 'Quick');
    await change(scratch, (config) => (config.agents.defaults.maxConcurrent = 2));
    await scratch.channel.expectDelivered('Early.', { sender: 'bob' });
    answer();
    await scratch.channel.expectDelivered('Late.', { sender: 'ann' });
  });
});

describe('what waits for the next start', () => {
  it('is named, and stays as it was', async () => {
    const scratch = await gatewayForTest({ config: { agents: AGENTS } });
    const waiting = await change(scratch, (config) => {
      config.agents.defaults.userTimezone = 'Asia/Tokyo';
      config.agents.list[0].workspace = scratch.home.path('elsewhere');
      config.session = { mainKey: 'home', idleMinutes: 3 };
      config.gateway = { port: 1234, drainSeconds: 4, http: { endpoints: { responses: { enabled: false } } } };
      config.logging = { level: 'debug' };
    });
    expect(waiting).toEqual([
      'agents.defaults.userTimezone',
      'agents.list[0].workspace',
      'gateway.http',
      'gateway.port',
      'logging.level',
      'session.mainKey',
    ]);
    const { agents, session, gateway } = scratch.opened.config;
    expect(agents?.defaults?.userTimezone).toBeUndefined();
    expect(agents?.list?.[0]?.workspace).toBeUndefined();
    expect(session).toEqual({ idleMinutes: 3 });
    expect(gateway).toEqual({ drainSeconds: 4 });
    expect(
      await change(scratch, (config) => Object.assign(config, { agents: AGENTS, session: {}, gateway: {} })),
    ).toEqual(['logging.level']);
  });

  it('is everything in a configuration with which no gateway would be started', async () => {
    const scratch = await gatewayForTest();
    const config = JSON.parse(await scratch.home.read('openclaw.json'));
    config.gateway = { auth: { mode: 'password' } };
    config.agents.defaults.model = 'fake/large';
    await scratch.home.write('openclaw.json', JSON.stringify(config));
    const { problem } = await scratch.services.configuration.state();
    expect(problem).toContain('gateway.auth.mode');
    expect(scratch.opened.config.agents?.defaults?.model).toBe('fake/small');
  });
});

const AGENTS = {
  defaults: { model: 'fake/small', heartbeat: { every: '0m' } },
  list: [{ id: 'main' }, { id: 'coder' }],
};
