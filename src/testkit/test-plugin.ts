// A whole gateway with one plugin in it, for the plugin's own tests: the real store, lanes, hooks, tools and delivery
// on a home that is removed afterwards, and a model whose answers the test writes. It talks only to this machine.

import { fileURLToPath } from 'node:url';
import type { HookRunner } from '../hooks/runner.ts';
import { discoverPlugins } from '../plugins/discovery/discover-plugins.ts';
import type { PluginStatus } from '../plugins/plugin-status.ts';
import type { ModelReply } from './model-server.ts';
import { ScratchGateway } from './scratch-gateway.ts';
import type { TestPlace } from './test-channel.ts';

export interface TestPluginOptions {
  /** The plugin's own configuration. */
  readonly config?: Readonly<Record<string, unknown>> | undefined;
  /** By default every permission is given, because the test decides in place of the operator. */
  readonly hooks?: Readonly<Record<string, unknown>> | undefined;
  /** The default is `inline`, where a debugger can stop in the plugin. Normally plugins run in a `worker`. */
  readonly isolation?: 'inline' | 'worker' | undefined;
  /** Merged over the rest of the configuration. */
  readonly gateway?: Readonly<Record<string, unknown>> | undefined;
}

/** `dir` is the plugin's folder, such as `new URL('.', import.meta.url)`. Rejects when the plugin does not load. */
export async function testPlugin(dir: string | URL, options: TestPluginOptions = {}): Promise<TestedPlugin> {
  const path = typeof dir === 'string' ? dir : fileURLToPath(dir);
  const nowhere = { stateDir: '/nonexistent', workspaceDir: '/nonexistent' };
  const { plugins, problems } = await discoverPlugins({ ...nowhere, loadPaths: [path] });
  const [plugin] = plugins;
  if (!plugin) throw new Error(`There is no plugin in ${path}. ${problems.join(' ')}`);
  const { config = {}, hooks, isolation = 'inline', gateway = {} } = options;
  const allowed = hooks ?? { allowConversationAccess: true, allowPromptInjection: true };
  const scratch = await ScratchGateway.open({
    config: {
      ...gateway,
      plugins: {
        load: { paths: [path] },
        entries: { [plugin.id]: { enabled: true, isolation, config, hooks: allowed } },
      },
    },
  });
  const tested = new TestedPlugin(scratch, plugin.id);
  const { state, reason } = tested.status;
  if (state === 'loaded') return tested;
  await tested.close();
  throw new Error(`The plugin "${plugin.id}" is ${state}: ${reason}`);
}

export class TestedPlugin {
  readonly #scratch: ScratchGateway;
  readonly #id: string;

  constructor(scratch: ScratchGateway, id: string) {
    this.#scratch = scratch;
    this.#id = id;
  }

  /** Returns what `atrium plugins inspect` would show. */
  get status(): PluginStatus {
    return this.#scratch.services.plugins.inspect(this.#id);
  }

  /** Calls a hook directly: `hooks.run('before_install', event, context)`. */
  get hooks(): HookRunner {
    return this.#scratch.hooks;
  }

  /** The warnings that operators would see. */
  get warnings(): readonly string[] {
    return this.#scratch.warnings;
  }

  /** Sets the answers of the model from now on, one reply for each call. */
  modelAnswers(...replies: readonly ModelReply[]): void {
    this.#scratch.model.script(replies);
  }

  /** A person writes this. Resolves with the next message that is delivered there. */
  async says(text: string, place: TestPlace = {}): Promise<string> {
    await this.#scratch.channel.says(place, text);
    return (await this.#scratch.channel.expectDelivered(/^/, place)).text;
  }

  /** Every request that the model received, as text, the first one first. */
  get modelWasSent(): readonly string[] {
    return this.#scratch.model.requests.map(({ body }) => body);
  }

  close(): Promise<void> {
    return this.#scratch.close();
  }
}
