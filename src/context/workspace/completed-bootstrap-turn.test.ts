import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasCompletedBootstrapTurn } from './completed-bootstrap-turn.ts';

const MARKER = { type: 'custom', customType: 'openclaw:bootstrap-context:full' };
const MESSAGE = { type: 'message', message: { role: 'assistant' } };
const COMPACTION = { type: 'compaction' };

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'atrium-turn-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

async function check(records: readonly unknown[], join_ = '\n'): Promise<boolean> {
  const path = join(root, 'session.jsonl');
  await writeFile(
    path,
    records.map((record) => (typeof record === 'string' ? record : JSON.stringify(record))).join(join_),
  );
  return hasCompletedBootstrapTurn(path);
}

describe('hasCompletedBootstrapTurn', () => {
  it('sees the marker wherever it stands, with either line ending', async () => {
    expect(await check([MARKER])).toBe(true);
    expect(await check([MESSAGE, MARKER, MESSAGE, ''])).toBe(true);
    expect(await check([MESSAGE, MARKER, MESSAGE, ''], '\r\n')).toBe(true);
    expect(await check([MESSAGE])).toBe(false);
    expect(await check([{ ...MARKER, customType: 'x' }])).toBe(false);
    expect(await check([])).toBe(false);
  });

  it('forgets it after a compaction, until it is written again', async () => {
    expect(await check([MARKER, COMPACTION])).toBe(false);
    expect(await check([MARKER, COMPACTION, MARKER, MESSAGE])).toBe(true);
    expect(await check([MARKER, MARKER, COMPACTION, MESSAGE])).toBe(false);
  });

  it('looks at the last 500 records', async () => {
    expect(await check([MARKER, ...Array(499).fill(MESSAGE)])).toBe(true);
    expect(await check([MARKER, ...Array(500).fill(MESSAGE)])).toBe(false);
  });

  it('looks at the last 256 KiB', async () => {
    expect(await check([MARKER, { ...MESSAGE, text: 'x'.repeat(200_000) }])).toBe(true);
    expect(await check([MARKER, { ...MESSAGE, text: 'x'.repeat(300_000) }])).toBe(false);
    expect(await check([{ ...MESSAGE, text: 'é'.repeat(300_000) }, MARKER])).toBe(true);
  });

  it('steps over lines that are no records', async () => {
    expect(await check([MARKER, '{"type":', 'null', '[]', '7', '   '])).toBe(true);
  });

  it('answers no for everything that is not a plain file', async () => {
    await check([MARKER]);
    await symlink(join(root, 'session.jsonl'), join(root, 'link.jsonl'));
    execFileSync('mkfifo', [join(root, 'pipe.jsonl')]);
    expect(await hasCompletedBootstrapTurn(join(root, 'link.jsonl'))).toBe(false);
    expect(await hasCompletedBootstrapTurn(join(root, 'pipe.jsonl'))).toBe(false);
    expect(await hasCompletedBootstrapTurn(join(root, 'nothing.jsonl'))).toBe(false);
    expect(await hasCompletedBootstrapTurn(root)).toBe(false);
  });
});
