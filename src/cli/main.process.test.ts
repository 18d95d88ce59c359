import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LEAST_OPEN_FILES } from '../config/open-file-limit.ts';
import { TooFewFilesError } from '../gateway/errors.ts';
import { runAtrium } from '../testkit/atrium-process.ts';
import { ScratchHome } from '../testkit/scratch-home.ts';

let home: ScratchHome;
beforeEach(async () => {
  home = await ScratchHome.create({ 'workspace/AGENTS.md': 'Be brief.\n' });
});
afterEach(() => home.remove());

const run = (...argv: readonly string[]) => runAtrium(argv, { home: home.home });

describe('the process of a command', () => {
  it('ends although a handler left a timer running', async () => {
    await home.writePack(
      'hooks/pins',
      { events: ['agent:bootstrap'] },
      'export default () => { setInterval(() => {}, 1000); };',
    );
    expect((await run('context', 'preview')).out).toContain('Be brief.');
  });

  it('outlives what a handler does behind its back, and says so', async () => {
    const stray =
      'export default async () => { Promise.reject(new Error("stray")); await new Promise((ok) => setTimeout(ok, 20)); };';
    await home.writePack('hooks/strays', { events: ['agent:bootstrap'] }, stray);
    const { code, out, err } = await run('context', 'preview');
    expect(code).toBe(0);
    expect(out).toContain('Be brief.');
    expect(err).toMatch(
      /^\S+Z warning: hook strays: It left a rejected promise behind: stray \(at .*strays\/handler\.ts/,
    );
  });

  it('exits with the code of the command', async () => {
    expect((await run('context', 'preview', '--tz', 'Mars')).code).toBe(2);
  });

  it
    .skipIf(process.platform !== 'linux')
    .each(
      [22, 24, 40].flatMap((files) =>
        [['status'], ['agents', 'list'], ['chat'], ['start']].map((argv) => ({ files, argv })),
      ),
    )('says that it may open too few files, or has enough: $argv with $files', async ({ files, argv }) => {
    const under = ['/bin/sh', '-c', `ulimit -n ${files}; exec "$@"`, 'sh'];
    const { code, out, err } = await runAtrium(argv, { home: home.home, under });
    const sentences = [undefined, files].map(
      (limit) => new TooFewFilesError({ limit, least: LEAST_OPEN_FILES }).message,
    );
    const isTold = sentences.some((sentence) => err === `atrium: ${sentence}\n`);
    // A newer Node opens fewer files of its own, and then they are enough for a command, but never for a gateway.
    if (isTold || argv[0] === 'start') expect({ isTold, code, out }).toEqual({ isTold: true, code: 2, out: '' });
    else expect(out + err).not.toMatch(/EMFILE|\n\s+at /);
  });
});
