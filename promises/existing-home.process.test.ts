// A home as somebody has it who used OpenClaw is taken over by the built gateway: the configuration with every section of
// its documents, keys where people keep them, conversations, jobs and skills. What they had goes on, and every
// setting that is not used, or used differently, is named. Only what would leave this machine is turned elsewhere, in openclaw.yaml beside it.

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OpenClawHomeFixture } from '../src/gateway/import/fixtures/openclaw-home.ts';
import { runAtrium } from '../src/testkit/atrium-process.ts';
import { GatewayProcess } from '../src/testkit/gateway-process.ts';
import { reply, toolCall } from '../src/testkit/model-server.ts';

const CONFIG = new URL('../src/config/fixtures/existing-home/openclaw.json', import.meta.url);

/** Each has one place in the home, and one program that it is for. */
const SECRETS = {
  hooks: 'secret-of-the-webhooks',
  anthropic: 'secret-of-the-env-file',
  openai: 'secret-of-the-auth-profile',
  local: 'secret-of-the-own-provider',
  gemini: 'secret-of-a-skill',
} as const;

const ENV = `ANTHROPIC_API_KEY=${SECRETS.anthropic}
HOOKS_TOKEN="${SECRETS.hooks}"
export LOCAL_MODEL_KEY=${SECRETS.local}
GEMINI_API_KEY=${SECRETS.gemini}
# Written by hand.
BRAVE_API_KEY=brave
TELEGRAM_BOT_TOKEN=1234:telegram
DISCORD_BOT_TOKEN=discord
`;

const PROFILES = {
  version: 1,
  profiles: {
    'openai:work': { type: 'api_key', provider: 'openai', key: SECRETS.openai },
    'anthropic:default': { type: 'oauth', provider: 'anthropic', access: 'a', refresh: 'r' },
  },
};

/** Level and settings of every line in the block "found and not used, or used differently". */
const NOT_USED = [
  'danger agents.defaults.sandbox.mode, agents.list[1].sandbox.mode',
  'missing models.providers.local.models[0].reasoning',
  'missing agents.defaults.imageModel',
  'missing agents.defaults.thinkingDefault',
  'missing agents.defaults.contextPruning, agents.defaults.memorySearch',
  'missing agents.defaults.compaction.memoryFlush',
  'missing agents.defaults.heartbeat.model, agents.defaults.heartbeat.lightContext',
  'missing agents.defaults.subagents.archiveAfterMinutes',
  'missing broadcast, acp',
  'missing tools.web.search',
  'missing tools.media',
  'missing session.maintenance',
  'missing messages.ackReaction, messages.queue, messages.tts',
  'missing approvals.exec',
  'missing channels.whatsapp',
  'missing gateway.controlUi.basePath',
  'missing gateway.reload',
  'missing hooks.gmail.account, hooks.gmail.topic',
  'missing skills.allowBundled',
  'missing skills.load.watch',
  'missing cron.maxConcurrentRuns, cron.sessionRetention',
  'missing browser',
  'missing talk, audio',
  'missing memory.backend, memory.citations',
  'missing discovery',
  'missing canvasHost, nodeHost',
  'missing media',
  'differs env.shellEnv.enabled, env.shellEnv.timeoutMs',
  'differs env.vars',
  'differs auth.order',
  'differs agents.defaults.compaction.mode',
  'differs agents.list[2].skills',
  'differs commands.ownerAllowFrom',
  'differs skills.entries.nano-banana.apiKey, skills.entries.nano-banana.env',
  'differs agents.defaults.timeoutSeconds',
  'harmless $schema, meta, wizard, update, auth.profiles, models.providers.local.models[0].name, agents.defaults.timeFormat, agents.defaults.sandbox.scope, agents.defaults.sandbox.docker, agents.list[0].identity.theme, agents.list[0].tools.elevated, tools.agentToAgent, commands.native, commands.text, commands.bash, commands.restart, gateway.tailscale.resetOnExit, ui, web',
];

let gateway: GatewayProcess;
let first = '';
let brought: Awaited<ReturnType<typeof atrium>>;
const atrium = (...argv: string[]) => runAtrium(argv, { home: gateway.home.home });

