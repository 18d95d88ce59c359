// A gateway with one published package in it: installed by the command line as an operator would, talked to over test
// channels, answered by a scripted model on loopback. It lives in the home of this process, so that what a plugin writes
// to its home stays in the scratch folder.

import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { readEnvironment } from '../src/config/environment.ts';
import { loadConfig } from '../src/config/load-config.ts';
import { type OpenedGateway, openGateway } from '../src/gateway/main.ts';
import type { PluginStatus } from '../src/plugins/plugin-status.ts';
import { type ModelReply, ModelServer, reply } from '../src/testkit/model-server.ts';
import { TestChannel } from '../src/testkit/test-channel.ts';
import type { PackageCheck } from './package-check.ts';

const CLI = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));

export class CompatRig {
  readonly home: string;
  readonly stateDir: string;
  /** What operators were warned of. */
  readonly warnings: string[] = [];
  /** What was posted to the loopback server that stands in for a webhook. */
  readonly posted: string[] = [];
  readonly channels = {
    test: new TestChannel(),
    imessage: new TestChannel({ id: 'imessage' }),
    telegram: new TestChannel({ id: 'telegram' }),
  };
  readonly #package: PackageCheck;
  readonly #model: ModelServer;
  readonly #webhook: Server;
  #opened: OpenedGateway | undefined;

  private constructor(home: string, published: PackageCheck, model: ModelServer, webhook: Server) {
    this.home = home;
    this.stateDir = join(home, '.openclaw');
    this.#package = published;
    this.#model = model;
    this.#webhook = webhook;
  }

  static async open(home: string, published: PackageCheck): Promise<CompatRig> {
    const webhook = createServer();
    await new Promise<void>((resolve) => webhook.listen(0, '127.0.0.1', resolve));
    const rig = new CompatRig(home, published, await ModelServer.start(), webhook);
    webhook.on('request', async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      rig.posted.push(Buffer.concat(chunks).toString('utf8'));
      response.end('{}');
    });
    await rig.#configure();
    await rig.cli(['plugins', 'install', published.spec, '--yes'], 300_000);
    await rig.#start();
    return rig;
  }

  get opened(): OpenedGateway {
    if (!this.#opened) throw new Error('the gateway is closed');
    return this.#opened;
  }

  /** The command line in this home, with what it printed. Rejects when it fails. */
  async cli(argv: readonly string[], timeout = 60_000): Promise<string> {
    const env = { ...process.env, HOME: this.home, NO_COLOR: '1' };
    const { stdout } = await promisify(execFile)(process.execPath, [CLI, ...argv], { env, timeout });
    return stdout;
  }

  async status(): Promise<PluginStatus> {
    return this.opened.services.plugins.inspect(this.#package.id);
  }

  /** Says something and gives the answer that is shown. */
  async ask(text: string, replies: readonly ModelReply[], channel: TestChannel = this.channels.test): Promise<string> {
    this.#model.script(replies);
    const { messageId } = await (async () => {
      await channel.says({}, text);
      return channel.expectDelivered(/[\s\S]*/, {}, 20_000);
    })();
    return channel.messages.find((message) => message.messageId === messageId)?.text ?? '';
  }

  /** Lets the model call a tool and gives what the model was told of it. */
  async call(tool: string, params: Record<string, unknown>): Promise<string> {
    const before = this.#model.requests.length;
    const { toolCall } = await import('../src/testkit/model-server.ts');
    await this.ask(`Use ${tool}.`, [toolCall(tool, params as never), reply('Done.')]);
    const body = this.#model.requests[before + 1]?.body ?? '';
    const { messages = [] } = JSON.parse(body || '{}') as { messages?: { role: string; content: unknown }[] };
    const results = messages.filter(({ role }) => role === 'tool');
    const content = results.at(-1)?.content;
    return typeof content === 'string' ? content : JSON.stringify(content ?? null);
  }

  /** The body of the last request to the model. */
  get lastRequest(): string {
    return this.#model.requests.at(-1)?.body ?? '';
  }

  /** The names of the tools that the model was offered last. */
  get offeredTools(): readonly string[] {
    const { tools = [] } = JSON.parse(this.lastRequest || '{}') as { tools?: { function: { name: string } }[] };
    return tools.map((tool) => tool.function.name);
  }

  async close(): Promise<void> {
    await this.#opened?.close(2_000);
    await this.#model.close();
    this.#webhook.closeAllConnections();
    await new Promise((resolve) => this.#webhook.close(resolve));
  }

  async #configure(): Promise<void> {
    const { port } = this.#webhook.address() as AddressInfo;
    const config = {
      agents: { defaults: { model: 'fake/small' } },
      models: {
        providers: {
          fake: {
            baseUrl: this.#model.baseUrl,
            apiKey: 'test-key',
            api: 'openai-completions',
            models: [{ id: 'small' }],
          },
        },
      },
      tools: { exec: { security: 'full', ask: 'off' } },
      approvals: { approvers: ['test:owner'] },
      ...this.#package.config?.({ home: this.home, port }),
    };
    await mkdir(this.stateDir, { recursive: true });
    await writeFile(join(this.stateDir, 'openclaw.json'), JSON.stringify(config));
  }

  async #start(): Promise<void> {
    const environment = readEnvironment({ ...process.env, HOME: this.home, TZ: 'UTC' }, () => this.home, this.home);
    this.#opened = await openGateway({
      environment,
      loaded: await loadConfig({ environment }),
      warn: (sentence) => this.warnings.push(sentence),
      channels: Object.values(this.channels),
      sleep: async () => {},
    });
    await this.#opened.listensAt('http://127.0.0.1:9');
  }
}
