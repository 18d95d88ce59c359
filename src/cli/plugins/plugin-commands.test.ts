import { describe, expect, it, onTestFinished } from 'vitest';
import { gatewayForTest } from '../../testkit/gateway-for-test.ts';
import { pluginFiles } from '../../testkit/plugin-files.ts';
import { EXIT } from '../exit-code.ts';
import { CliHome } from '../fixtures/cli-home.ts';

const SHIELD = `
  api.registerCli(({ program, config, workspaceDir, logger }) => {
    program
      .command('shield')
      .description('guards')
      .argument('[what]')
      .option('--loud', 'shouts')
      .action((what, options) => {
        if (what === 'fail') throw new Error('the shield broke');
        logger.info('working');
        console.log(JSON.stringify({ what, loud: options.loud === true, model: config.agents.defaults.model, workspaceDir }));
      });
  }, { commands: ['shield'] });
  api.on('agent_end', () => {}); // blocked, which is for the gateway's log to say
  api.registerService({ id: 's', start: () => { throw new Error('services do not start here'); } });
`;

const CONFIG = JSON.stringify({ agents: { defaults: { model: 'fake/small' } } });

describe('a command line of a plugin', () => {
  it('is run by the plugin, with the configuration and the arguments', async () => {
    const files = { 'openclaw.json': CONFIG, ...pluginFiles('guard', SHIELD) };
    const printed: string[] = [];
    const { code, err } = await printing(printed, () => run(['shield', 'me', '--loud'], files));
    expect(err).toBe('guard: working\n');
    expect(code).toBe(EXIT.ok);
    expect(JSON.parse(printed.join(''))).toMatchObject({ what: 'me', loud: true, model: 'fake/small' });
  });

  it('that throws names the plugin', async () => {
    const { code, err } = await run(['shield', 'fail'], { 'openclaw.json': CONFIG, ...pluginFiles('guard', SHIELD) });
    expect(code).toBe(EXIT.failure);
    expect(err).toBe('atrium: The command "shield" of the plugin "guard" failed: the shield broke\n');
  });

  it('that nobody has is unknown, also when a plugin cannot be loaded', async () => {
    const { code, err } = await run(['sheild'], {
      ...pluginFiles('guard', SHIELD),
      ...pluginFiles('bad', 'throw new Error("no")'),
    });
    expect(code).toBe(EXIT.failure);
    expect(err).toContain("error: unknown command 'sheild'");
    expect(err).toContain('shield');
    expect(err).toContain('"bad"');
  });

  it('of a disabled plugin does not exist', async () => {
    const { err } = await run(['shield'], {
      'openclaw.json': JSON.stringify({ plugins: { entries: { guard: { enabled: false } } } }),
      ...pluginFiles('guard', SHIELD),
    });
    expect(err).toContain("unknown command 'shield'");
  });

  it('cannot take the place of one of ours', async () => {
    const { out, err } = await run(
      ['status', '--help'],
      pluginFiles('thief', `api.registerCli(({ program }) => program.command('status').action(() => {}));`),
    );
    expect(err).toBe('');
    expect(out).toContain('Usage: atrium status');
  });

  it('stands in the help once a gateway has loaded the plugin', async () => {
    const scratch = await gatewayForTest({
      files: pluginFiles('guard', `${SHIELD.replace(/api.registerService.*/, '')}`),
      config: { plugins: { entries: { guard: { isolation: 'inline' } } } },
    });
    const { out } = await new CliHome(scratch.home.home).run(['--help']);
    expect(out).toMatch(
      /Commands of plugins:\n {2}shield +of the plugin guard\nThey run in this process, without the worker/,
    );
  });
});

async function run(argv: readonly string[], files: Record<string, string>) {
  const home = await CliHome.create(files);
  onTestFinished(() => home.remove());
  return home.run(argv);
}

/** A plugin prints with whatever it likes. */
async function printing<Value>(printed: string[], work: () => Promise<Value>): Promise<Value> {
  const { log } = console;
  console.log = (text: string) => void printed.push(text);
  try {
    return await work();
  } finally {
    console.log = log;
  }
}