beforeAll(async () => {
  gateway = await GatewayProcess.create({
    files: {
      '.env': `${ENV}OPENCLAW_GATEWAY_TOKEN=a-token-for-tests-only\n`,
      'agents/main/agent/auth-profiles.json': JSON.stringify(PROFILES),
      '../clawd/AGENTS.md': '# Rules\n\nPim is brief.\n',
      '../clawd/hooks/legacy.js': 'export default () => {};\n',
      ...skill('nano-banana', 'It draws.', { primaryEnv: 'GEMINI_API_KEY', requires: { env: ['GEMINI_API_KEY'] } }),
      ...skill('peekaboo', 'It looks at the screen.'),
      ...skill('github', 'It reads pull requests.'),
      ...skill('camsnap', 'It takes photos.', { requires: { bins: ['no-such-program'] } }),
    },
  });
  const { home } = gateway;
  await home.write('openclaw.json', await readFile(CONFIG, 'utf8'));
  await turnElsewhere();
  const old = new OpenClawHomeFixture(home.stateDir);
  await old.writeFiles();
  const at = Date.now() - 60_000;
  await old.sessions({ 'agent:main:main': { sessionId: 'main-1', sessionStartedAt: at, updatedAt: at } });

  expect(await gateway.start()).toBe('ready');
  first = gateway.out;
  await gateway.stop();
  brought = await atrium('import', 'openclaw');
  expect(await gateway.start()).toBe('ready');
}, 60_000);
afterAll(() => gateway.close());

/** Whatever would leave this machine stays on it. `more` is what the operator changes later. */
async function turnElsewhere(more: object = {}): Promise<void> {
  const { home, model } = gateway;
  const provider = { baseUrl: model.baseUrl };
  const settings = {
    models: { providers: { anthropic: provider, openai: provider, local: provider } },
    channels: { telegram: { enabled: false }, discord: { enabled: false }, slack: { enabled: false } },
    logging: { file: home.path('logs/atrium.log') },
    mcp: { servers: { docs: { enabled: false } } },
    // At four in the morning the test is the same.
    session: { reset: { mode: 'idle' } },
    ...more,
  };
  await home.write('openclaw.yaml', JSON.stringify(settings));
}

/** Says something, and gives the request that the model server was sent. */
async function sentAfter(begin: () => Promise<{ readonly runId: string }>) {
  gateway.model.script([reply('Rex.')]);
  const { runId } = await begin();
  const { status } = await gateway.json<{ status: string }>(`/api/runs/${runId}/wait`);
  const sent = gateway.model.requests.at(-1);
  if (!sent) throw new Error(`No request came: the run ${runId} is ${status}.`);
  return sent;
}

const say = (body: object) =>
  sentAfter(() => gateway.json('/api/messages', { body: { text: 'What is my dog called?', ...body } }));

