// Receipts of a real gateway: the same questions are asked while the runs are not indexed yet, and again when they are.

import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { hashOfText } from '../../../context/report/build-report.ts';
import { delegateStore } from '../../../store/delegate-store.ts';
import { reply, toolCall } from '../../../testkit/model-server.ts';
import { on } from '../../../testkit/on.ts';
import { ScratchGateway } from '../../../testkit/scratch-gateway.ts';
import type { TestPlace } from '../../../testkit/test-channel.ts';
import { findReceipts, type ReceiptAnswer, type ReceiptQuestion } from './find-receipts.ts';
import { findInPieces } from './piece-list.ts';
import { ReceiptIndex } from './receipt-index.ts';
import { Receipts } from './receipts.ts';

const RULES = '# Rules\n\nBe brief.\nNever push to main.\nSay "no" – in Übermut\ttoo.\n';
const LONG = `${'Filler line.\n'.repeat(3_000)}`;

let scratch: ScratchGateway;
let now: number;
let receiptIndex: ReceiptIndex;
beforeEach(async () => {
  now = Date.parse('2026-05-06T10:00:00Z');
  scratch = await ScratchGateway.open({
    files: {
      'workspace/AGENTS.md': RULES,
      'workspace/MEMORY.md': 'The code word is tulip.\n',
      'workspace/SOUL.md': `${LONG}A middle line about herons.\n${LONG}`,
      'AGENTS.md': 'A global rule: use metres.\n',
    },
    now: () => now,
    config: {
      bootstrap: { rules: [{ id: 'friday', file: 'AGENTS.md', text: 'Deploy nothing.', when: { days: ['fri'] } }] },
    },
    register: (hooks) => {
      on(hooks, 'before_prompt_build', 'framer', () => ({
        prependContext: 'Framed by a plugin.',
        appendSystemContext: 'The system ends here.',
      }));
      on(hooks, 'before_agent_run', 'guard', ({ prompt }) =>
        prompt.includes('forbidden') ? { outcome: 'block', reason: 'no' } : undefined,
      );
    },
  });
  receiptIndex = new ReceiptIndex({ store: scratch.store, warn: (sentence) => expect(sentence).toBe('') });
});
afterEach(() => scratch.close());

async function says(text: string, place: TestPlace = {}): Promise<string> {
  now += 60_000;
  const { runId = '' } = await scratch.channel.says(place, text);
  await scratch.services.runs.wait(runId);
  return runId;
}

/** One for each test, as in a gateway: it remembers what it has stored. */
const index = () => receiptIndex.catchUp();

function ask(text: string, more: Partial<ReceiptQuestion> = {}): Promise<ReceiptAnswer> {
  return findReceipts(scratch.store, { text, ignoresCase: false, list: 'all', limit: 50, ...more });
}

/** The answer before and after indexing, which must be the same. */
async function askTwice(text: string, more: Partial<ReceiptQuestion> = {}): Promise<ReceiptAnswer> {
  const before = await ask(text, more);
  await index();
  expect(await scratch.store.count('captures', { isIndexed: false })).toBe(0);
  const after = await ask(text, more);
  expect(after).toEqual(before);
  return after;
}

/** This is what the update of an older store leaves. */
async function forgetIndex(): Promise<void> {
  await scratch.store.commit(
    [
      { update: 'captures', where: {}, set: { isIndexed: false } },
      { remove: 'promptReceipts', where: {} },
      { remove: 'promptPieces', where: {} },
    ],
    { site: 'prune' },
  );
}

const agentsFile = () => join(scratch.workspaceDir, 'AGENTS.md');

