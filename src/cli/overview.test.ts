import { afterEach, beforeEach, expect, it } from 'vitest';
import { COMMAND_WORDS } from './commands-of-word.ts';
import { CliHome } from './fixtures/cli-home.ts';

let home: CliHome;
beforeEach(async () => {
  home = await CliHome.create();
});
afterEach(() => home.remove());

it('atrium alone says how to begin, and names every command in a few lines', async () => {
  const { code, out, err } = await home.run([]);
  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(/To begin:\n {2}atrium onboard +set everything up .*\n {2}atrium start +run the gateway/);
  for (const word of COMMAND_WORDS) expect(out).toMatch(new RegExp(`[ ,]${word}[,\\n]`));
  expect(out.split('\n').length).toBeLessThan(24);
});

it('fits a narrow terminal', async () => {
  const { out } = await home.run([], { columns: 60 });
  const commands = out.slice(out.indexOf('Commands:'), out.indexOf('"atrium --help"'));
  for (const line of commands.split('\n')) expect(line.length).toBeLessThanOrEqual(60);
});

it('the help says what the exit codes mean', async () => {
  expect((await home.run(['--help'])).out).toMatch(/Exit codes:/);
});
