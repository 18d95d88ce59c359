import { mkdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readEnvironment } from '../../config/environment.ts';
import { loadConfig } from '../../config/load-config.ts';
import type { Config } from '../../config/schema.ts';
import { BootstrapFileHelper } from '../../context/bootstrap-file-helper.ts';
import { CI_TEXT } from '../../context/handlers/ci-mode/handler.ts';
import { MORNING_TEXT, OVERNIGHT_TEXT } from '../../context/handlers/time-context/handler.ts';
import { loadWorkspaceBootstrapFiles } from '../../context/sources/workspace-files.ts';
import { completeFirstRun } from '../../context/workspace/workspace-state.ts';
import { HookRunner } from '../../hooks/runner.ts';
import type { AgentBootstrapHookContext, InternalHookHandler } from '../../protocol/bootstrap-event.ts';
import { workspaceForEachTest } from '../../testkit/for-each-test.ts';
import { HANDLERS_IN_THIS_THREAD } from '../../testkit/handlers-in-this-thread.ts';
import { SCRATCH_TIME } from '../../testkit/scratch-workspace.ts';
import { ContextEngine, type ContextEngineSettings, type ContextRequest } from './context-engine.ts';

const scratch = workspaceForEachTest({ 'AGENTS.md': 'agents', 'TOOLS.md': 'tools', 'USER.md': 'user' });

/** A home in the scratch root, independent of the machine. */
function environmentWith(variables: Record<string, string> = {}) {
  const env = { HOME: scratch.root, OPENCLAW_STATE_DIR: scratch.stateDir, TZ: 'UTC', ...variables };
  return readEnvironment(env, () => scratch.root, scratch.root);
}

type EngineOptions = Partial<ContextEngineSettings> & { variables?: Record<string, string> };

function engineWith(config: Config = {}, { variables, ...settings }: EngineOptions = {}): ContextEngine {
  return new ContextEngine({
    environment: environmentWith(variables),
    config,
    handlers: HANDLERS_IN_THIS_THREAD,
    ...settings,
  });
}

function composeWith(config: Config = {}, request: Partial<ContextRequest> = {}, options: EngineOptions = {}) {
  return engineWith(config, options).compose({ workspaceDir: scratch.workspaceDir, at: SCRATCH_TIME, ...request });
}

const hooks = (settings: NonNullable<NonNullable<Config['bootstrap']>['hooks']>): Config => ({
  bootstrap: { hooks: settings },
});
const NIGHT = { at: new Date('2026-05-06T23:30:00Z') };

describe('an untouched home', () => {
  it('gives the plain workspace', async () => {
    const { files } = await composeWith();
    expect(files).toEqual(await loadWorkspaceBootstrapFiles(scratch.workspaceDir));
  });

  it('has three bundled handlers at work, in their order, and says why the others are not', async () => {
    const { report } = await composeWith();
    expect(report.handlers.map(({ id, priority, owner }) => [id, priority, owner])).toEqual([
      ['global-files', 10, 'atrium'],
      ['agent-overrides', 50, 'atrium'],
      ['ci-mode', 200, 'atrium'],
    ]);
    expect(report.absences.filter(({ reason }) => reason === 'disabled').map(({ what }) => what)).toEqual([
      'handler time-context',
      'handler bootstrap-extra-files',
    ]);
  });

  it('says nothing about the hour until it is asked to', async () => {
    expect((await composeWith({}, NIGHT)).prompt.text).not.toContain(OVERNIGHT_TEXT);
  });

  it('equals the plain workspace with every bundled handler switched off, too', async () => {
    const off = { enabled: false };
    const config = hooks({ 'global-files': off, 'agent-overrides': off, 'ci-mode': off });
    const { files, report } = await composeWith(config);
    expect(report.handlers).toEqual([]);
    expect(files).toEqual(await loadWorkspaceBootstrapFiles(scratch.workspaceDir));
  });
});

