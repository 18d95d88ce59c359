// The first section of docs/plugins.md, done as it is written: its commands are run by the built command line against a
// gateway that runs, its files are saved, and what it says is printed is compared with what is. A line that is only `…`
// stands for any number of lines, `…` in a line for any text.

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { AtriumProcess, runAtrium } from '../../testkit/atrium-process.ts';
import { ScratchHome } from '../../testkit/scratch-home.ts';

const DOCUMENT = new URL('../../../docs/plugins.md', import.meta.url);

interface Block {
  readonly language: string;
  /** Where a file is saved, relative to the home. */
  readonly path: string | undefined;
  readonly lines: readonly string[];
}

it('the first plugin of docs/plugins.md is written, installed, changed and removed as it says', async () => {
  const { home, remove } = await scratchHome();
  onTestFinished(remove);
  const gateway = new AtriumProcess(['start', '--port', '0'], { home });
  onTestFinished(() => gateway.kill());
  await gateway.until('is ready');

  const blocks = await blocksOfSection('## Your first plugin');
  let commands = 0;
  for (const { language, path, lines } of blocks) {
    if (path !== undefined) await save(join(home, path), `${lines.join('\n')}\n`);
    if (language !== 'console') continue;
    for (const { command, printed } of commandsOf(lines)) {
      const { code, out, err } = await runAtrium(wordsOf(command), { home });
      expect({ command, code, err }).toMatchObject({ command, code: 0 });
      expect(out, command).toMatch(patternOf(printed));
      commands += 1;
    }
  }
  expect(blocks.filter(({ path }) => path !== undefined)).toHaveLength(2);
  expect(commands).toBe(11);
}, 90_000);

async function scratchHome() {
  const scratch = await ScratchHome.create();
  return { home: scratch.home, remove: () => scratch.remove() };
}

async function blocksOfSection(heading: string): Promise<readonly Block[]> {
  const text = await readFile(DOCUMENT, 'utf8');
  const section = text.slice(text.indexOf(heading)).split(/\n(?=## )/)[0] ?? '';
  return [...section.matchAll(/^```(\w+)(?: (\S+))?\n([\s\S]*?)\n```$/gm)].map(
    ([, language = '', path, body = '']): Block => ({ language, path, lines: body.split('\n') }),
  );
}

function commandsOf(lines: readonly string[]): readonly { readonly command: string; readonly printed: string[] }[] {
  const commands: { command: string; printed: string[] }[] = [];
  for (const line of lines) {
    if (line.startsWith('$ atrium ')) commands.push({ command: line.slice('$ atrium '.length), printed: [] });
    else commands.at(-1)?.printed.push(line);
  }
  return commands;
}

/** As a shell would take them, as far as the document needs that. */
function wordsOf(command: string): readonly string[] {
  return [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}

function patternOf(printed: readonly string[]): RegExp {
  const lines = printed.map((line) => (line === '…' ? '(?:.*\\n)*' : `${line.split('…').map(escaped).join('.*')}\\n`));
  return new RegExp(`^${lines.join('')}$`);
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

async function save(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}
