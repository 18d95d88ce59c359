// Commands against a real gateway that does not answer, because its process was stopped or because it spins: each
// answers within its own limit, with what it knows, and says once why it is not more. When the process goes on, so do
// the commands.

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runAtrium } from '../../testkit/atrium-process.ts';
import { GatewayProcess } from '../../testkit/gateway-process.ts';
import { reply } from '../../testkit/model-server.ts';
import { COMMANDS } from '../commands.ts';
import { LONGEST_SILENCE_MS } from './watch-liveness.ts';

/** Where the answer comes from when the gateway gives none; `nothing` means that the command fails with the reason. */
type Source = 'the store' | 'the files' | 'nothing';

/** Commands that say what they need share one way to the gateway, so one of each kind stands for all. */
const SHARED: readonly (readonly [readonly string[], Source])[] = [
  [['sessions', 'list'], 'the store'],
  [['cron', 'run', 'job'], 'nothing'],
];

/** Every other command that asks the gateway. */
const ASKING: readonly (readonly [readonly string[], Source])[] = [
  [['chat'], 'nothing'],
  [['agent', '--message', 'are you there?'], 'nothing'],
  [['doctor'], 'the files'],
  [['context', 'preview'], 'the files'],
  [['context', 'report'], 'the files'],
  [['context', 'explain', 'AGENTS.md'], 'the files'],
  [['context', 'diff', '--vs-run', 'last'], 'the store'],
  [['context', 'check', '--update'], 'the files'],
  [['hooks', 'list'], 'the files'],
  [['hooks', 'info', 'time-context'], 'the files'],
  [['hooks', 'check'], 'the files'],
  [['hooks', 'enable', 'time-context'], 'the files'],
  [['hooks', 'disable', 'ci-mode'], 'the files'],
  [['tools', 'explain'], 'the files'],
  [['tools', 'list'], 'the files'],
  [['mcp', 'list'], 'the files'],
  [['plugins', 'list'], 'the files'],
  [['plugins', 'inspect', 'nice'], 'the files'],
  [['plugins', 'enable', 'nice'], 'the files'],
  [['plugins', 'disable', 'nice'], 'the files'],
];

/** These have tests of their own below. */
const OWN = ['start', 'status'];

/** These work on files or the store only, with a gateway of their own, ask at their end whether one runs, or wait for its process. */
const ALONE = new RegExp(
  [
    '^(?:agents|completion|config|models|route|service|skills|store) ',
    '^(?:docs|onboard|update)$',
    '^(?:hooks (?:new|test)|mcp test|plugins (?:install|uninstall|new|test)|tour|logs|stop|restart|import openclaw)$',
    '^(?:channels (?:list|add|login|test|remove|try)|runs? replay|export-trajectory|trajectory open)$',
  ].join('|'),
);

it('the list has every command that may ask a gateway', () => {
  const listed = [...ASKING.map(([args]) => args), ...OWN.map((name) => [name])];
  const isListed = (path: string) => listed.some((args) => `${args.join(' ')} `.startsWith(`${path} `));
  const missing = COMMANDS.filter(({ path, needs }) => needs === undefined && !ALONE.test(path) && !isListed(path));
  expect(missing.map(({ path }) => path)).toEqual([]);
});

it('a command waits less than five seconds', () => {
  expect(LONGEST_SILENCE_MS).toBeLessThan(5_000);
});

const NICE = {
  'extensions/nice/package.json': JSON.stringify({ name: 'nice', openclaw: { extensions: ['./index.js'] } }),
  'extensions/nice/openclaw.plugin.json': JSON.stringify({ id: 'nice', configSchema: { type: 'object' } }),
  'extensions/nice/index.js': 'export default { id: "nice", register() {} };',
};

