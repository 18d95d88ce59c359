// A trial of the operator's own handlers: a gateway is opened on a temporary state directory with their configuration,
// their plugins and their hook packs from their real places, and with the mirror model instead of every model. It is
// driven along the paths of hook-paths.ts, and the result says for each handler whether it fired, and if not, why.
// Promise: the operator's state, workspaces and configuration are not changed, and the gateway sends nothing outside:
// no model is called, and no server of tools and no service of a plugin is started. What a plugin does on its own when
// it is loaded or called cannot be prevented.

import { copyFile, mkdir, mkdtemp, readdir, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Channel, OutboundPart } from '../../channels/channel.ts';
import { resolveAgentWorkspaceDir } from '../../config/agent-workspace.ts';
import { resolveDefaultAgentId } from '../../config/agents.ts';
import type { Environment } from '../../config/environment.ts';
import type { LoadedConfig } from '../../config/load-config.ts';
import { configuredProviders } from '../../config/model-provider.ts';
import type { Config } from '../../config/schema.ts';
import type { Inbound } from '../../protocol/inbound.ts';
import { timeLimit } from '../../protocol/time-limit.ts';
import type { HandlerModules } from '../composer/handler-program.ts';
import { type OpenedGateway, openGateway } from '../main.ts';
import type { HandlerStatus } from '../services/hook-control.ts';
import { HOOK_PATHS, type HookPath, type HookPathName } from './hook-paths.ts';

export interface HookTrialOptions {
  readonly environment: Environment;
  readonly loaded: LoadedConfig;
  readonly configPath?: string | undefined;
  readonly modules?: HandlerModules | undefined;
}

export interface HookTrial {
  readonly handlers: readonly TriedHandler[];
  /** Plugins that are not loaded, so that it is unknown what they would register. */
  readonly absent: readonly { readonly owner: string; readonly state: string; readonly reason: string }[];
  /** What is wrong with packs and handler files: one that cannot be loaded, an event that nothing fires. */
  readonly faults: readonly string[];
  /** The paths that were tried, in order. */
  readonly paths: readonly HookPathName[];
  /** Unexpected results, such as a run that a handler blocked. */
  readonly notes: readonly string[];
}

export interface TriedHandler extends Pick<HandlerStatus, 'hook' | 'id' | 'owner' | 'state' | 'calls'> {
  /** `failed`: it was called and threw, took too long or gave an invalid answer. `silent`: it was not called. */
  readonly verdict: 'fired' | 'failed' | 'silent';
  /** The trial used a path on which the table says that it fires. */
  readonly isExpected: boolean;
  /** There is a path on which it fires, tried or not. */
  readonly canFire: boolean;
  /** Why it did not fire, or how it failed; null for a handler that fired. */
  readonly reason: string | null;
}

