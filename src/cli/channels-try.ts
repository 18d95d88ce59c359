// `atrium channels try`: a chat platform on this machine with a page that shows it, and a gateway of its own that answers
// there, so that the product can be tried without a token. The gateway has a folder of its own, which is removed at the
// end; it takes its models and agents from the configuration of the person who tries it, or answers with the mirror.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { agentIdOf, listAgentConfigs, resolveAgentDefaults, withAgents } from '../config/agents.ts';
import { readEnvironment } from '../config/environment.ts';
import { loadConfig } from '../config/load-config.ts';
import type { Config } from '../config/schema.ts';
import { nearMatch } from '../protocol/near-match.ts';
import { FAKE_PLATFORMS } from '../testkit/fake-platforms.ts';
import type { CliIo } from './cli-io.ts';
import { command } from './command.ts';
import { UnknownPlatformError } from './errors.ts';
import { line } from './output/text.ts';

/** The people on the platform. The first one is paired from the beginning. */
const PEOPLE = ['Ada', 'Ben'];

export const channelsTry = command({
  path: 'channels try',
  summary:
    'try a chat platform without a token: a fake of it on this machine, and a page that shows what people would see',
  args: { '<platform>': Object.keys(FAKE_PLATFORMS).join(', ') },
  options: { '--port <number>': 'the port of the page (default: a free one)' },
  examples: ['channels try telegram', 'channels try slack --port 8088'],
  notes:
    'Nothing leaves this machine, except requests to the models that your configuration names. Without any, an embedded model repeats what you write. Stop it with Ctrl-C.',
  json: false,
  async run({ platform: given, port = '0' }, { io }) {
    const load = Object.hasOwn(FAKE_PLATFORMS, given) ? FAKE_PLATFORMS[given] : undefined;
    if (!load) {
      const known = Object.keys(FAKE_PLATFORMS);
      throw new UnknownPlatformError({ platform: given, known, suggestion: nearMatch(given, known) });
    }
    const platform = await (await load())(PEOPLE);
    const home = await mkdtemp(join(tmpdir(), 'atrium-try-'));
    const close: (() => Promise<unknown>)[] = [() => rm(home, { recursive: true, force: true }), () => platform.stop()];
    const closeAll = async () => {
      for (const each of close.splice(0).reverse()) await each().catch(() => undefined);
    };
    try {
      const [owner] = PEOPLE;
      const section = { ...platform.section, groupPolicy: 'open', dmPolicy: 'pairing' };
      const gateway = await startTrial(io, home, { [platform.id]: section });
      close.push(() => gateway.stop(1_000));
      const { servePlatformPage } = await import('../testkit/platform-page.ts');
      const page = await servePlatformPage(platform, Number(port));
      close.push(() => page.close());
      io.out(line(`${platform.name} on this machine: ${page.url}`));
      io.out(line(`What the agent is told and answers: ${gateway.url}/#token=${gateway.token}`));
      io.out(
        line(
          `Write as ${owner}: the bot answers with a code, because it does not know ${owner}. Approve it on the second page, or with: OPENCLAW_STATE_DIR=${home} atrium pairing approve ${platform.id} CODE`,
        ),
      );
      await untilStopped();
    } finally {
      await closeAll();
    }
    return { text: '' };
  },
});

async function startTrial(io: CliIo, home: string, channels: object) {
  const { startGateway } = await import('../gateway/start-gateway.ts');
  const { config } = await loadConfig({ environment: io.environment });
  const settings = { ...trialSettings(config, home), channels };
  await writeFile(join(home, 'openclaw.json'), JSON.stringify(settings), { mode: 0o600 });
  const variables = { ...io.environment.variables, OPENCLAW_STATE_DIR: home, OPENCLAW_CONFIG_PATH: undefined };
  const environment = readEnvironment(variables, () => io.environment.home, io.environment.cwd);
  return startGateway({
    environment,
    loaded: await loadConfig({ environment }),
    warn: (sentence) => io.err(line(`warning: ${sentence}`)),
    port: 0,
  });
}

/** The models, agents and tools of the person who tries it, with workspaces of the trial's own: theirs stay untouched. */
export function trialSettings(config: Config, home: string): object {
  const { models, agents, tools } = config;
  const trial = listAgentConfigs(config).map(({ agentDir: _, ...entry }) => ({
    ...entry,
    workspace: join(home, 'workspaces', agentIdOf(entry)),
  }));
  return {
    ...(models && { models }),
    agents: {
      ...(trial.length > 0 ? withAgents(config, trial).agents : agents),
      defaults: { ...resolveAgentDefaults(config), workspace: join(home, 'workspace') },
    },
    ...(tools && { tools }),
  };
}

function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
}