describe('bundled handlers', () => {
  it('put global files first, then what is for the agent alone', async () => {
    await scratch.writeState('AGENTS.md', 'global');
    await scratch.writeState('agents/main/AGENTS.md', 'for main');
    const { files } = await composeWith();
    expect(files[0]?.content).toBe('global\n\n---\n\nagents\n\n---\n\n\n## Agent-Specific: main\n\nfor main');
  });

  it('take their settings from the configuration', async () => {
    await scratch.writeOutside('overrides/main/AGENTS.md', 'instead');
    await scratch.write('pkg/AGENTS.md', 'of the package');
    const config = hooks({
      'global-files': { enabled: false },
      'agent-overrides': { override_dir: join(scratch.outsideDir, 'overrides'), mode: 'replace', priority: 5 },
      'time-context': { enabled: true, overnight_start: 9, overnight_end: 11, texts: { overnight: 'odd hours' } },
      'bootstrap-extra-files': { patterns: ['pkg/*'] },
      'ci-mode': { force: true, text: 'forced' },
    });
    const { prompt, report } = await composeWith(config);
    expect(report.handlers.map(({ id }) => id)).toEqual([
      'agent-overrides',
      'time-context',
      'bootstrap-extra-files',
      'ci-mode',
    ]);
    for (const text of ['instead', 'odd hours', 'of the package', 'forced']) expect(prompt.text).toContain(text);
    expect(prompt.text).not.toContain('\nagents');
    expect(prompt.text).not.toContain('user');
  });

  it('take them from where OpenClaw homes have them; the contract’s own place has the last word', async () => {
    await scratch.write('pkg/AGENTS.md', 'of the package');
    await scratch.write('other/AGENTS.md', 'of the other');
    const entries = {
      'bootstrap-extra-files': { paths: ['pkg/AGENTS.md'] },
      'ci-mode': { enabled: false },
      'time-context': { enabled: true },
    };
    const config: Config = {
      hooks: { internal: { entries } },
      bootstrap: { hooks: { 'time-context': { enabled: false } } },
    };
    const { prompt, report } = await composeWith(config, NIGHT, { variables: { CI: 'true' } });
    expect(prompt.text).toContain('of the package');
    expect(report.handlers.map(({ id }) => id)).toEqual(['global-files', 'agent-overrides', 'bootstrap-extra-files']);
  });

  it('use the first of paths, patterns and files that says something', async () => {
    for (const name of ['a', 'b', 'c']) await scratch.write(`${name}/AGENTS.md`, `of ${name}`);
    const extra = async (settings: { paths?: string[]; patterns?: string[]; files?: string[] }) =>
      (await composeWith(hooks({ 'bootstrap-extra-files': settings }))).prompt.text.match(/of [abc]\b/g);
    const [a, b, c] = ['a/AGENTS.md', 'b/AGENTS.md', 'c/AGENTS.md'];
    expect(await extra({ paths: [a], patterns: [b], files: [c] })).toEqual(['of a']);
    expect(await extra({ paths: [' '], patterns: [b], files: [c] })).toEqual(['of b']);
    expect(await extra({ files: [c] })).toEqual(['of c']);
  });

  it('keep the hour’s text below the boundary, or inline where that is wanted', async () => {
    const lifted = await composeWith(hooks({ 'time-context': { enabled: true } }), NIGHT);
    expect(lifted.prompt.text.slice(lifted.prompt.cacheBoundary)).toContain(OVERNIGHT_TEXT);
    const inline = await composeWith(hooks({ 'time-context': { enabled: true, inline: true } }), NIGHT);
    expect(inline.prompt.text.slice(0, inline.prompt.cacheBoundary)).toContain(OVERNIGHT_TEXT);
  });

  it('end the morning where the configuration says', async () => {
    const at = new Date('2026-05-06T10:30:00Z');
    const config = hooks({ 'time-context': { enabled: true, morning_end: 11 } });
    expect((await composeWith(config, { at })).prompt.text).toContain(MORNING_TEXT);
  });

  it('leave openboa agents without global files, unless the operator says otherwise', async () => {
    await scratch.writeState('AGENT.md', 'global');
    expect((await composeWith({}, { taxonomy: 'openboa' })).prompt.text).not.toContain('global');
    const config: Config = { openboa: { globalFiles: true } };
    expect((await composeWith(config, { taxonomy: 'openboa' })).prompt.text).toContain('global');
  });
});

