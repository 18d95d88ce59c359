// The search over real conversations: what is found, what is not, and what is forgotten.

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { reply, toolCall } from '../../../testkit/model-server.ts';
import { on } from '../../../testkit/on.ts';
import { ScratchGateway } from '../../../testkit/scratch-gateway.ts';
import type { TestPlace } from '../../../testkit/test-channel.ts';
import { searchSaid } from './search-said.ts';
import { WordIndex } from './word-index.ts';

let scratch: ScratchGateway;
let index: WordIndex;
beforeEach(async () => {
  scratch = await ScratchGateway.open({
    files: { 'workspace/notes.md': 'A kingfisher stands in the notes.\n' },
    register: (hooks) => {
      on(hooks, 'before_prompt_build', 'framer', () => ({ prependContext: 'Framed by a plugin.' }));
      on(hooks, 'before_agent_run', 'guard', ({ prompt }) =>
        prompt.includes('forbidden') ? { outcome: 'block', reason: 'no' } : undefined,
      );
    },
  });
  index = new WordIndex({ store: scratch.store, warn: (sentence) => expect(sentence).toBe('') });
});
afterEach(() => scratch.close());

async function talk(place: TestPlace, said: string, answer: string): Promise<string> {
  scratch.model.script([reply(answer)]);
  const { sessionKey } = await scratch.channel.asks(place, said, answer);
  return sessionKey;
}

async function find(text: string, query: { limit?: number; before?: number; agentId?: string } = {}) {
  expect(await index.catchUp()).toBe(true);
  return searchSaid(scratch.store, { text, limit: 10, ...query });
}

async function excerpts(text: string): Promise<readonly string[]> {
  return (await find(text)).found.map(({ excerpt }) => excerpt);
}

/** The files of the store in which this word stands, the index included. */
async function filesWith(word: string): Promise<readonly string[]> {
  const folder = scratch.home.path('atrium');
  const names = (await readdir(folder)).filter((name) => name.includes('.db'));
  expect(names).not.toEqual([]);
  const files = await Promise.all(names.map(async (name) => ({ name, bytes: await readFile(join(folder, name)) })));
  return files.filter(({ bytes }) => bytes.includes(word)).map(({ name }) => name);
}