describe('a text of a file', () => {
  it('is found with the file, its line and its hash, and a run before or after the edit says what the file was', async () => {
    const first = await says('one');
    await writeFile(agentsFile(), '# Rules\n\nBe brief.\n');
    const second = await says('two');
    await rm(agentsFile());
    const third = await says('three');
    const { counts, firstAt, lastAt, places, missing, runs } = await askTwice('Never push to main');
    expect(counts).toEqual({ present: 1, absent: 2, unseen: 0, blocked: 0, unrecorded: 0 });
    expect(firstAt).toBe(lastAt);
    expect(places).toMatchObject([
      { kind: 'file', path: agentsFile(), lines: [4, 4], hash: hashOfText(RULES), runs: 1 },
    ]);
    expect(missing.map(({ reason, runs: count }) => [reason, count])).toEqual([
      ['missing', 1],
      ['not-in-file', 1],
    ]);
    expect(runs.map(({ runId, verdict, missing: why }) => [runId, verdict, why?.reason])).toEqual([
      [third, 'absent', 'missing'],
      [second, 'absent', 'not-in-file'],
      [first, 'present', undefined],
    ]);
    expect(runs[1]?.missing).toMatchObject({ hash: hashOfText('# Rules\n\nBe brief.\n'), path: agentsFile() });
  });

  it.each([
    ['quotes, umlauts and a tab', 'Say "no" – in Übermut\ttoo.', [5, 5]],
    ['several lines', 'brief.\nNever push to main.\nSay', [3, 5]],
    ['a border between two authors, a handler and a file', '---\n\n# Rules', [1, 1]],
  ] as const)('is found with %s', async (_, text, lines) => {
    await says('one');
    const { counts, places } = await askTwice(text);
    expect(counts).toMatchObject({ present: 1, absent: 0 });
    expect(places.find(({ kind }) => kind === 'file')).toMatchObject({ path: agentsFile(), lines });
  });

  it('is found without case only when asked', async () => {
    await says('one');
    expect((await ask('NEVER PUSH')).counts).toMatchObject({ present: 0, absent: 1 });
    expect((await askTwice('NEVER PUSH', { ignoresCase: true })).counts).toMatchObject({ present: 1 });
    expect((await ask('in ÜBERMUT', { ignoresCase: true })).counts).toMatchObject({ present: 1 });
    expect((await ask('ÜÜ', { ignoresCase: true })).counts).toMatchObject({ present: 0 });
  });

  it('says of a global file that a handler brought it', async () => {
    await says('one');
    const [place] = (await askTwice('use metres')).places;
    expect(place).toMatchObject({
      kind: 'handler',
      name: 'global-files',
      path: scratch.home.path('AGENTS.md'),
      lines: [1, 1],
    });
    expect(place?.hash).toBe(hashOfText('A global rule: use metres.\n'));
  });

  it('that was cut is named with its lines', async () => {
    await says('one');
    const { counts, missing } = await askTwice('about herons');
    expect(counts).toMatchObject({ present: 0, absent: 1 });
    expect(missing).toMatchObject([{ reason: 'over-budget', what: 'SOUL.md', lines: [3_001, 3_001] }]);
    expect(missing[0]?.detail).toContain('bootstrapMaxChars');
  });

  it('that is private is withheld in a group, and there in a direct talk', async () => {
    await says('one');
    await says('two', { group: 'g1' });
    const { counts, missing, runs } = await askTwice('tulip');
    expect(counts).toMatchObject({ present: 1, absent: 1 });
    expect(missing).toMatchObject([{ reason: 'private-surface', what: 'MEMORY.md', lines: [1, 1], runs: 1 }]);
    expect(runs[0]?.sessionKey).toContain('g1');
  });
});

describe('a text of somebody else', () => {
  it('is found in rules, plugins, tools and the conversation, and missed with a reason', async () => {
    const first = await says('I like pears.');
    now = Date.parse('2026-05-08T10:00:00Z');
    scratch.model.script([toolCall('read', { path: 'MEMORY.md' }), reply('Tulips, then.')]);
    const second = await says('And "plums"?');
    await says('elsewhere', { sender: 'somebody-else' });
    const rule = await askTwice('Deploy nothing.');
    expect(rule.counts).toMatchObject({ present: 2, absent: 1 });
    expect(rule.missing).toMatchObject([{ reason: 'rule-condition-false', what: 'friday', runs: 1 }]);
    expect((await ask('Framed by')).places).toMatchObject([{ kind: 'plugin', name: 'framer', where: 'messages' }]);
    expect((await ask('system ends')).places).toMatchObject([{ kind: 'plugin', where: 'system', runs: 3 }]);
    expect((await ask('I like pears')).runs.map(({ verdict }) => verdict)).toEqual(['absent', 'present', 'present']);
    expect((await ask('I like pears')).missing).toMatchObject([{ reason: 'not-said', runs: 1 }]);
    expect((await ask('And "plums"?')).runs.map(({ runId, verdict }) => [runId, verdict]).slice(1)).toEqual([
      [second, 'present'],
      [first, 'absent'],
    ]);
    const [result] = (await ask('tulip')).places.filter(({ kind }) => kind === 'tool');
    expect(result).toMatchObject({ name: 'read', where: 'messages', runs: 1 });
    const [tool] = (await ask('"path"')).places.filter(({ where }) => where === 'tools');
    expect(tool).toMatchObject({ kind: 'tool', runs: 3 });
    expect((await ask('nobody said this')).missing).toMatchObject([{ reason: 'not-known', runs: 3 }]);
  });
});