export async function tryHooks(options: HookTrialOptions): Promise<HookTrial> {
  const dir = await realpath(await mkdtemp(join(tmpdir(), 'atrium-doctor-')));
  const warnings: string[] = [];
  try {
    await furnish(dir, options);
    const clock = { ahead: 0 };
    const opened = await openGateway({
      environment: trialEnvironment(options.environment, dir),
      loaded: { ...options.loaded, config: trialConfig(options.loaded.config, dir) },
      configPath: options.configPath,
      modules: options.modules,
      isTrial: true,
      channels: [new TrialChannel()],
      now: () => Date.now() + clock.ahead,
      sleep: async () => {},
      warn: (sentence) => warnings.push(sentence),
    });
    const trial = new Trial(opened, clock);
    let status: Awaited<ReturnType<Trial['drive']>>;
    try {
      status = await trial.drive();
    } finally {
      await opened.close(CLOSE_MS);
    }
    // Calls during the stop count too, although after it no handler is listed any more.
    const counted = opened.hookStatistics.snapshot();
    const handlers = status.handlers.map((handler): TriedHandler => {
      const same = ({ hook, id, owner }: { hook: string; id: string; owner: string }) =>
        hook === handler.hook && id === handler.id && owner === handler.owner;
      return judge({ ...handler, ...counted.find(same) }, trial.paths);
    });
    const { absent, faults } = status;
    const notes = [...trial.notes, ...warnings.filter((sentence) => !faults.includes(sentence))];
    return { handlers, absent, faults, paths: trial.paths, notes };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

const CLOSE_MS = 5_000;
const RUN_MS = 30_000;
const PEER = 'doctor';

/** Drives the gateway along one path after the other; a failure on one path does not stop the next. */
class Trial {
  readonly paths: HookPathName[] = ['start'];
  readonly notes: string[] = [];
  readonly #opened: OpenedGateway;
  readonly #clock: { ahead: number };

  constructor(opened: OpenedGateway, clock: { ahead: number }) {
    this.#opened = opened;
    this.#clock = clock;
  }

  async drive() {
    const { services } = this.#opened;
    await this.#opened.listensAt('http://127.0.0.1:9');
    await this.#try('message', async () => this.#say('say Hello.'));
    await this.#try('tool call', async () => this.#say('call read {"path":"AGENTS.md"}'));
    await this.#spawn();
    await this.#try('/status', async () => this.#say('/status'));
    await this.#try('stopped run', async () => this.#stopped());
    await this.#try('failed model', async () => this.#say('fail bad-request'));
    await this.#try('/compact', async () => this.#say('/compact'));
    await this.#try('/new', async () => this.#say('/new'));
    await this.#try('heartbeat', async () => this.#beat());
    await this.#try('job added', async () => this.#job());
    await this.#try('install', async () => {
      const target = { targetType: 'plugin', requestKind: 'plugin-dir' } as const;
      await services.installs.check(
        { ...target, targetName: 'atrium-doctor', sourcePath: tmpdir(), sourcePathKind: 'directory' },
        target,
      );
    });
    await this.#try('session deleted', async () => {
      const open = await services.store.select('sessions', { where: { endedAt: null } });
      for (const { sessionKey } of open) await services.sessions.delete(sessionKey);
    });
    await this.#try('message', async () => this.#say('say Goodbye.'));
    await this.#opened.hooks.drain(CLOSE_MS);
    this.paths.push('shutdown');
    const { faults } = await services.hooks.inventory({});
    return { ...(await services.hooks.status()), faults };
  }

  async #try(path: HookPathName, act: () => Promise<void>): Promise<void> {
    if (!this.paths.includes(path)) this.paths.push(path);
    try {
      await act();
    } catch (error) {
      this.notes.push(`${path}: ${(error as Error).message}`);
    }
  }

  async #say(text: string): Promise<void> {
    const { services } = this.#opened;
    const { runId } = await services.inbox.receive(this.#inbound(text));
    const limit = timeLimit(RUN_MS, () => new Error(`it took longer than ${RUN_MS / 1_000} s and was stopped`));
    try {
      while (!(await this.#isAsking(runId))) {
        const [run] = await services.store.select('runs', { where: { runId }, limit: 1 });
        if (run?.status === 'blocked')
          this.notes.push(`The run of ${JSON.stringify(text)} ended early. ${run.outcome?.error ?? ''}`);
        if (run && run.status !== 'running') return;
        limit.signal.throwIfAborted();
        await sleep(10);
      }
      this.notes.push(`The run of ${JSON.stringify(text)} wanted a person asked, and was stopped.`);
      await services.runs.stop(runId, 'no person can answer in a trial');
    } catch (error) {
      await services.runs.stop(runId, 'the trial goes on');
      throw error;
    } finally {
      limit.clear();
    }
  }

  /** Counts as a path only where the operator's policy offers the tool. */
  async #spawn(): Promise<void> {
    const { store } = this.#opened.services;
    await this.#say('call sessions_spawn {"task":"say Done."}').catch(() => {});
    if ((await store.count('children')) === 0) return;
    await this.#try('subagent', async () => {
      const begun = Date.now();
      const isBusy = async () => (await store.count('inbox', { status: { in: ['queued', 'claimed'] } })) > 0;
      while (await isBusy()) {
        if (Date.now() - begun > RUN_MS) throw new Error(`the child took longer than ${RUN_MS / 1_000} s`);
        await sleep(10);
      }
    });
  }

  async #isAsking(runId: string): Promise<boolean> {
    return (await this.#opened.services.store.count('approvals', { runId, status: 'waiting' })) > 0;
  }

  async #stopped(): Promise<void> {
    const { services } = this.#opened;
    const { runId } = await services.inbox.receive(this.#inbound('wait 60'));
    const begun = Date.now();
    const isCalling = async () => (await services.store.count('journal', { runId })) > 0;
    while (!(await isCalling()) && Date.now() - begun < RUN_MS) {
      if ((await services.store.count('runs', { runId, status: { not: 'running' } })) > 0) return;
      await sleep(5);
    }
    await this.#say('/stop');
    await services.runs.wait(runId, AbortSignal.timeout(RUN_MS));
  }

  async #beat(): Promise<void> {
    const { schedule, services } = this.#opened;
    // Heartbeats are due at multiples of their interval, and one that is noticed late does not count.
    this.#clock.ahead += BEAT_MS - ((Date.now() + this.#clock.ahead) % BEAT_MS);
    const beats = await schedule.heartbeats.look();
    if (![...beats.values()].includes('queued'))
      throw new Error(`no heartbeat came (${[...beats.values()].join(', ')})`);
    const begun = Date.now();
    const isBusy = async () =>
      (await services.store.count('inbox', { kind: 'heartbeat', status: { not: 'done' } })) > 0;
    while ((await isBusy()) && Date.now() - begun < RUN_MS) await sleep(10);
  }

  async #job(): Promise<void> {
    const { jobs } = this.#opened.services;
    const job = { name: 'doctor', message: 'say Nothing.', schedule: { every: '1d' }, createdBy: PEER };
    const { id } = await jobs.add(job);
    await jobs.remove(id);
  }

  #inbound(text: string): Inbound {
    return {
      surface: { channel: TrialChannel.ID, accountId: 'default', peer: { kind: 'direct', id: PEER } },
      sender: { id: PEER, name: PEER },
      text,
      at: Date.now() + this.#clock.ahead,
    };
  }
}

