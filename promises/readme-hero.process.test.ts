// The first example of the README, taken out of it and run as it is printed: against a gateway with a scripted model, by the built
// command. A line "…" stands for lines that are left out. Where the prompt stands depends on the length of a path, so
// these numbers are not compared.

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readEnvironment } from '../src/config/environment.ts';
import { GatewayProcess } from '../src/testkit/gateway-process.ts';
import { reply } from '../src/testkit/model-server.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const [, block = ''] = /```console\n([\s\S]*?)```/.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? [];
const steps = block.split(/^\$ /m).flatMap((step) => {
  const [command = '', ...lines] = step.trimEnd().split('\n');
  return command === '' ? [] : [{ command, lines }];
});
const RULE = 25;
const answer = steps[0]?.lines[0] ?? '';

let gateway: GatewayProcess;
beforeAll(async () => {
  const rules = `# Tickets\n${'\n'.repeat(RULE - 2)}Never delete a ticket\n`;
  gateway = await GatewayProcess.create({ files: { 'workspace/AGENTS.md': rules } });
  gateway.model.script([reply(answer)]);
  expect(await gateway.start()).toBe('ready');
}, 60_000);
afterAll(() => gateway.close());

/** The model is in this process, so it must not wait for the command. */
async function atrium(command: string): Promise<readonly string[]> {
  const program = join(root, 'dist', 'cli', 'main.js');
  const { PATH } = readEnvironment().variables;
  const { stdout } = await promisify(execFile)(
    'sh',
    ['-c', `atrium() { "${process.execPath}" "${program}" "$@"; }\n${command}`],
    {
      cwd: gateway.home.home,
      env: { PATH, HOME: gateway.home.home, TZ: 'UTC' },
      timeout: 30_000,
    },
  );
  return stdout.trimEnd().split('\n').map(comparable);
}

function comparable(line: string): string {
  return line.trimEnd().replace(/prompt line \d+, characters \d+-\d+/, 'prompt line N, characters N-N');
}

/** The lines that are not printed, or not at their place. */
function missing(expected: readonly string[], printed: readonly string[]): readonly string[] {
  let at = 0;
  let isSkipping = false;
  return expected.map(comparable).filter((line) => {
    if (line === '…') {
      isSkipping = true;
      return false;
    }
    const found = isSkipping ? printed.indexOf(line, at) : printed[at] === line ? at : -1;
    isSkipping = false;
    if (found !== -1) at = found + 1;
    return found === -1;
  });
}

it('has three commands, and the last word about the agent is its own', () => {
  expect(steps.map(({ command }) => command.split(' --')[0]?.split(' "')[0])).toEqual([
    'atrium agent',
    'atrium context preview',
    'atrium context explain',
  ]);
});

it.each(steps)('$command', async ({ command, lines }) => {
  const printed = await atrium(command);
  expect({ missing: missing(lines, printed), printed }).toEqual({ missing: [], printed });
  // What was said before is part of the next request: both commands speak of the same session.
  if (command.includes('preview')) expect((await atrium(`${command} --body`)).join('\n')).toContain(answer);
});