describe('what is asked for', () => {
  it('can be narrowed by time, session and verdict, and comes in pages', async () => {
    const ids = [await says('a'), await says('b'), await says('c', { sender: 'other' })];
    const from = now;
    const page = await askTwice('Never push', { limit: 2 });
    expect([page.runs.map(({ runId }) => runId), page.next]).toEqual([[ids[2], ids[1]], ids[1]]);
    const rest = await ask('Never push', { limit: 2, before: page.next ?? '' });
    expect([rest.runs.map(({ runId }) => runId), rest.next]).toEqual([[ids[0]], null]);
    expect((await ask('Never push', { since: from })).counts).toMatchObject({ present: 1, absent: 0 });
    expect((await ask('Never push', { until: from })).counts).toMatchObject({ present: 2, absent: 0 });
    const { sessionKey = '' } = page.runs[0] ?? {};
    expect((await ask('Never push', { sessionKey })).counts).toMatchObject({ present: 1 });
    expect((await ask('Never push', { agentId: 'nobody' })).counts).toMatchObject({ present: 0, absent: 0 });
    expect((await ask('Never push', { list: 'absent' })).runs).toEqual([]);
    expect((await ask('not there', { list: 'present' })).runs).toEqual([]);
  });
});

describe('what is removed', () => {
  it('with its session leaves no word of it in the index, and is told as no longer kept', async () => {
    await says('the secret of the cellar');
    await says('something else', { sender: 'other' });
    await index();
    const [row] = (await ask('secret of the cellar', { list: 'present' })).runs;
    await scratch.services.sessions.delete(row?.sessionKey ?? '');
    expect(await scratch.store.count('promptPieces', { text: { contains: 'cellar' } })).toBe(0);
    expect(await scratch.store.count('promptReceipts', { runId: row?.runId ?? '' })).toBe(0);
    const { counts, runs } = await ask('cellar');
    expect(counts).toMatchObject({ present: 0, absent: 1, unrecorded: 1 });
    expect(runs.find(({ runId }) => runId === row?.runId)).toMatchObject({
      verdict: 'unrecorded',
      missing: { reason: 'not-kept' },
    });
    // The same words in a new session of the same key are found again.
    await says('the secret of the cellar');
    expect((await askTwice('secret of the cellar')).counts).toMatchObject({ present: 1 });
  });

  it('because it is old leaves the index with it, and what young runs share stays', async () => {
    await says('an old word');
    await index();
    now += 40 * 86_400_000;
    await says('a young word', { sender: 'other' });
    await index();
    await scratch.services.records.prune({ what: ['captures'], olderThanMs: 30 * 86_400_000 });
    expect(await scratch.store.count('promptPieces', { text: { contains: 'an old word' } })).toBe(0);
    expect((await ask('an old word')).counts).toMatchObject({ present: 0, absent: 1, unrecorded: 1 });
    expect((await ask('Never push')).counts).toMatchObject({ present: 1, absent: 0 });
    expect((await ask('Never push', { list: 'present' })).places).toMatchObject([{ hash: hashOfText(RULES) }]);
  });

  it('although no other request is removed later, its words are gone a day after', async () => {
    await says('the last word');
    await index();
    now += 2 * 60_000;
    const prune = () => scratch.services.records.prune({ what: ['captures'], olderThanMs: 60_000 });
    await prune();
    expect(await scratch.store.count('captures')).toBe(0);
    now += 25 * 60 * 60_000;
    await prune();
    expect(await scratch.store.count('promptPieces')).toBe(0);
  });

  it('before it was kept: a blocked run leaves nothing', async () => {
    const runId = await says('this is forbidden');
    await index();
    expect(await scratch.store.count('promptPieces', { text: { contains: 'forbidden' } })).toBe(0);
    const { counts, runs } = await ask('this is forbidden');
    expect(counts).toMatchObject({ present: 0, absent: 0, blocked: 1, unrecorded: 0 });
    expect(runs).toMatchObject([{ runId, verdict: 'unrecorded', missing: { reason: 'blocked' } }]);
  });
});

