import { readFile, stat } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { LogLine } from '../../telemetry/log-file.ts';
import { AtriumProcess, runAtrium } from '../../testkit/atrium-process.ts';
import { ScratchHome } from '../../testkit/scratch-home.ts';

async function scratch(config: object = {}, files: Readonly<Record<string, string>> = {}): Promise<ScratchHome> {
  const home = await ScratchHome.create({ 'openclaw.json': JSON.stringify(config), ...files });
  onTestFinished(() => home.remove());
  return home;
}

function start(home: ScratchHome) {
  const process = new AtriumProcess(['start', '--port', '0'], { home: home.home });
  onTestFinished(() => process.kill());
  return process;
}

async function linesOf(home: ScratchHome): Promise<readonly LogLine[]> {
  const text = await readFile(home.path('logs/atrium.log'), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

test('a run is found in the log by its id, and nothing that was said is in it', async () => {
  const home = await scratch({ logging: { level: 'debug' } });
  const gateway = start(home);
  await gateway.until('is ready');
  await runAtrium(['agent', '--message', 'say marmalade'], { home: home.home });
  gateway.signal('SIGTERM');
  expect(await gateway.ended()).toBe(0);
  const lines = await linesOf(home);
  const ended = lines.find(({ msg }) => msg.startsWith('The run is done after'));
  expect(ended).toMatchObject({ level: 'info', sessionKey: expect.stringMatching(/^agent:main:/) });
  const about = lines.filter(({ runId }) => runId === ended?.runId).map(({ msg }) => msg);
  expect(about[0]).toMatch(/^A message from \w+ was accepted\.$/);
  expect(about).toContain('The run has begun.');
  expect(about.some((msg) => /^The model mirror\/mirror ended with stop after/.test(msg))).toBe(true);
  expect(about.some((msg) => /^Part 1 of the answer to \w+ is sent\.$/.test(msg))).toBe(true);
  expect(JSON.stringify(lines)).not.toContain('marmalade');
  expect(lines.at(-1)?.msg).toBe('The gateway stops (shutdown).');
  expect((await stat(home.path('logs/atrium.log'))).mode & 0o777).toBe(0o600);

  const shown = await runAtrium(['logs', '--run', String(ended?.runId), '--level', 'info'], { home: home.home });
  expect(shown.out).toMatch(/^\S+Z info: The run is done after .* \[runId=\S+ sessionKey=\S+\]\n$/);
  const quiet = await runAtrium(['logs', '--run', String(ended?.runId), '--level', 'error'], { home: home.home });
  expect([quiet.out, quiet.err, quiet.code]).toEqual(['', 'No line matches.\n', 0]);
  const key = String(ended?.sessionKey);
  const unknown = await runAtrium(['logs', '--session', key.slice(0, -1)], { home: home.home });
  expect([unknown.out, unknown.code]).toEqual(['', 2]);
  expect(unknown.err).toContain(`Did you mean "${key}"?`);
  const following = new AtriumProcess(['logs', '--follow', '--session', key.slice(0, -1)], { home: home.home });
  onTestFinished(() => following.kill());
  await expect.poll(() => following.err).toContain(`Did you mean "${key}"? Waiting for its lines.`);
  following.signal('SIGINT');
  await following.ended();
  const none = await runAtrium(['logs', '--run', 'no-such-run'], { home: home.home });
  expect([none.out, none.code]).toEqual(['', 2]);
  expect(none.err).toContain('no-such-run');
  expect((await runAtrium(['logs', '--lines', 'many'], { home: home.home })).code).toBe(2);
});

test('a process that is killed has lost no line', async () => {
  const home = await scratch({ agents: { defaults: { model: 'nobody/none' } }, surprise: 1 });
  const gateway = start(home);
  await gateway.until('is ready');
  await gateway.kill();
  const lines = await linesOf(home);
  expect(lines.map(({ msg }) => msg).join('\n')).toMatch(/The gateway listens on port \d+\./);
  expect(lines.filter(({ level }) => level === 'warn').length).toBeGreaterThan(0);
});

test('what went wrong outside of any call is in the log, and so is an end that nothing asked for', async () => {
  const handler = `export default async () => {
    setTimeout(() => { throw new Error('a timer of mine'); }, 0);
    setTimeout(() => process.exit(0), 200);
  };`;
  const home = await scratch(
    { hooks: { internal: { entries: { bad: { enabled: true, isolation: 'inline' } } } }, plugins: { entries: {} } },
    {
      'hooks/bad/HOOK.md':
        '---\nname: bad\ndescription: ends the process\nmetadata: { "openclaw": { "events": ["gateway:startup"] } }\n---\n',
      'hooks/bad/handler.js': handler,
    },
  );
  const gateway = start(home);
  await gateway.ended();
  const messages = (await linesOf(home)).map(({ level, msg }) => `${level}: ${msg.split('\n')[0]}`);
  expect(messages).toContain(
    'error: Something went wrong outside of any call, probably in a handler: Error: a timer of mine',
  );
  expect(messages.at(-1)).toMatch(/^fatal: The gateway ends although nothing asked it to stop: process\.exit\(0\)/);
});

test('the terminal shows what consoleLevel and consoleStyle say, and the file is where logging.file says', async () => {
  const home = await scratch({ logging: { file: '~/own.log', consoleLevel: 'debug', consoleStyle: 'json' } });
  const gateway = start(home);
  await gateway.until('is ready');
  gateway.signal('SIGTERM');
  await gateway.ended();
  const [first = ''] = gateway.err.split('\n');
  expect(JSON.parse(first)).toMatchObject({
    level: 'info',
    msg: expect.stringMatching(/^The gateway listens on port/),
  });
  expect(await readFile(`${home.home}/own.log`, 'utf8')).toContain('The gateway listens on port');
  const { code, err } = await runAtrium(['logs'], { home: (await scratch()).home });
  expect([code, err]).toEqual([1, expect.stringContaining('There is no log yet')]);
});