describe('an existing home', () => {
  it('is offered to be brought along, and is', () => {
    expect(first).toContain('atrium import openclaw');
    expect(brought.out).toMatch(/^conversations +1 +0 +0 +0$/m);
    expect(brought.out).toMatch(/^jobs +2 +0 +0 +1$/m);
    expect(brought.out).toMatch(/^approved people +3 +0 +0 +1$/m);
    expect(gateway.out.slice(first.length)).not.toContain('atrium import openclaw');
  });

  it('says of every setting that is not used, or used differently, that it is', () => {
    const banner = gateway.out.slice(first.length);
    const [, ...lines] = banner.slice(banner.indexOf('  found and not used')).trimEnd().split('\n');
    const found = lines.map((line) => /^ {4}(\w+) +(.+?)(?:: [A-Z].*\.)?$/.exec(line) ?? []);
    expect(found.map(([, level, settings]) => `${level} ${settings}`)).toEqual(NOT_USED);
  });

  it('goes on with a conversation where it stopped, with the key of the .env file', async () => {
    const { path, headers, body, json } = await say({ sessionKey: 'agent:main:main' });
    expect([path, json.model, headers['x-api-key']]).toEqual(['/v1/messages', 'claude-opus-4-6', SECRETS.anthropic]);
    expect(body).toContain('My dog is called Rex.');
    expect(body).toContain('Noted: Rex.');
    expect(body).toContain('Pim is brief.');
  });

  it('offers the skills that it allows and that can work', async () => {
    const { body } = await say({ agentId: 'main', user: 'ana' });
    expect(SKILLS.filter((each) => body.includes(each))).toEqual(['It draws.', 'It reads pull requests.']);
    const { body: nightly } = await say({ agentId: 'nightly' });
    expect(SKILLS.filter((each) => nightly.includes(each))).toEqual(['It reads pull requests.']);
  });

  it('asks the model of an agent by the name of its provider, with the key of a profile', async () => {
    const { headers, json } = await say({ agentId: 'work' });
    expect([json.model, headers.authorization]).toEqual(['gpt-5', `Bearer ${SECRETS.openai}`]);
  });

  it('takes webhooks by its mappings, with their token', async () => {
    const headers = { authorization: `Bearer ${SECRETS.hooks}` };
    const body = { messages: [{ from: 'ada@example.com' }] };
    const sent = await sentAfter(() => gateway.json('/hooks/gmail', { body, headers }));
    expect(sent.body).toContain('| From: ada@example.com');
  });

  it('takes up webhooks that are changed while it runs', async () => {
    const mappings = [{ match: { path: 'builds' }, messageTemplate: 'Build {{state}}.' }];
    await turnElsewhere({ hooks: { token: 'another-token', path: '/in', mappings } });
    expect(await gateway.json('/api/config')).toMatchObject({ waiting: [], problem: null });
    const headers = { authorization: 'Bearer another-token' };
    const post = (path: string, token = headers.authorization) =>
      gateway.fetch(path, { body: { state: 'failed' }, headers: { authorization: token } });
    const codeOf = async (answer: Response) => ((await answer.json()) as { error: { code: string } }).error.code;
    expect(await codeOf(await post('/in/builds', `Bearer ${SECRETS.hooks}`))).toBe('ATRIUM_WEBHOOK_TOKEN');
    expect(await codeOf(await post('/in/gmail'))).toBe('ATRIUM_WEBHOOK_UNMATCHED');
    expect(await codeOf(await post('/hooks/gmail'))).toBe('ATRIUM_HTTP_TOKEN_WRONG');
    const sent = await sentAfter(async () => (await post('/in/builds')).json() as Promise<{ runId: string }>);
    expect(sent.body).toContain('| Build failed.');
    await turnElsewhere({ hooks: { enabled: false, path: '/in' } });
    await gateway.json('/api/config');
    expect(await codeOf(await post('/in/builds'))).toBe('ATRIUM_HTTP_TOKEN_WRONG');
  });

  it('has its jobs', async () => {
    const { out } = await atrium('cron', 'list');
    expect(out).toContain('Morning report');
    expect(out).toContain('Pulse');
  });

  it('shows and writes its secrets nowhere', async () => {
    const texts = new Map([['the terminal of the gateway', gateway.out + gateway.err + brought.out + brought.err]]);
    const commands = ['status', 'config check', 'config get', 'logs'].map(async (words) => {
      const { out, err } = await atrium(...words.split(' '));
      texts.set(`atrium ${words}`, out + err);
    });
    await Promise.all(commands);
    for (const { number, headers, body, json } of gateway.model.requests) {
      const { authorization, 'x-api-key': key, ...others } = headers;
      texts.set(`request ${number}`, `${JSON.stringify(others)}${body}`);
      expect([authorization, key]).toEqual(
        json.model === 'gpt-5' ? [`Bearer ${SECRETS.openai}`, undefined] : [undefined, SECRETS.anthropic],
      );
    }
    const entries = await readdir(gateway.home.home, { recursive: true, withFileTypes: true });
    for (const entry of entries.filter((each) => each.isFile())) {
      if (entry.name === '.env' || entry.name === 'auth-profiles.json') continue;
      const file = join(entry.parentPath, entry.name);
      texts.set(file, await readFile(file, 'latin1'));
    }
    expect([...texts.keys()].filter((name) => /atrium\.(?:db|log)$/.test(name))).toHaveLength(2);
    for (const [name, text] of texts) {
      for (const [place, secret] of Object.entries(SECRETS))
        expect(text.includes(secret), `${place} in ${name}`).toBe(false);
    }
  });
});

