import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { findReadyHelp } from './ready-help.ts';

let folder: string;
const WIDE = `short\n${'x'.repeat(120)}\n`;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'atrium-help-'));
  await writeFile(join(folder, 'help.txt'), 'broken at eighty\n');
  await writeFile(join(folder, 'help-wide.txt'), WIDE);
});
afterEach(() => rm(folder, { recursive: true }));

const find = (columns: number | undefined) => findReadyHelp({ folder, stateDir: join(folder, 'state'), columns });

it('knows the help without a terminal, in one of eighty columns, and in one where no line is broken', () => {
  expect(find(undefined)).toBe('broken at eighty\n');
  expect(find(80)).toBe('broken at eighty\n');
  expect(find(120)).toBe(WIDE);
  expect(find(300)).toBe(WIDE);
});

it('knows nothing in a terminal of another width, where plugins bring commands, or without a build', async () => {
  expect(find(119)).toBeUndefined();
  expect(find(40)).toBeUndefined();
  await mkdir(join(folder, 'state', 'atrium'), { recursive: true });
  await writeFile(join(folder, 'state', 'atrium', 'plugin-commands.json'), '{}');
  expect(find(80)).toBeUndefined();
  expect(findReadyHelp({ folder: join(folder, 'none'), stateDir: folder, columns: 80 })).toBeUndefined();
});