const BEAT_MS = 30 * 60_000;

/** A channel that accepts every message and sends it nowhere. */
class TrialChannel implements Channel {
  static readonly ID = 'doctor';
  readonly id = TrialChannel.ID;
  readonly guarantee = { level: 'exactly-once', because: 'nothing leaves the process' } as const;
  readonly maxTextLength = 100_000;

  async open(): Promise<void> {}
  async send({ key }: OutboundPart) {
    return { outcome: 'sent', receipt: { messageId: key } } as const;
  }
  async close(): Promise<void> {}
}

function judge(handler: HandlerStatus, paths: readonly HookPathName[]): TriedHandler {
  const { hook, id, owner, state, calls, errors, timeouts, lastFailure } = handler;
  const isExpected = pathsOf(hook).some(([path]) => paths.includes(path));
  const tried = { hook, id, owner, state, calls, isExpected, canFire: pathsOf(hook).length > 0 };
  if (state !== 'armed') return { ...tried, verdict: 'silent', reason: handler.reason };
  if (errors + timeouts > 0) {
    const how = lastFailure?.error ?? lastFailure?.outcome ?? 'it failed';
    return {
      ...tried,
      verdict: 'failed',
      reason: `${errors + timeouts} of ${calls} calls failed, the last one: ${how}`,
    };
  }
  if (calls > 0) return { ...tried, verdict: 'fired', reason: null };
  return { ...tried, verdict: 'silent', reason: whySilent(hook, isExpected) };
}

function whySilent(hook: string, isExpected: boolean): string {
  if (isExpected) return 'It should have fired and did not; the notes of the trial may say why.';
  const paths = pathsOf(hook);
  if (paths.length === 0) return 'Nothing fires this event.';
  const when = paths.slice(0, 2).map(([, { what }]) => what.replaceAll('`', ''));
  return `The trial did not come to it. It fires when ${when.join(', or when ')}.`;
}