describe('a home of OpenClaw 2026.9', () => {
  let newer: GatewayProcess;
  let told: Awaited<ReturnType<typeof runAtrium>>;

  beforeAll(async () => {
    newer = await GatewayProcess.create({ files: { '../clawd/AGENTS.md': '# Rules\n\nPim is brief.\n' } });
    const { home, model } = newer;
    await home.write('openclaw.json', JSON.stringify(newestConfig(newer.token, model.baseUrl, home.path('../clawd'))));
    const old = new OpenClawHomeFixture(home.stateDir);
    await old.writeDatabases();
    told = await runAtrium(['import', 'openclaw'], { home: home.home });
    expect(await newer.start()).toBe('ready');
  }, 60_000);
  afterAll(() => newer.close());

  it('has its agents by name, and every setting that is not used is named by where it stands', async () => {
    const { out } = await runAtrium(['agents', 'list'], { home: newer.home.home });
    expect(out).toMatch(/^main +yes /m);
    expect(out).toMatch(/^quiet +- /m);
    const [, ...lines] = newer.out.slice(newer.out.indexOf('  found and not used')).trimEnd().split('\n');
    const found = lines.map((line) => /^ {4}(\w+) +(.+?)(?:: [A-Z].*\.)?$/.exec(line) ?? []);
    expect(found.map(([, level, settings]) => `${level} ${settings}`)).toEqual([
      'danger agents.entries.quiet.sandbox.mode',
      'missing agents.ownership',
      'missing talk',
      'differs agents.defaults.heartbeat.target',
      'differs agents.defaults.timeoutSeconds',
      'differs skills.allowBundled',
      'differs gateway.port',
      'harmless agents.defaults.authInheritance, meta',
    ]);
  });

  it('goes on with its conversation and its jobs, with the key that its database has', async () => {
    expect(told.out).toMatch(/^jobs +2 +0 +0 +1$/m);
    newer.model.script([reply('Rex.')]);
    const body = { text: 'What is my dog called?', sessionKey: 'agent:main:main' };
    const { runId } = await newer.json<{ runId: string }>('/api/messages', { body });
    await newer.json(`/api/runs/${runId}/wait`);
    const sent = newer.model.requests.at(-1);
    expect(sent?.headers.authorization).toBe('Bearer key-of-the-machine');
    expect(sent?.body).toContain('My dog is called Rex.');
    expect(sent?.body).toContain('Pim is brief.');
  });

  it('keeps commands from the agent whose sandbox is not there, and from the one that may run none', async () => {
    const calls = async (agentId: string) => {
      newer.model.script([toolCall('exec', { command: 'printf %s%s obe lisk' }), reply('Over.')]);
      const { runId } = await newer.json<{ runId: string }>('/api/messages', { body: { text: 'Run it.', agentId } });
      await newer.json(`/api/runs/${runId}/wait`);
      return newer.model.requests.at(-1)?.body ?? '';
    };
    expect(await calls('quiet')).toContain('agents.entries.quiet.sandbox');
    expect(await calls('main')).not.toContain('obelisk');
  });
});

/** As `openclaw onboard` and `openclaw agents add` of that version write it. */
function newestConfig(token: string, baseUrl: string, workspace: string): object {
  return {
    agents: {
      ownership: 'explicit',
      defaults: {
        authInheritance: { agentId: 'main' },
        workspace,
        model: { primary: 'groq/test-model' },
        models: { 'groq/test-model': {} },
        systemAgent: { agentId: 'main' },
        heartbeat: { agentId: 'main', every: '0m' },
      },
      entries: {
        quiet: { name: 'Quiet', sandbox: { mode: 'all' } },
        main: { name: 'Main', workspace, identity: { name: 'Main' } },
      },
    },
    models: { providers: { groq: { baseUrl } } },
    tools: { profile: 'full', exec: { mode: 'deny' } },
    session: { dmScope: 'main', reset: { mode: 'daily', idleMinutes: 60 } },
    gateway: { mode: 'local', auth: { mode: 'token', token }, tailscale: { mode: 'off' } },
    talk: { agentId: 'main' },
    meta: { lastTouchedVersion: '2026.9.6' },
  };
}

const SKILLS = ['It draws.', 'It looks at the screen.', 'It reads pull requests.', 'It takes photos.'];

function skill(name: string, description: string, section: object = {}): Record<string, string> {
  const metadata = JSON.stringify({ openclaw: section });
  return {
    [`skills/${name}/SKILL.md`]: `---\nname: ${name}\ndescription: ${description}\nmetadata: ${metadata}\n---\n`,
  };
}
