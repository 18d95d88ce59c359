// A whole gateway in the test's own process, on its own home: the real store, lanes, tools and delivery, a model server
// on loopback, and a platform on which the test talks. It is removed after the test; it can be stopped and started
// again on the same home to see what survives.

import { join } from 'node:path';
import type { Channel } from '../channels/channel.ts';
import { readEnvironment } from '../config/environment.ts';
import { loadConfig } from '../config/load-config.ts';
import type { StopReason } from '../gateway/gateway-part.ts';
import { type GatewayOptions, type OpenedGateway, openGateway } from '../gateway/main.ts';
import type { Services } from '../gateway/services/services.ts';
import type { HookRunner } from '../hooks/runner.ts';
import type { ModelProtocol } from '../protocol/model-protocol.ts';
import type { Tool } from '../tools/tool.ts';
import { writeEmptyStore } from './empty-store.ts';
import { ModelServer } from './model-server.ts';
import { ScratchHome } from './scratch-home.ts';
import { TestChannel, type TestChannelSettings } from './test-channel.ts';

export interface ScratchGatewaySettings {
  /** Merged over a configuration that sends every agent to the model server. */
  readonly config?: Record<string, unknown> | undefined;
  /** Texts by path, relative to the state directory. */
  readonly files?: Readonly<Record<string, string>> | undefined;
  /** Merged over the settings of the one provider, `fake`. */
  readonly provider?: Record<string, unknown> | undefined;
  readonly protocol?: ModelProtocol | undefined;
  readonly register?: ((hooks: HookRunner) => void) | undefined;
  readonly watchFacts?: GatewayOptions['watchFacts'];
  /** Settings of the platform on which the test talks. */
  readonly channel?: TestChannelSettings | undefined;
  readonly channels?: readonly Channel[] | undefined;
  readonly extensions?: GatewayOptions['extensions'];
  readonly variables?: Readonly<Record<string, string>> | undefined;
  readonly now?: (() => number) | undefined;
  readonly tools?: readonly Tool[] | undefined;
  /** By default there is no wait before a model is called again. */
  readonly sleep?: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined;
}

export class ScratchGateway {
  readonly home: ScratchHome;
  readonly model: ModelServer;
  readonly settings: ScratchGatewaySettings;
  /** The warnings that operators would see. */
  readonly warnings: string[] = [];
  channel: TestChannel;
  #opened: OpenedGateway | undefined;

  private constructor(home: ScratchHome, model: ModelServer, settings: ScratchGatewaySettings) {
    this.home = home;
    this.model = model;
    this.settings = settings;
    this.channel = new TestChannel(settings.channel);
  }

  static async open(settings: ScratchGatewaySettings = {}): Promise<ScratchGateway> {
    const model = await ModelServer.start();
    const home = await ScratchHome.create(settings.files);
    const api = settings.protocol ?? 'openai-completions';
    const config = {
      agents: { defaults: { model: 'fake/small' } },
      models: {
        providers: {
          fake: {
            baseUrl: model.baseUrl,
            apiKey: 'test-key',
            api,
            models: [{ id: 'small' }, { id: 'large' }],
            ...settings.provider,
          },
        },
      },
      ...settings.config,
    };
    await home.write('openclaw.json', JSON.stringify(config));
    await writeEmptyStore(home.path('atrium/atrium.db'));
    const scratch = new ScratchGateway(home, model, settings);
    await scratch.start();
    return scratch;
  }

  get opened(): OpenedGateway {
    if (!this.#opened) throw new Error('the gateway is stopped');
    return this.#opened;
  }

  get services(): Services {
    return this.opened.services;
  }

  get store() {
    return this.services.store;
  }

  get hooks(): HookRunner {
    return this.opened.hooks;
  }

  get workspaceDir(): string {
    return join(this.home.stateDir, 'workspace');
  }

  async start(): Promise<void> {
    const { register, watchFacts, channels = [], extensions, variables, now, tools } = this.settings;
    const { sleep = async () => {} } = this.settings;
    const environment = readEnvironment(
      { HOME: this.home.home, TZ: 'UTC', ...variables },
      () => this.home.home,
      this.home.home,
    );
    this.#opened = await openGateway({
      environment,
      loaded: await loadConfig({ environment }),
      warn: (sentence) => this.warnings.push(sentence),
      register,
      watchFacts,
      channels: [this.channel, ...channels],
      extensions,
      now,
      tools,
      sleep,
    });
  }

  /** As a SIGTERM does. What is on the platform stays there for the next start. */
  async stop(budgetMs = 5_000, reason?: StopReason): Promise<void> {
    await this.#opened?.close(budgetMs, reason);
    this.#opened = undefined;
  }

  async close(): Promise<void> {
    await this.stop(0);
    await this.model.close();
    await this.home.remove();
  }
}