describe('the kind of session', () => {
  const typeOf = async (request: Partial<ContextRequest>, variables = {}, config: Config = {}) =>
    (await composeWith(config, request, { variables })).report.situation.sessionType;

  it('follows from key, trigger, environment and configuration, in that order', async () => {
    expect(await typeOf({})).toBe('interactive');
    expect(await typeOf({ sessionKey: 'agent:main:subagent:1' }, { CI: 'true' })).toBe('subagent');
    expect(await typeOf({ trigger: 'spawn' })).toBe('subagent');
    expect(await typeOf({ sessionKey: 'agent:main:cron:x' })).toBe('scheduled');
    expect(await typeOf({ trigger: 'heartbeat' }, { CI: 'true' })).toBe('scheduled');
    expect(await typeOf({}, { CI: 'true' })).toBe('ci');
    expect(await typeOf({}, { OPENCLAW_SESSION_TYPE: 'ci' })).toBe('ci');
    expect(await typeOf({}, {}, { bootstrap: { sessionType: 'ci' } })).toBe('ci');
    expect(await typeOf({}, { CI: '1' })).toBe('interactive');
  });

  it('is what the request says, wherever the process runs', async () => {
    expect(await typeOf({ sessionType: 'interactive' }, { CI: 'true' })).toBe('interactive');
    const calm = await composeWith({}, { sessionType: 'interactive' }, { variables: { CI: 'true' } });
    expect(calm.prompt.text).not.toContain(CI_TEXT);
    expect((await composeWith({}, { sessionType: 'ci' })).prompt.text).toContain(CI_TEXT);
  });

  it('brings the pipeline handler into action', async () => {
    const { files, prompt } = await composeWith({}, {}, { variables: { CI: 'true' } });
    expect(prompt.text).toContain(CI_TEXT);
    expect(files.map(({ name }) => name)).not.toContain('USER.md');
  });
});

describe('agents', () => {
  const config = (): Config => ({
    agents: {
      defaults: { workspace: scratch.workspaceDir, bootstrapMaxChars: 500, userTimezone: 'Asia/Tokyo' },
      list: [
        { id: 'main', default: true },
        { id: 'Ana', workspace: join(scratch.root, 'ana'), bootstrapMaxChars: 100 },
        { id: 'boa', taxonomy: 'openboa' },
      ],
    },
  });
  const composeFor = (request: Partial<ContextRequest>) =>
    engineWith(config()).compose({ at: SCRATCH_TIME, ...request });

  it('are found by name, by session key, or by default', async () => {
    await scratch.write('../ana/AGENTS.md', 'I am Ana');
    expect((await composeFor({})).report.situation).toMatchObject({ agentId: 'main' });
    for (const request of [{ agentId: 'ana' }, { agentId: ' ANA' }, { sessionKey: 'agent:ana:main' }]) {
      const { report, prompt } = await composeFor(request);
      expect(report.situation).toMatchObject({ agentId: 'ana', workspaceDir: join(scratch.root, 'ana') });
      expect(prompt.text).toContain('I am Ana');
    }
  });

  it('that are not configured are refused, with the likely name', async () => {
    await expect(composeFor({ agentId: 'anna' })).rejects.toMatchObject({
      code: 'ATRIUM_AGENT_UNKNOWN',
      suggestion: 'ana',
      known: ['main', 'ana', 'boa'],
    });
    await expect(engineWith(config()).prepare({ agentId: 'x', at: SCRATCH_TIME })).rejects.toMatchObject({
      code: 'ATRIUM_AGENT_UNKNOWN',
    });
  });

  it('may have any name when a workspace is named', async () => {
    const { report } = await composeFor({ agentId: 'guest', workspaceDir: scratch.workspaceDir });
    expect(report.situation.agentId).toBe('guest');
  });

  it('without a workspace are told how to get one', async () => {
    await expect(composeFor({ agentId: 'ana' })).rejects.toMatchObject({
      code: 'ATRIUM_WORKSPACE_NOT_FOUND',
      dir: join(scratch.root, 'ana'),
    });
  });

  it('have their own limits and taxonomy', async () => {
    await mkdir(join(scratch.root, 'ana'));
    await scratch.writeState('agents/boa/workspace/AGENT.md', 'I am a boa');
    expect((await composeFor({ agentId: 'ana' })).report.budget.maxChars).toBe(100);
    expect((await composeFor({})).report.budget.maxChars).toBe(500);
    const boa = await composeFor({ agentId: 'boa' });
    expect(boa.report.situation.taxonomy).toBe('openboa');
    expect(boa.prompt.text).toContain('I am a boa');
  });

  it('live in the time zone of the request, of the configuration, or of the machine', async () => {
    expect((await composeFor({})).report.situation.timezone).toBe('Asia/Tokyo');
    expect((await composeFor({ timezone: 'Europe/Berlin' })).report.situation.timezone).toBe('Europe/Berlin');
    expect((await composeWith()).report.situation.timezone).toBe('UTC');
    const odd: Config = { agents: { defaults: { userTimezone: 'Mars/Olympus' } } };
    expect((await composeWith(odd)).report.situation.timezone).toBe('UTC');
  });
});

