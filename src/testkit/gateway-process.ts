// The built gateway as a process, on the test's own home, with a model server in the test's process. A test can kill it
// and start it again on the same home as often as it likes. Everything is removed after the test.

import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { readEnvironment } from '../config/environment.ts';
import { within } from '../protocol/time-limit.ts';
import { ModelServer } from './model-server.ts';
import { ScratchHome } from './scratch-home.ts';

export interface GatewayProcessSettings {
  /** What the configuration says about the models of the one provider, `fake`. */
  readonly models?: readonly object[] | undefined;
  /** Merged over a configuration that sends every agent to the model server. */
  readonly config?: Record<string, unknown> | undefined;
  /** Texts by path, relative to the state directory. */
  readonly files?: Readonly<Record<string, string>> | undefined;
  /** False where so many requests are made that they would use up memory. */
  readonly recordsRequests?: boolean | undefined;
}

export interface StartSettings {
  /** The places where the process ends: `request:before`, `tool-result:after@2`. */
  readonly failpoints?: readonly string[] | undefined;
  /** The text of a module that adds handlers; see src/cli/fixtures/gateway-program.ts. Without it, `atrium start` is run. */
  readonly program?: string | undefined;
  /** The `atrium` of another build. The default is the one of this repository. */
  readonly command?: string | undefined;
  /** The name of the node, where several gateways share a database. */
  readonly node?: string | undefined;
  /** A configuration file that gateways share. The default is the one of the home. */
  readonly configPath?: string | undefined;
  /** A command that runs the one behind it under some restriction, such as `['setpriv', '…']`. */
  readonly under?: readonly string[] | undefined;
}

export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));
const COMMAND = join(REPOSITORY, 'dist', 'cli', 'main.js');
const PROGRAM = join(REPOSITORY, 'build', 'cli', 'fixtures', 'gateway-program.js');
/** No successful step takes this long, not even on a busy machine. */
const PATIENCE_MS = 45_000;
/** The token belongs to the test, so that it stays the same when the process is restarted. */
const TOKEN = 'a-token-for-tests-only';

/** With ATRIUM_TEST_STORE_URL, the stores of the tests are in that database, each in a schema of its own. */
function databaseForTest(): { readonly store?: object } {
  const url = readEnvironment().variables.ATRIUM_TEST_STORE_URL;
  return url ? { store: { url, schema: `test_${randomBytes(6).toString('hex')}` } } : {};
}

export class GatewayProcess {
  readonly home: ScratchHome;
  readonly model: ModelServer;
  readonly token = TOKEN;
  /** The output of all its processes so far. */
  out = '';
  err = '';
  /** The address, or undefined while the gateway does not listen. */
  url: string | undefined;
  #child: ChildProcess | undefined;
  #ended: Promise<ProcessEnd> = Promise.resolve({ code: null, signal: null });

  private constructor(home: ScratchHome, model: ModelServer) {
    this.home = home;
    this.model = model;
  }

  /** Makes a home and a model server; no gateway runs yet. */
  static async create(given: GatewayProcessSettings = {}): Promise<GatewayProcess> {
    const { config, files, recordsRequests, models = [{ id: 'small' }, { id: 'large' }] } = given;
    const model = await ModelServer.start({ record: recordsRequests });
    const home = await ScratchHome.create(files);
    const provider = { baseUrl: model.baseUrl, apiKey: 'test-key', api: 'openai-completions' };
    const settings = {
      agents: { defaults: { model: 'fake/small' } },
      models: { providers: { fake: { ...provider, models } } },
      gateway: { auth: { token: TOKEN } },
      ...databaseForTest(),
      ...config,
    };
    await home.write('openclaw.json', JSON.stringify(settings));
    return new GatewayProcess(home, model);
  }

  /** Makes a second gateway on the same home, to see what happens to it. Closing the first removes everything. */
  beside(): GatewayProcess {
    return new GatewayProcess(this.home, this.model);
  }

  /** Resolves with `ready` when it listens, and with `ended` when it died or refused before that. */
  async start({
    failpoints = [],
    program,
    command: atrium = COMMAND,
    node,
    configPath,
    under = [],
  }: StartSettings = {}): Promise<'ready' | 'ended'> {
    if (this.#child) throw new Error('The gateway is running already.');
    const [command = process.execPath, ...args] = [...under, process.execPath, ...(await this.#argv(program, atrium))];
    const child = spawn(command, args, {
      cwd: this.home.home,
      env: {
        PATH: readEnvironment().variables.PATH,
        HOME: this.home.home,
        TZ: 'UTC',
        ATRIUM_FAILPOINTS: failpoints.join(','),
        ...(node && { ATRIUM_NODE: node }),
        ...(configPath && { OPENCLAW_CONFIG_PATH: configPath }),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    this.#ended = new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => {
        this.url = undefined;
        this.#child = undefined;
        resolve({ code, signal });
      });
    });
    child.stderr?.setEncoding('utf8').on('data', (text) => {
      this.err += text;
    });
    let banner = '';
    const ready = new Promise<'ready'>((resolve) => {
      child.stdout?.setEncoding('utf8').on('data', (text) => {
        this.out += text;
        banner += text;
        const [, url] = /^ {2}talk +(http:\S+)\/#token=\S+$/m.exec(banner) ?? [];
        if (url === undefined || this.url !== undefined) return;
        this.url = url;
        resolve('ready');
      });
    });
    return this.#patiently(Promise.race([ready, this.#ended.then(() => 'ended' as const)]), 'to start');
  }

  /** Undefined while no process runs. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Resolves with the way it ended, for every reason. */
  ended(): Promise<ProcessEnd> {
    return this.#patiently(this.#ended, 'to end');
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  /** Kills the process, which for a process is the same as a power cut. */
  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.ended();
  }

  /** Stops the process as an operator does. */
  async stop(): Promise<ProcessEnd> {
    this.signal('SIGTERM');
    return this.ended();
  }

  fetch(path: string, { body, headers, method, signal }: FetchSettings = {}): Promise<Response> {
    if (this.url === undefined) throw new TypeError('The gateway is not running.');
    return fetch(`${this.url}${path}`, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
  }

  /** Returns the answer of the API as JSON. */
  async json<Answer>(path: string, settings?: FetchSettings): Promise<Answer> {
    return (await (await this.fetch(path, settings)).json()) as Answer;
  }

  async close(): Promise<void> {
    await this.kill();
    await this.model.close();
    await this.home.remove();
  }

  async #argv(program: string | undefined, atrium: string): Promise<readonly string[]> {
    if (program === undefined) return [atrium, 'start', '--port', '0'];
    const file = join(this.home.home, 'program.mjs');
    await writeFile(file, program);
    return [PROGRAM, pathToFileURL(file).href];
  }

  async #patiently<Value>(promise: Promise<Value>, what: string): Promise<Value> {
    if (await within(PATIENCE_MS, promise)) return promise;
    throw new Error(`The gateway took too long ${what}. It said:\n${this.out}${this.err}`);
  }
}

export interface FetchSettings {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly method?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}