describe('a search', () => {
  it('finds what people and agents said by the beginnings of words, the latest first', async () => {
    const ann = await talk({ sender: 'ann' }, 'Where is the Übersee invoice?', 'In the **drawer**, below the map.');
    await talk({ sender: 'bob' }, 'An invoice from overseas came.', 'Noted.');
    expect(await excerpts('INVO')).toEqual(['An invoice from overseas came.', 'Where is the Übersee invoice?']);
    expect(await excerpts('ubersee inv')).toEqual(['Where is the Übersee invoice?']);
    expect((await find('drawer')).found).toMatchObject([{ sessionKey: ann, role: 'assistant', agentId: 'main' }]);
    const long = Array.from({ length: 90 }, (_, index) => `Paragraph ${index} is of no use to anybody.`).join(' ');
    await talk({ sender: 'cleo' }, long, 'Noted.');
    // It shows the place that has all of the words, not the first one that has some.
    expect(await excerpts('paragraph 57')).toEqual([expect.stringMatching(/^….{0,60}Paragraph 57 is of no use.*…$/)]);
    expect(await excerpts('rawer')).toEqual([]);
    expect(await excerpts('" OR words:* NEAR(')).toEqual([]);
    expect(await excerpts('?!')).toEqual([]);
    expect((await find('invoice', { agentId: 'coder' })).found).toEqual([]);
  });

  it('leaves out tools, what hooks added, and what a gate blocked', async () => {
    scratch.model.script([toolCall('read', { path: 'notes.md' }), reply('It is a bird.')]);
    await scratch.channel.asks({}, 'Read my notes', 'It is a bird.');
    const { runId = '' } = await scratch.channel.says({}, 'forbidden pelican');
    await scratch.services.runs.wait(runId);
    for (const word of ['kingfisher', 'framed', 'pelican']) expect(await excerpts(word), word).toEqual([]);
    expect(await excerpts('bird')).toEqual(['It is a bird.']);
    expect(JSON.stringify(await scratch.store.select('entryWords'))).not.toMatch(/pelican|framed|kingfisher/);
  });

  it('finds the new words at a position that was withdrawn before it was indexed', async () => {
    const key = await talk({}, 'The first word.', 'Yes.');
    const [session] = await scratch.store.select('sessions', { where: { sessionKey: key } });
    const row = { sessionId: session?.sessionId ?? '', position: 2 };
    await scratch.store.commit(
      [
        { remove: 'transcript', where: row },
        { remove: 'entriesToIndex', where: row },
        { insert: 'entriesToIndex', row: { ...row, position: 3 } },
      ],
      { site: 'result' },
    );
    scratch.model.script([reply('An albatross.')]);
    await scratch.channel.asks({}, 'Which bird?', 'An albatross.');
    expect(await excerpts('albatross')).toEqual(['An albatross.']);
    expect(await scratch.store.count('entriesToIndex')).toBe(0);
  });

  it('forgets a conversation that is deleted', async () => {
    const key = await talk({ sender: 'ann' }, 'The heron flies.', 'Far away.');
    await talk({ sender: 'bob' }, 'A heron stands.', 'Still.');
    expect(await excerpts('heron')).toHaveLength(2);
    await scratch.services.sessions.mark(key, { title: 'Herons' });
    await scratch.services.sessions.delete(key);
    expect(await excerpts('heron')).toEqual(['A heron stands.']);
    expect(await scratch.store.count('entriesToIndex')).toBe(0);
    expect(await filesWith('flies')).toEqual([]);
    expect(await filesWith('stands')).not.toEqual([]);
    await expect(scratch.services.sessions.mark(key, { title: 'Back' })).rejects.toThrow(/no session/);
    expect(await scratch.store.select('sessions', { where: { sessionKey: key } })).toMatchObject([{ title: null }]);
  });

  it('gives one page after the other and leaves none out', async () => {
    for (const sender of ['a', 'b', 'c', 'd', 'e']) await talk({ sender }, `The crane of ${sender}.`, 'Yes.');
    const found: string[] = [];
    let before: number | undefined;
    for (let page = 0; page < 4; page++) {
      const answer = await find('crane', { limit: 2, ...(before === undefined ? {} : { before }) });
      found.push(...answer.found.map(({ excerpt }) => excerpt));
      before = answer.next ?? undefined;
      if (answer.next === null) break;
    }
    expect(found).toEqual(['e', 'd', 'c', 'b', 'a'].map((sender) => `The crane of ${sender}.`));
  });

  it('shows the words around the place in a long text', async () => {
    const long = `${'Many words before it. '.repeat(30)}Then the Osprey\ndives.${' And words after it.'.repeat(30)}`;
    await talk({}, 'Tell me', long);
    const [excerpt = ''] = await excerpts('osprey');
    expect(excerpt).toMatch(/^…[A-Z\w].{20,60}Then the Osprey dives\. And .+…$/);
    expect(excerpt.length).toBeLessThanOrEqual(202);
  });
});

describe('the list of conversations', () => {
  it('is by activity when asked, with titles or first words, and a message brings an archived one back', async () => {
    const ann = await talk({ sender: 'ann' }, 'First of Ann', 'Yes.');
    const bob = await talk({ sender: 'bob' }, 'First of Bob', 'Yes.');
    await talk({ sender: 'ann' }, 'Second of Ann', 'Yes.');
    const { sessions } = scratch.services;
    await sessions.mark(bob, { title: 'Bob', isSeen: true });
    const list = async (isArchived?: boolean) => {
      const shown: (string | null)[] = [];
      let before: string | undefined;
      do {
        const page = await sessions.list({ order: 'active', limit: 1, before, isArchived });
        shown.push(...page.sessions.map(({ title, firstWords }) => title ?? firstWords));
        before = page.next ?? undefined;
      } while (before !== undefined);
      return shown;
    };
    expect(await list()).toEqual(['First of Ann', 'Bob']);
    await sessions.mark(ann, { isArchived: true });
    expect(await list(false)).toEqual(['Bob']);
    expect(await list(true)).toEqual(['First of Ann']);
    await talk({ sender: 'ann' }, 'Third of Ann', 'Yes.');
    expect(await list(false)).toEqual(['First of Ann', 'Bob']);
    const [row] = (await sessions.list({ order: 'active', limit: 1 })).sessions;
    expect(row?.seenAt).toBeNull();
  });
});