describe('the first run', () => {
  it('is in every conversation until it is complete, which the workspace remembers', async () => {
    await scratch.write('BOOTSTRAP.md', 'get to know each other');
    expect((await composeWith()).prompt.text).toContain('get to know each other');
    await completeFirstRun(scratch.workspaceDir, SCRATCH_TIME);
    const { prompt, report } = await composeWith();
    expect(prompt.text).not.toContain('get to know each other');
    expect(report.absences).toContainEqual(expect.objectContaining({ what: 'BOOTSTRAP.md', reason: 'disabled' }));
  });

  it.each([
    ['{"version":1,"setupCompletedAt":"2026-01-01T00:00:00Z"}', false],
    ['{"onboardingCompletedAt":"2026-01-01T00:00:00Z"}', false],
    ['{"version":1,"bootstrapSeededAt":"2026-01-01T00:00:00Z"}', true],
    ['not json', true],
    ['', true],
  ])('honours the state that is there: %s', async (state, pending) => {
    await scratch.write('BOOTSTRAP.md', 'get to know each other');
    await scratch.write('.openclaw/workspace-state.json', state);
    expect((await composeWith()).prompt.text.includes('get to know each other')).toBe(pending);
  });

  it('does not believe a state that lies outside of the workspace', async () => {
    await scratch.write('BOOTSTRAP.md', 'get to know each other');
    await scratch.writeOutside('workspace-state.json', '{"setupCompletedAt":"2026-01-01T00:00:00Z"}');
    await symlink(scratch.outsideDir, scratch.path('.openclaw'));
    expect((await composeWith()).prompt.text).toContain('get to know each other');
  });
});

describe('skills', () => {
  it('of the workspace and of the home are listed, and only those', async () => {
    const own = await scratch.write('skills/own/SKILL.md', '---\nname: own\ndescription: Ours.\n---\nBODY\n');
    const shared = await scratch.writeState('skills/shared/SKILL.md', '---\nname: shared\n---\nBODY\n');
    const { prompt } = await composeWith();
    expect(prompt.text).toContain(`\n- own: Ours. (${own})\n- shared (${shared})\n`);
    expect(prompt.text).not.toContain('BODY');
  });

  it('do not leak through a link', async () => {
    await scratch.writeOutside('hidden/SKILL.md', '---\nname: hidden\n---\n');
    await symlink(scratch.outsideDir, scratch.path('skills'));
    expect((await composeWith()).prompt.text).not.toContain('hidden');
    const config: Config = { bootstrap: { allowedRoots: [scratch.outsideDir] } };
    expect((await composeWith(config)).prompt.text).toContain('hidden');
  });
});

describe('rules', () => {
  const rule = { id: 'quiet', file: 'AGENTS.md', text: 'Be quiet.', when: { hours: '22-6' } };

  it('act when their conditions hold, and say why when they do not', async () => {
    const config: Config = { bootstrap: { rules: [rule] } };
    expect((await composeWith(config, NIGHT)).prompt.text).toContain('Be quiet.');
    const { prompt, report } = await composeWith(config);
    expect(prompt.text).not.toContain('Be quiet.');
    expect(report.absences).toContainEqual(
      expect.objectContaining({ what: 'rule quiet', reason: 'rule-condition-false', by: 'rule:quiet' }),
    );
  });

  it('read their text from beside the configuration, from the workspace, and from nowhere else', async () => {
    await scratch.writeState('quiet.md', 'beside the configuration');
    await scratch.write('quiet.md', 'in the workspace');
    const secret = await scratch.writeOutside('secret.md', 'secret');
    const textFrom = async (from: string) => {
      const config: Config = { bootstrap: { rules: [{ id: 'r', file: 'SOUL.md', from }] } };
      return (await composeWith(config)).prompt.text;
    };
    expect(await textFrom('quiet.md')).toContain('beside the configuration');
    expect(await textFrom(scratch.path('quiet.md'))).toContain('in the workspace');
    expect(await textFrom(secret)).not.toContain('secret');
  });

  it('know the environment', async () => {
    const config: Config = { bootstrap: { rules: [{ ...rule, when: { env: { STAGE: 'prod' } } }] } };
    expect((await composeWith(config, {}, { variables: { STAGE: 'prod' } })).prompt.text).toContain('Be quiet.');
    expect((await composeWith(config)).prompt.text).not.toContain('Be quiet.');
  });

  it('with an unknown condition are an error of the configuration', async () => {
    const environment = environmentWith();
    await scratch.writeState(
      'openclaw.json',
      JSON.stringify({ bootstrap: { rules: [{ ...rule, when: { hour: '22-6', moon: 'full' } }] } }),
    );
    const failure = await loadConfig({ environment }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'ATRIUM_CONFIG_INVALID' });
    expect(String(failure)).toContain('bootstrap.rules[0].when.hour');
    expect(String(failure)).toContain('did you mean "hours"');
    expect(String(failure)).toContain('moon');
  });

  it('run among the handlers, by their priority', async () => {
    const rules = [
      { id: 'last', file: 'AGENTS.md', text: 'last', priority: 300 },
      { id: 'first', file: 'AGENTS.md', text: 'first', priority: 1 },
    ];
    const { report } = await composeWith({ bootstrap: { rules } });
    expect(report.handlers.map(({ id }) => id)).toEqual([
      'rule:first',
      'global-files',
      'agent-overrides',
      'ci-mode',
      'rule:last',
    ]);
  });
});