describe('what the gateway has just captured', () => {
  /** Every run with the pieces of its prompts and its sources, as the index has them. */
  async function indexed() {
    const pieces = new Map(
      (await scratch.store.select('promptPieces')).map(({ seq, usedAt: _, ...piece }) => [seq, piece]),
    );
    const receipts = await scratch.store.select('promptReceipts', { orderBy: [['runId', 'asc']] });
    return receipts.map(({ seq: _, pieces: packed, sources, ...receipt }) => ({
      ...receipt,
      sources: pieces.get(sources),
      pieces: findInPieces(packed, () => true)
        .map((seq) => JSON.stringify(pieces.get(seq)))
        .sort(),
    }));
  }

  const askGateway = (text: string) =>
    scratch.services.receipts.find({ text, ignoresCase: false, list: 'all', limit: 50 });

  it('is indexed as if it had been read from the store', async () => {
    await says('I like pears.');
    scratch.model.script([
      toolCall('read', { path: 'MEMORY.md' }),
      toolCall('read', { path: 'AGENTS.md' }),
      reply('Tulips, then.'),
    ]);
    await says('And "plums"?');
    await says('this is forbidden');
    await writeFile(agentsFile(), '# Rules\n\nBe brief.\n');
    now = Date.parse('2026-05-08T10:00:00Z');
    await says('Is it Friday?');
    await says('elsewhere', { sender: 'somebody-else' });
    await says('in a group', { group: 'g1' });
    await rm(agentsFile());
    await says('without rules');
    const asked = await askGateway('Never push');
    // Two runs read the file, and two later ones are told what a tool has read.
    expect(asked.counts).toMatchObject({ present: 4, absent: 2, blocked: 1, unseen: 0 });
    const ofMemory = await indexed();
    expect(ofMemory).toHaveLength(6);
    await forgetIndex();
    expect(await askGateway('Never push')).toEqual(asked);
    expect(await indexed()).toEqual(ofMemory);
  });

  it('is not read back from the store', async () => {
    const runId = await says('one');
    // Whoever reads the captures now finds nothing in them.
    await scratch.store.commit([{ remove: 'parts', where: {} }], { site: 'prune' });
    expect((await askGateway('Never push')).runs).toMatchObject([{ runId, verdict: 'present' }]);
    await forgetIndex();
    expect((await askGateway('Never push')).counts).toMatchObject({ present: 0 });
  });

  it('leaves no word when its session is deleted before it is indexed', async () => {
    await says('the secret of the cellar');
    const [{ sessionKey } = { sessionKey: '' }] = await scratch.store.select('runs');
    await scratch.services.sessions.delete(sessionKey);
    await askGateway('cellar');
    expect(await scratch.store.count('promptPieces', { scope: sessionKey })).toBe(0);
    expect(await scratch.store.count('promptPieces', { text: { contains: 'cellar' } })).toBe(0);
    expect(await scratch.store.count('promptReceipts')).toBe(0);
  });
});