/** The paths on which a hook or an event fires. */
function pathsOf(name: string): readonly (readonly [HookPathName, HookPath])[] {
  return (Object.entries(HOOK_PATHS) as [HookPathName, HookPath][]).filter(
    ([, { hooks, events }]) => name in hooks || name in events,
  );
}

/**
 * Prepares what a gateway looks for in its state directory and in a workspace. Folders of code are used where they are;
 * texts are copied.
 */
async function furnish(dir: string, { environment, loaded }: HookTrialOptions): Promise<void> {
  const { stateDir } = environment;
  await linkFolders(stateDir, dir, ['extensions', 'hooks', 'skills']);
  await copyTexts(stateDir, dir);
  const agentId = resolveDefaultAgentId(loaded.config);
  await copyTexts(join(stateDir, 'agents', agentId), join(dir, 'agents', agentId));
  const workspaceDir = resolveAgentWorkspaceDir(loaded.config, agentId, environment.variables);
  const workspace = join(dir, 'workspace');
  await copyTexts(workspaceDir, workspace);
  await linkFolders(workspaceDir, workspace, ['hooks']);
  await linkFolders(join(workspaceDir, '.openclaw'), join(workspace, '.openclaw'), ['extensions']);
  await writeFile(join(workspace, 'HEARTBEAT.md'), '# Heartbeat\n\n- [ ] say Nothing.\n');
}

async function linkFolders(from: string, to: string, names: readonly string[]): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 });
  for (const name of names) {
    const isThere = await stat(join(from, name)).then(
      (entry) => entry.isDirectory(),
      () => false,
    );
    if (isThere) await symlink(join(from, name), join(to, name), 'dir');
  }
}

const LARGEST_TEXT = 1_048_576;

async function copyTexts(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 });
  for (const name of await readdir(from).catch(() => [])) {
    const file = join(from, name);
    const entry = name.endsWith('.md') ? await stat(file).catch(() => undefined) : undefined;
    if (entry?.isFile() && entry.size <= LARGEST_TEXT) await copyFile(file, join(to, name));
  }
}

/** The environment contains paths and keys too, so the trial removes or replaces them. */
function trialEnvironment(environment: Environment, dir: string): Environment {
  const isOurs = (name: string) => /^(?:OPENCLAW|ATRIUM|CLAWDBOT|MOLTBOT)_|_API_KEY$/.test(name);
  const variables = Object.fromEntries(Object.entries(environment.variables).filter(([name]) => !isOurs(name)));
  return {
    ...environment,
    stateDir: dir,
    workspaceDir: undefined,
    failpoints: [],
    variables: { ...variables, OPENCLAW_STATE_DIR: dir },
  };
}

function trialConfig(config: Config, dir: string): Config {
  // What is tried is stored in the trial's own folder, never where the operator's rows are.
  const { recorder: _, store: _______, ...rest } = config;
  const { defaults, list } = config.agents ?? {};
  const { model: ____, ...subagents } = defaults?.subagents ?? {};
  const heartbeat = { every: '30m', target: 'none' };
  return {
    ...rest,
    agents: {
      ...config.agents,
      defaults: { ...defaults, model: 'mirror/mirror', workspace: join(dir, 'workspace'), heartbeat, subagents },
      ...(list && {
        list: list.map(({ model: __, workspace: ___, heartbeat: _____, subagents: ______, ...agent }) => agent),
      }),
    },
    // A handler may choose another model; every provider has an address at which no server answers.
    models: {
      providers: Object.fromEntries([...KNOWN, ...configuredProviders(config)].map((name) => [name, UNREACHABLE])),
    },
    mcp: { servers: {} },
    cron: { ...config.cron, enabled: false },
  } as Config;
}

const KNOWN = ['anthropic', 'openai', 'openrouter', 'ollama'];
const UNREACHABLE = { baseUrl: 'http://127.0.0.1:9', api: 'openai-completions', apiKey: 'none', models: [] };