describe('handlers of others', () => {
  const helloWith = (text: string): InternalHookHandler => {
    return (event) =>
      new BootstrapFileHelper(event.context as unknown as AgentBootstrapHookContext).appendToFile('AGENTS.md', text);
  };

  it('that a program registered take part, and its runner stays as it was', async () => {
    const runner = new HookRunner<InternalHookHandler>();
    runner.register({ hook: 'agent:bootstrap', owner: 'program', id: 'mine', handler: helloWith('hello') });
    expect((await composeWith({}, {}, { runner })).prompt.text).toContain('hello');
    expect(runner.list('agent:bootstrap').map(({ id }) => id)).toEqual(['mine']);
  });

  it('that the configuration names are loaded from beside it', async () => {
    const source = `export default (event) => event.context.bootstrapFiles.push({ name: 'X.md', path: 'X.md', content: 'from a module', missing: false });`;
    await scratch.writeState('handlers/x.mjs', source);
    const config: Config = { bootstrap: { handlers: [{ id: 'x', path: 'handlers/x.mjs' }] } };
    const { prompt, report } = await composeWith(config);
    expect(prompt.text).toContain('from a module');
    expect(report.handlers.find(({ id }) => id === 'x')).toMatchObject({ priority: 150, owner: 'config' });
  });

  it('that cannot be loaded are absent with a reason, and the rest goes on', async () => {
    const config: Config = {
      bootstrap: {
        handlers: [
          { id: 'gone', path: 'gone.mjs' },
          { id: 'off', path: 'off.mjs', enabled: false },
        ],
      },
    };
    const { prompt, report } = await composeWith(config);
    expect(prompt.text).toContain('agents');
    expect(report.absences).toContainEqual(expect.objectContaining({ what: 'handler gone', reason: 'handler-failed' }));
    expect(report.absences).toContainEqual(expect.objectContaining({ what: 'handler off', reason: 'disabled' }));
  });
});

describe('one engine', () => {
  it('prepares an agent once, however many runs ask at the same time', async () => {
    const engine = engineWith();
    const request = { workspaceDir: scratch.workspaceDir, at: SCRATCH_TIME };
    const [first, second] = await Promise.all([engine.prepare(request), engine.prepare(request)]);
    expect(second).toBe(first);
    expect(await engine.prepare({ ...request, sessionType: 'ci' })).not.toBe(first);
  });

  it('sees edits, and workspaces that appear, from one run to the next', async () => {
    const engine = engineWith();
    const request = { workspaceDir: join(scratch.root, 'new'), at: SCRATCH_TIME };
    await expect(engine.compose(request)).rejects.toMatchObject({ code: 'ATRIUM_WORKSPACE_NOT_FOUND' });
    await scratch.write('../new/AGENTS.md', 'one');
    expect((await engine.compose(request)).prompt.text).toContain('one');
    await scratch.write('../new/AGENTS.md', 'two');
    expect((await engine.compose(request)).prompt.text).toContain('two');
    await rm(join(scratch.root, 'new'), { recursive: true });
    await expect(engine.compose(request)).rejects.toMatchObject({ code: 'ATRIUM_WORKSPACE_NOT_FOUND' });
  });

  it('is not changed by a handler that writes into the configuration', async () => {
    const config: Config = { agents: { defaults: { userTimezone: 'Asia/Tokyo' } } };
    const runner = new HookRunner<InternalHookHandler>();
    const vandalise: InternalHookHandler = (event) => {
      const { cfg } = event.context as { cfg: Config };
      if (cfg.agents?.defaults) cfg.agents.defaults.userTimezone = 'UTC';
    };
    runner.register({ hook: 'agent:bootstrap', owner: 'test', id: 'vandal', handler: vandalise });
    const engine = engineWith(config, { runner });
    const request = { workspaceDir: scratch.workspaceDir, at: SCRATCH_TIME };
    await engine.compose(request);
    const { report } = await engine.compose(request);
    expect(report.situation.timezone).toBe('Asia/Tokyo');
    expect(config.agents?.defaults?.userTimezone).toBe('Asia/Tokyo');
  });
});

