// `memory_get` and `memory_search` as a model uses them: through runTool, on a real disk and a real index.

import { link, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../protocol/json.ts';
import { workspaceForEachTest } from '../../testkit/for-each-test.ts';
import { toolContextForTest } from '../../testkit/tool-context.ts';
import { runTool } from '../run-tool.ts';
import type { ToolContext, ToolOutput } from '../tool.ts';
import type { MemoryPolicy } from './memory-access.ts';
import { MemoryIndexes } from './memory-index.ts';
import { createMemoryGetTool, createMemorySearchTool } from './memory-tools.ts';

const BOOTSTRAP_FILES = ['AGENTS.md', 'MEMORY.md', 'memory.md'];
const PRIVATE: MemoryPolicy = {
  withholdOnSharedSurfaces: ['MEMORY.md', 'memory.md'],
  subagentFiles: ['AGENTS.md'],
  bootstrapFiles: BOOTSTRAP_FILES,
};

let indexes: MemoryIndexes;
const scratch = workspaceForEachTest();
beforeEach(async () => {
  indexes = new MemoryIndexes({ now: Date.now });
});
afterEach(async () => {
  await indexes.close();
});

interface Calling extends Partial<Pick<ToolContext, 'sessionKey' | 'surface' | 'workspaceDir'>> {
  readonly policy?: MemoryPolicy;
}

function call(
  name: 'get' | 'search',
  params: JsonObject,
  { policy = PRIVATE, ...context }: Calling = {},
): Promise<ToolOutput> {
  const rules = { policyOf: () => policy, lineageOf: async () => [] };
  const tool = name === 'get' ? createMemoryGetTool({ rules }) : createMemorySearchTool({ indexes, rules });
  return runTool(tool, params, toolContextForTest({ workspaceDir: scratch.workspaceDir, ...context }));
}

const get = (path: string, rest: JsonObject = {}) => call('get', { path, ...rest });
const search = async (query: string, rest: JsonObject = {}) => (await call('search', { query, ...rest })).content;

describe('memory_get', () => {
  it('reads a file of the memory, or some lines of it', async () => {
    await scratch.write('MEMORY.md', 'one\ntwo\nthree\nfour\n');
    await scratch.write('memory/people/ana.md', 'likes tea');
    expect(await get('MEMORY.md')).toEqual({
      content: 'one\ntwo\nthree\nfour',
      details: { path: 'MEMORY.md', firstLine: 1, lastLine: 4, lines: 4 },
    });
    expect((await get('memory/people/ana.md')).content).toBe('likes tea');
    expect((await get('./memory/../MEMORY.md', { from: 2, lines: 2 })).content).toBe(
      'two\nthree\n[Lines 2 to 3 of 4. Read on with from 4.]',
    );
    expect((await get('MEMORY.md', { from: 9 })).content).toBe('MEMORY.md has 4 lines, so that none begins at 9.');
    expect((await get(scratch.path('MEMORY.md'))).content).toContain('one');
  });

  it('says plainly that a file is not there yet, or empty', async () => {
    expect(await get('memory/2026-05-06.md')).toEqual({
      content: 'There is no memory/2026-05-06.md yet.',
      details: { path: 'memory/2026-05-06.md', missing: true },
    });
    await scratch.write('memory/empty.md', '');
    expect((await get('memory/empty.md')).content).toBe('memory/empty.md is empty.');
  });

  it('bounds what it shows', async () => {
    await scratch.write('memory/long.md', `${'x'.repeat(99)}\n`.repeat(1_000));
    await scratch.write('memory/line.md', 'x'.repeat(100_000));
    expect((await get('memory/long.md')).content).toMatch(/\n\[Lines 1 to 400 of 1000\. Read on with from 401\.\]$/);
    expect((await get('memory/line.md')).content).toHaveLength(40_000);
  });

  it.each([
    'AGENTS.md',
    'memory',
    'memory/',
    'memory/.md',
    'memory/notes.txt',
    'memory/../AGENTS.md',
    'memory/../../outside/secret.md',
    'memory/a\0.md',
    '../outside/secret.md',
    '/etc/passwd',
    '~/x.md',
    'docs/memory/x.md',
  ])('refuses what is no memory: %s', async (path) => {
    await scratch.write('AGENTS.md', 'secret');
    await scratch.writeOutside('secret.md', 'secret');
    const output = await get(path);
    expect(output).toMatchObject({ isError: true, details: { code: 'ATRIUM_TOOL_INPUT' } });
    expect(output.content).not.toContain('secret\n');
  });

  it('follows links to other memory only', async () => {
    await scratch.write('AGENTS.md', 'rules');
    await scratch.write('memory/real.md', 'notes');
    const secret = await scratch.writeOutside('secret.md', 'hidden words');
    await mkdir(join(scratch.outsideDir, 'memory'));
    await writeFile(join(scratch.outsideDir, 'memory/x.md'), 'hidden words');
    await symlink('real.md', scratch.path('memory/link.md'));
    await symlink('../AGENTS.md', scratch.path('memory/agents.md'));
    await symlink(secret, scratch.path('memory/out.md'));
    await symlink(join(scratch.outsideDir, 'memory'), scratch.path('memory/dir'));
    await link(secret, scratch.path('memory/hard.md'));
    expect((await get('memory/link.md')).content).toBe('notes');
    expect((await get('memory/out.md')).content).toContain('"memory/out.md" is no memory file');
    expect((await get('memory/out.md')).content).not.toContain(scratch.outsideDir);
    for (const path of ['memory/agents.md', 'memory/out.md', 'memory/dir/x.md', 'memory/hard.md']) {
      expect((await get(path)).isError, path).toBe(true);
    }
    for (const query of ['hidden', 'rules']) expect(await search(query)).toContain('Nothing in the memory fits');
    expect(await search('notes')).toContain('memory/real.md#L1-L1');
  });
});

describe('memory_search', () => {
  it('finds passages with their place, the best first', async () => {
    await scratch.write('MEMORY.md', '# People\n\nAna likes tea.\n\n# Plans\n\nDeploy the garden wall on Friday.\n');
    await scratch.write('memory/2026-05-06.md', 'Talked about tea, tea and more tea.\n');
    const output = await call('search', { query: 'tea' });
    expect(output.content).toBe(
      'memory/2026-05-06.md#L1-L1\nTalked about tea, tea and more tea.\n\nMEMORY.md#L1-L3 (People)\n# People\n\nAna likes tea.',
    );
    expect(output.details).toMatchObject({
      files: 2,
      results: [{ place: 'memory/2026-05-06.md#L1-L1' }, { place: 'MEMORY.md#L1-L3' }],
    });
    expect(await search('tea', { maxResults: 1 })).not.toContain('MEMORY.md');
    expect(await search('When do we deploy?')).toMatch(/^MEMORY\.md#L5-L7 \(Plans\)/);
  });

  it('finds a note by its day, and a word by its beginning', async () => {
    await scratch.write('memory/2026-05-06.md', 'Planted potatoes.');
    await scratch.write('memory/2026-05-07.md', 'Watered them.');
    expect(await search('2026-05-07')).toMatch(/^memory\/2026-05-07\.md/);
    expect(await search('potato')).toContain('Planted potatoes.');
    expect(await search('po')).toContain('Nothing in the memory fits (2 files searched)');
  });

  it('reads every script', async () => {
    await scratch.write(
      'MEMORY.md',
      'Café in Århus, Straße 5.\n\nПривет мир.\n\n私は東京都に住んでいます。\n\nอาหารไทยอร่อย\n',
    );
    for (const query of ['cafe', 'ÅRHUS', 'привет', '東京', '住んで', 'ไทย', '東京はどこ']) {
      expect(await search(query), query).toContain('MEMORY.md#L1');
    }
    expect(await search('大阪')).toContain('Nothing');
  });

  it.each([
    '"',
    'tea"',
    'tea OR 1',
    'tea NOT likes',
    'heading:tea',
    '{heading body}: tea',
    'tea*',
    '^tea',
    'NEAR(tea ana, 2)',
    '(tea',
    "tea'; DROP TABLE chunks; --",
    '-tea',
    'tea AND',
    '"tea" "',
    '\\"tea',
    'tea\0',
  ])('takes signs of the query language for what they are: %s', async (query) => {
    await scratch.write('MEMORY.md', 'Ana likes tea.');
    const output = await call('search', { query });
    expect(output.isError).toBeUndefined();
    if (query.includes('tea')) expect(output.content).toContain('Ana likes tea.');
    expect(await search('tea')).toContain('Ana likes tea.');
  });

  it('survives any words', async () => {
    await scratch.write('MEMORY.md', 'x');
    for (const query of ['!?', '\u0301', '👍', 'a '.repeat(499), '字'.repeat(1_000), '\ud800']) {
      expect((await call('search', { query })).isError, query).toBeUndefined();
    }
  });

  it('sees what was edited, added, renamed and removed since', async () => {
    await scratch.write('memory/a.md', 'apples');
    expect(await search('apples')).toContain('memory/a.md');
    await scratch.write('memory/a.md', 'grapes');
    expect(await search('apples')).toContain('Nothing');
    expect(await search('grapes')).toContain('memory/a.md');
    await scratch.age();
    await search('grapes');
    await scratch.write('memory/a.md', 'lemons');
    expect(await search('lemons')).toContain('memory/a.md');
    await rename(scratch.path('memory/a.md'), scratch.path('memory/b.md'));
    expect(await search('lemons')).toMatch(/^memory\/b\.md/);
    await scratch.write('MEMORY.md', 'melons');
    expect(await search('melons')).toContain('MEMORY.md');
    await rm(scratch.path('memory'), { recursive: true });
    expect(await search('lemons')).toContain('Nothing');
    await rm(scratch.path('MEMORY.md'));
    expect(await search('melons')).toBe('The memory is empty: there is neither a MEMORY.md nor a file below memory/.');
  });

  it('cuts long texts into passages with their lines, and leaves code alone', async () => {
    const filler = Array.from({ length: 100 }, (_, at) => `Sentence number ${at} about nothing.`).join('\n');
    await scratch.write('MEMORY.md', `# A\n\n${filler}\n\n## B\n\n\`\`\`sh\n# no heading: needle\n\`\`\`\n`);
    expect(await search('needle')).toMatch(/^MEMORY\.md#L104-L108 \(A > B\)\n## B/);
    expect(await search('number 50')).toMatch(/MEMORY\.md#L\d+-L\d+ \(A\)/);
    await scratch.write('memory/line.md', `${'word '.repeat(1_000)}haystack`);
    expect(await search('haystack')).toMatch(/^memory\/line\.md#L1-L1/);
  });

  it('says which files were too large or too many', async () => {
    await scratch.write('memory/huge.md', 'tea\n'.repeat(200_000));
    await scratch.write('memory/binary.md', Buffer.from([0, 1, 2]));
    await scratch.write('memory/small.md', 'tea');
    const found = await search('tea');
    expect(found).toContain('memory/small.md#L1-L1');
    expect(found).toContain('[Not searched, being too large or too many: memory/huge.md.]');
  });

  it('keeps the indexes of a few workspaces, and none once closed', async () => {
    indexes = new MemoryIndexes({ now: Date.now, capacity: 2 });
    for (const name of ['x', 'y', 'z', 'x']) {
      await scratch.write(`${name}/MEMORY.md`, `word ${name}`);
      const { content } = await call('search', { query: 'word' }, { workspaceDir: scratch.path(name) });
      expect(content).toContain(`word ${name}`);
    }
    expect(indexes.size).toBe(2);
    await indexes.close();
    expect(indexes.size).toBe(0);
    const searches = ['x', 'y', 'z'].map((name) =>
      call('search', { query: 'word' }, { workspaceDir: scratch.path(name) }),
    );
    expect((await Promise.all(searches)).map(({ isError }) => isError)).toEqual([undefined, undefined, undefined]);
  });

  it('frees its memory when nobody searches any more', async () => {
    indexes = new MemoryIndexes({ now: Date.now, idleMs: 5 });
    await scratch.write('MEMORY.md', 'tea');
    await search('tea');
    await expect.poll(() => indexes.size).toBe(0);
    expect(await search('tea')).toContain('tea');
  });
});

describe('the memory', () => {
  const group = { channel: 'web', accountId: 'default', peer: { kind: 'group', id: 'g' } } as const;
  const everywhere: readonly (readonly [string, Calling])[] = [
    ['a group', { sessionKey: 'agent:main:discord:group:g1' }],
    ['a channel', { sessionKey: 'agent:main:discord:channel:c1' }],
    ['a thread of a channel', { sessionKey: 'agent:main:discord:channel:c1:thread:t1' }],
    ['a heartbeat of a channel', { sessionKey: 'agent:main:discord:channel:c1:heartbeat' }],
    ['a private session that answers in a group', { surface: group }],
    ['a subagent', { sessionKey: 'agent:main:subagent:abc' }],
    ['a cron job', { sessionKey: 'agent:main:cron:job1' }],
    ['a cron job that answers in a group', { sessionKey: 'agent:main:cron:job1', surface: group }],
  ];

  it.each(everywhere)('is withheld from %s, all of it, and the model is told', async (_, calling) => {
    await scratch.write('MEMORY.md', 'secret');
    await scratch.write('memory/notes.md', 'secret');
    for (const output of [
      await call('get', { path: 'MEMORY.md' }, calling),
      await call('get', { path: 'memory/notes.md' }, calling),
      await call('get', { path: 'memory/none.md' }, calling),
      await call('search', { query: 'secret' }, calling),
    ]) {
      expect(output).toMatchObject({ details: { status: 'withheld' } });
      expect(output.content).toMatch(/^The memory \(MEMORY\.md and memory\/\) is withheld here, because /);
      expect(output.content).not.toContain('secret');
    }
    expect(indexes.size).toBe(0);
  });

  it('is open to a conversation of two', async () => {
    await scratch.write('MEMORY.md', 'shared');
    for (const sessionKey of ['agent:main:main', 'agent:main:discord:direct:ana', 'agent:main:main:heartbeat']) {
      expect((await call('get', { path: 'MEMORY.md' }, { sessionKey })).content, sessionKey).toBe('shared');
    }
  });

  it('is open where the operator says so', async () => {
    await scratch.write('MEMORY.md', 'shared');
    const subagentFiles = ['AGENTS.md', 'MEMORY.md'];
    const policy = { withholdOnSharedSurfaces: [], subagentFiles, bootstrapFiles: BOOTSTRAP_FILES };
    for (const [, calling] of everywhere) {
      expect((await call('get', { path: 'MEMORY.md' }, { ...calling, policy })).content).toBe('shared');
    }
  });
});
