// The examples in the docs are what the commands print for `examples/`. Numbers and hashes are not compared: they depend
// on the length of the home's path and on the machine.

import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { CliHome } from '../fixtures/cli-home.ts';
import { productFolder } from '../product-folder.ts';

const product = productFolder();
const examples = join(product, 'examples');

let home: CliHome;
beforeEach(async () => {
  home = await CliHome.create({});
  await cp(examples, join(home.home, '.openclaw'), { recursive: true });
});
afterEach(() => home.remove());

interface Example {
  readonly argv: readonly string[];
  readonly output: string;
}

/** The commands of `atrium context` that a document shows together with what they print. */
async function examplesIn(document: string): Promise<readonly Example[]> {
  const text = await readFile(join(product, 'docs', document), 'utf8');
  const blocks = [...text.matchAll(/```console\n([\s\S]*?)\n```/g)].map(([, block = '']) => block);
  const shown = blocks.flatMap((block) => block.split(/^\$ /m).slice(1));
  return shown.flatMap((each) => {
    const [command = '', ...lines] = each.trimEnd().split('\n');
    const [, asked] = /^atrium (context (?:report|diff|explain) .*)$/.exec(command) ?? [];
    if (asked === undefined || lines.length === 0) return [];
    const argv = [...asked.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '');
    return [{ argv, output: lines.join('\n') }];
  });
}

const shapeOf = (output: string) =>
  output
    .replaceAll(home.home, '/home/you')
    .replaceAll(/\b[0-9a-f]{16}\b/g, '#')
    .replaceAll(/\d[\d,.]*/g, '#')
    .replaceAll(/ +/g, ' ')
    .trim();

it.each([
  ['cli.md', 4, ''],
  ['context.md', 2, '    bootstrapMaxChars: 1200\n'],
])('docs/%s shows what the commands print', async (document, count, setting) => {
  const config = await readFile(join(examples, 'openclaw.yaml'), 'utf8');
  await home.write('openclaw.yaml', config.replace(/(?<= {2}defaults:\n)/, setting));
  const shown = await examplesIn(document);
  expect(shown).toHaveLength(count);
  for (const { argv, output } of shown) {
    const { out, err } = await home.run(argv);
    expect(err).toBe('');
    expect(shapeOf(out), argv.join(' ')).toBe(shapeOf(output));
  }
});