describe('a request', () => {
  it('tells handlers and rules the channel that its session key names', async () => {
    const rule = {
      id: 'r',
      file: 'AGENTS.md',
      text: 'In this channel.',
      when: { channel: 'slack', channelId: 'C042' },
    };
    const config: Config = { bootstrap: { rules: [rule] } };
    const inChannel = await composeWith(config, { sessionKey: 'agent:main:slack:channel:C042' });
    expect(inChannel.prompt.text).toContain('In this channel.');
    const elsewhere = await composeWith(config, { sessionKey: 'agent:main:slack:channel:C043' });
    expect(elsewhere.prompt.text).not.toContain('In this channel.');
  });

  it('for no time, or for a zone that no clock knows, is refused in one sentence', async () => {
    await expect(composeWith({}, { at: new Date('never') })).rejects.toMatchObject({ code: 'ATRIUM_CLI_BAD_FLAG' });
    await expect(composeWith({}, { timezone: 'Mars/X' })).rejects.toMatchObject({ code: 'ATRIUM_CLI_BAD_FLAG' });
    const zone = { agents: { defaults: { userTimezone: 'Mars/X' } } };
    expect((await composeWith(zone)).report.situation.timezone).toBe('UTC');
  });
});

describe('names in the configuration', () => {
  it('may leave the ending out, and mean the openboa file for an openboa agent', async () => {
    const agents = { list: [{ id: 'main', taxonomy: 'openboa' as const }] };
    await scratch.write('AGENT.md', 'the rules of AGENT');
    await scratch.write('PROFILE.md', 'the tone of PROFILE');
    const subagent = { sessionKey: 'agent:main:subagent:x' };
    const { prompt } = await composeWith({ agents, bootstrap: { subagentFiles: ['AGENTS'] } }, subagent);
    expect(prompt.text).toContain('the rules of AGENT');
    expect(prompt.text).not.toContain('the tone of PROFILE');
    const group = { sessionKey: 'agent:main:slack:group:1' };
    const withheld = await composeWith({ agents, bootstrap: { sharedSurfaces: { withhold: ['SOUL.md'] } } }, group);
    expect(withheld.prompt.text).not.toContain('the tone of PROFILE');
  });
});

describe('what can never take part', () => {
  it('is in the report: a rule that is switched off, with its text', async () => {
    const rules = [{ id: 'off', file: 'AGENTS.md', text: 'silent', enabled: false }];
    const { report } = await composeWith({ bootstrap: { rules } });
    expect(report.absences).toContainEqual(
      expect.objectContaining({ what: 'handler rule:off', reason: 'disabled', text: 'silent' }),
    );
  });

  it('is in the report: a pack that waits for an event that nothing fires', async () => {
    const metadata = JSON.stringify({ openclaw: { events: ['agent:bootstrp'] } });
    await scratch.writeState('hooks/slip/HOOK.md', `---\nname: slip\ndescription: d\nmetadata: ${metadata}\n---\n`);
    await scratch.writeState('hooks/slip/handler.js', 'export default () => {};');
    const { report } = await composeWith();
    expect(report.absences).toContainEqual(
      expect.objectContaining({
        what: 'hook slip',
        reason: 'handler-failed',
        detail: expect.stringContaining('agent:bootstrap'),
      }),
    );
  });

  it('is in the report: a skill that may not be listed', async () => {
    await scratch.writeOutside('SKILL.md', '---\nname: secret\n---\n');
    await mkdir(scratch.path('skills'));
    await symlink(scratch.outsideDir, scratch.path('skills/linked'));
    const { report } = await composeWith();
    expect(report.absences).toContainEqual(
      expect.objectContaining({ what: expect.stringContaining('skill '), reason: 'outside-workspace' }),
    );
  });
});
