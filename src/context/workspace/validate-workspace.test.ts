import { execFileSync } from 'node:child_process';
import { mkdir, symlink, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { folderForTest } from '../../testkit/folder-for-test.ts';
import { CachedFileSource } from '../sources/file-source.ts';
import { loadWorkspaceFiles } from '../sources/workspace-files.ts';
import { OPENBOA_TAXONOMY, OPENCLAW_TAXONOMY, type Taxonomy } from '../taxonomy.ts';
import { seedWorkspace } from './ensure-workspace.ts';
import { validateWorkspace } from './validate-workspace.ts';

let root: string;
let dir: string;

beforeEach(async () => {
  root = await folderForTest();
  dir = join(root, 'workspace');
});

const seed = (taxonomy: Taxonomy) => seedWorkspace({ dir, taxonomy, now: new Date(0), initRepository: false });

async function put(name: string, text: string): Promise<void> {
  await mkdir(dirname(join(dir, name)), { recursive: true });
  await writeFile(join(dir, name), text);
}

async function findings(taxonomy: Taxonomy, maxChars = 12_000) {
  const source = new CachedFileSource();
  return validateWorkspace({
    dir,
    taxonomy,
    limits: { maxChars },
    load: () => loadWorkspaceFiles(source, dir, taxonomy),
  });
}

const brief = async (taxonomy: Taxonomy, maxChars?: number) =>
  (await findings(taxonomy, maxChars)).map(({ file, problem, severity }) => `${severity} ${file} ${problem}`);

const MANDATE = '# Mandate\n## Scope\nmail\n## Success criteria\nempty inbox\n## Non-goals\ncalls\n';

describe('a fresh workspace', () => {
  it('is valid, with warnings for placeholders that are left', async () => {
    await seed(OPENCLAW_TAXONOMY);
    expect(await brief(OPENCLAW_TAXONOMY)).toEqual(['warning IDENTITY.md incomplete', 'warning USER.md incomplete']);
  });

  it('of the openboa kind too', async () => {
    await seed(OPENBOA_TAXONOMY);
    expect(await brief(OPENBOA_TAXONOMY)).toEqual(['warning MANDATE.md incomplete', 'warning IDENTITY.md incomplete']);
  });

  it('has nothing against it once it is filled in', async () => {
    await seed(OPENBOA_TAXONOMY);
    await put('IDENTITY.md', 'Name: Ada');
    await put('MANDATE.md', MANDATE);
    expect(await findings(OPENBOA_TAXONOMY)).toEqual([]);
  });
});

describe('validateWorkspace says what is wrong', () => {
  beforeEach(async () => {
    await seed(OPENBOA_TAXONOMY);
    await put('IDENTITY.md', 'Name: Ada');
    await put('MANDATE.md', MANDATE);
  });

  it('with a required file that is missing, and nothing with an optional one', async () => {
    await unlink(join(dir, 'TOOLS.md'));
    await unlink(join(dir, 'BOOTSTRAP.md'));
    const [finding, ...others] = await findings(OPENBOA_TAXONOMY);
    expect(finding).toMatchObject({ file: 'TOOLS.md', problem: 'missing', severity: 'error' });
    expect(finding?.message).toContain('atrium agents init');
    expect(others).toEqual([]);
  });

  it('with every required file of an empty folder, or with no folder at all', async () => {
    dir = join(root, 'empty');
    expect(await brief(OPENBOA_TAXONOMY)).toEqual(['error . missing']);
    await mkdir(dir);
    expect(await brief(OPENBOA_TAXONOMY)).toHaveLength(5);
    expect(await brief(OPENCLAW_TAXONOMY)).toEqual(['error AGENTS.md missing']);
  });

  it('with a file that is empty, be it of blanks', async () => {
    await put('PROFILE.md', '');
    await put('USER.md', ' \n\n\t\n');
    expect(await brief(OPENBOA_TAXONOMY)).toEqual(['error PROFILE.md empty', 'error USER.md empty']);
  });

  it('with a file that would be cut, not counting what stands blank at its end', async () => {
    await put('AGENT.md', `${'x'.repeat(1_000)}\n\n`);
    expect(await brief(OPENBOA_TAXONOMY, 2_000)).toEqual([]);
    await put('AGENT.md', 'x'.repeat(2_001));
    expect(await brief(OPENBOA_TAXONOMY, 2_000)).toEqual(['error AGENT.md oversized']);
    await put('AGENT.md', 'x'.repeat(3 * 1024 * 1024));
    expect(await brief(OPENBOA_TAXONOMY, 2_000)).toEqual(['error AGENT.md oversized']);
  });

  it('with everything that cannot be read, and does not wait for a pipe', async () => {
    for (const name of ['AGENT.md', 'PROFILE.md', 'TOOLS.md', 'IDENTITY.md']) await unlink(join(dir, name));
    execFileSync('mkfifo', [join(dir, 'AGENT.md')]);
    await mkdir(join(dir, 'PROFILE.md'));
    await symlink(join(root, 'gone.md'), join(dir, 'TOOLS.md'));
    await writeFile(join(root, 'outside.md'), 'Name: Eve');
    await symlink(join(root, 'outside.md'), join(dir, 'IDENTITY.md'));
    expect(await brief(OPENBOA_TAXONOMY)).toEqual([
      'error AGENT.md unreadable',
      'error PROFILE.md unreadable',
      'error TOOLS.md unreadable',
      'error IDENTITY.md unreadable',
    ]);
  });

  it('with a mandate that leaves something open', async () => {
    await put('MANDATE.md', '# Mandate\n## Scope\nmail\n');
    const [finding] = await findings(OPENBOA_TAXONOMY);
    expect(finding).toMatchObject({ file: 'MANDATE.md', problem: 'incomplete', severity: 'error' });
    expect(finding?.message).toContain('success criteria, non-goals');
  });

  it('with an identity that has no name', async () => {
    await put('IDENTITY.md', '# Identity\n\nA helper for mail.\n');
    expect(await brief(OPENBOA_TAXONOMY)).toEqual(['error IDENTITY.md incomplete']);
    expect(await brief(OPENCLAW_TAXONOMY)).toContain('error IDENTITY.md incomplete');
  });

  it('with chat data, which never sits in a bootstrap workspace', async () => {
    await put('chats/notes.md', 'no transcript');
    expect(await findings(OPENBOA_TAXONOMY)).toEqual([]);
    await put('chats/2026/c1.jsonl', '{}');
    expect(await brief(OPENBOA_TAXONOMY)).toEqual([`error ${join('chats', '2026', 'c1.jsonl')} chat-data`]);
    await put('.openboa/chat/chats/c1.jsonl', '{}');
    const [finding] = await findings(OPENBOA_TAXONOMY);
    expect(finding).toMatchObject({ file: join('.openboa', 'chat'), problem: 'chat-data', severity: 'error' });
    expect(finding?.message).toMatch(/^Chat data never sits in a bootstrap workspace/);
  });
});