describe('indexing', () => {
  it('goes on after commits that failed, and adds none to a run', async () => {
    await says('one');
    const { commits } = scratch.store;
    const before = { ...commits };
    await says('two');
    expect(commits['prompt-receipt']).toBe(before['prompt-receipt']);
    let left = 1;
    const failing = delegateStore(scratch.store, {
      commit: async (writes, options) => {
        left -= 1;
        if (left < 0) throw new Error('killed');
        return scratch.store.commit(writes, options);
      },
    });
    // The texts of the first run are stored, its receipt is not.
    await expect(new ReceiptIndex({ store: failing, warn: () => {} }).catchUp()).rejects.toThrow('killed');
    expect(await scratch.store.count('promptReceipts')).toBe(0);
    expect(await scratch.store.count('promptPieces')).toBeGreaterThan(0);
    expect((await askTwice('Never push')).counts).toMatchObject({ present: 2, unseen: 0 });
    expect(await scratch.store.count('promptReceipts')).toBe(2);
    const pieces = await scratch.store.select('promptPieces');
    expect(new Set(pieces.map(({ scope, hash }) => `${scope} ${hash}`)).size).toBe(pieces.length);
  });

  it('writes nothing for a run whose session is deleted meanwhile', async () => {
    await says('the secret of the cellar');
    const [{ sessionKey } = { sessionKey: '' }] = await scratch.store.select('runs');
    let isDeleted = false;
    const slow = delegateStore(scratch.store, {
      commit: async (writes, options) => {
        if (!isDeleted) {
          isDeleted = true;
          await scratch.services.sessions.delete(sessionKey);
        }
        return scratch.store.commit(writes, options);
      },
    });
    expect(await new ReceiptIndex({ store: slow, warn: () => {} }).catchUp()).toBe(0);
    expect(await scratch.store.count('promptPieces')).toBe(0);
    expect(await scratch.store.count('promptReceipts')).toBe(0);
  });

  it('finds by itself what ended, also what an older version has recorded', async () => {
    await says('one');
    await index();
    await forgetIndex();
    await scratch.stop();
    await scratch.start();
    await vi.waitFor(async () => expect(await scratch.store.count('promptReceipts')).toBe(1), { timeout: 40_000 });
    expect((await ask('Never push')).counts).toMatchObject({ present: 1, absent: 0, unseen: 0 });
  }, 60_000);

  it('gathers the runs of a minute, unless so many have ended that they would be forgotten', async () => {
    let isFilling = false;
    let looks = 0;
    let passes = 0;
    const recent = {
      get isFilling() {
        looks += 1;
        return isFilling;
      },
      runIds: () => {
        passes += 1;
        return [];
      },
      has: () => false,
      of: () => undefined,
      forget: () => {},
    };
    const behind = new ReceiptIndex({ store: scratch.store, warn: (sentence) => expect(sentence).toBe(''), recent });
    await says('one');
    behind.open();
    // The first look reads what an earlier process has left.
    await vi.waitFor(async () => expect(await scratch.store.count('promptReceipts')).toBe(1), 20_000);
    await vi.waitFor(() => expect(looks).toBeGreaterThan(1), 20_000);
    expect(passes).toBe(1);
    isFilling = true;
    await vi.waitFor(() => expect(passes).toBeGreaterThan(1), 20_000);
    await behind.close();
  }, 90_000);

  it('is done for whoever asks, and the answer does not depend on it', async () => {
    await says('one');
    await says('two');
    const question: ReceiptQuestion = { text: 'Never push', ignoresCase: false, list: 'all', limit: 50 };
    const asked = await new Receipts({ store: scratch.store, index: receiptIndex }).find(question);
    expect(asked.counts).toMatchObject({ present: 2, unseen: 0 });
    await vi.waitFor(async () => expect(await scratch.store.count('captures', { isIndexed: false })).toBe(0), 40_000);
    const failing = { catchUp: () => Promise.reject(new Error('the disk is full')) };
    expect(await new Receipts({ store: scratch.store, index: failing }).find(question)).toEqual(asked);
    expect(await new Receipts({ store: scratch.store }).find(question)).toEqual(asked);
  });

  it('says how many runs it has not looked at, when there are too many for one question', async () => {
    const runId = await says('one');
    const [frame] = await scratch.store.select('captures', { where: { runId, call: 0 } });
    const [run] = await scratch.store.select('runs', { where: { runId } });
    if (!frame || !run) throw new Error('the run was not recorded');
    const copies = Array.from({ length: 250 }, (_, each) => `run_${String(each).padStart(24, '0')}`);
    await scratch.store.commit(
      copies.flatMap((copy) => [
        { insert: 'captures', row: { ...frame, runId: copy } } as const,
        { insert: 'runs', row: { ...run, runId: copy } } as const,
      ]),
      { site: 'request' },
    );
    const { counts } = await ask('Never push');
    expect(counts.unseen).toBeGreaterThanOrEqual(51);
    expect(counts.present + counts.absent + counts.unseen).toBe(251);
  });
});