/** Spins from the message "spin" until there is a file "enough", and says with the file "spinning" that it does. */
const SPINNER = `
import { existsSync, writeFileSync } from 'node:fs';
export default (event) => {
  if (!JSON.stringify(event.context).includes('"spin"')) return;
  writeFileSync(new URL('spinning', import.meta.url), '');
  while (!existsSync(new URL('enough', import.meta.url)));
};`;
const metadata = JSON.stringify({ openclaw: { events: ['message:received'] } });
const FILES = {
  ...NICE,
  'hooks/spinner/HOOK.md': `---\nname: spinner\nmetadata: ${metadata}\n---\n`,
  'hooks/spinner/handler.js': SPINNER,
};

interface Fault {
  readonly reason: RegExp;
  begin(gateway: GatewayProcess): Promise<void>;
  end(gateway: GatewayProcess): Promise<void>;
}

const inHook = (gateway: GatewayProcess, name: string) => join(gateway.home.stateDir, 'hooks', 'spinner', name);

const FAULTS: Readonly<Record<string, Fault>> = {
  'was stopped': {
    reason: /its process was stopped\. Let it go on/,
    begin: async (gateway) => gateway.signal('SIGSTOP'),
    end: async (gateway) => gateway.signal('SIGCONT'),
  },
  spins: {
    reason: /it is busy or hangs\. See its log/,
    begin: async (gateway) => {
      void gateway.fetch('/api/messages', { body: { text: 'spin', sessionKey: 'agent:main:other' } }).catch(() => {});
      await vi.waitFor(() => readFile(inHook(gateway, 'spinning')));
    },
    end: (gateway) => writeFile(inHook(gateway, 'enough'), ''),
  },
};

describe.each(Object.entries(FAULTS))('a gateway that %s', (_, fault) => {
  let gateway: GatewayProcess;
  beforeAll(async () => {
    const entries = { spinner: { isolation: 'inline' } };
    gateway = await GatewayProcess.create({
      files: FILES,
      config: { hooks: { internal: { enabled: true, entries } } },
    });
    gateway.model.script(() => reply('Fine.'));
    await gateway.start();
    expect((await atrium('agent', '--message', 'how are you?', '--session', 'work')).out).toBe('Fine.\n');
    await fault.begin(gateway);
  });
  afterAll(async () => {
    await fault.end(gateway);
    await gateway.close();
  });

  /** Each of them would wait for ever without a limit of its own; the test's limit ends that. */
  const atrium = (...args: readonly string[]) => runAtrium(args, { home: gateway.home.home });

  const unanswered = new RegExp(
    `The gateway at http:\\S+ runs \\(process \\d+\\) and does not answer: ${fault.reason.source}`,
    'g',
  );
  const told = (text: string) => text.match(unanswered)?.length ?? 0;

  it('status says who does not answer, and what its store says', async () => {
    const { code, out, err } = await atrium('status');
    expect([code, err, told(out)]).toEqual([1, '', 1]);
    expect(out).toMatch(/runs +0 running, \d waiting/);
    const { isRunning, isAnswering } = JSON.parse((await atrium('status', '--json')).out);
    expect({ isRunning, isAnswering }).toEqual({ isRunning: true, isAnswering: false });
  });

  it('a second gateway is refused at once', async () => {
    const { code, err } = await atrium('start', '--port', '0');
    expect([code, err]).toEqual([2, expect.stringMatching(/in use by the gateway at http/)]);
  });

  it.concurrent.each([...SHARED, ...ASKING])('%s answers from %s', async (args, source) => {
    const { code, out, err } = await atrium(...args);
    expect({ code, told: told(err) }, `${args.join(' ')} said:\n${out}${err}`).toEqual({
      code: source === 'nothing' ? 2 : 0,
      told: 1,
    });
    if (source === 'nothing') expect(out).toBe('');
    else expect(out).not.toBe('');
  });

  it('everything goes on with the process', async () => {
    await fault.end(gateway);
    await vi.waitFor(async () => expect((await atrium('status')).code).toBe(0));
    expect(await atrium('agent', '--message', 'and now?')).toEqual({ code: 0, out: 'Fine.\n', err: '' });
  });
});
