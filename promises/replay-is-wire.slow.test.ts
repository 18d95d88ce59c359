// What a run was sent can be composed again from its record, to the same bytes; and leaving an author out removes that
// author's words only.

import { rm } from 'node:fs/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { countReplays } from '../chaos/count-replays.ts';
import { recordTalks } from '../chaos/recorded-talks.ts';
import type { ReplayedRequest } from '../src/agent/replay-request.ts';
import { readAuthor } from '../src/agent/span-author.ts';
import { openRecordedRun } from '../src/gateway/services/replay/recorded-run.ts';
import { type AskedChanges, replayChanges } from '../src/gateway/services/replay/replay-changes.ts';
import { replayRun } from '../src/gateway/services/replay/replay-run.ts';
import { replayRuns } from '../src/gateway/services/replay/replay-runs.ts';
import { MODEL_PROTOCOLS } from '../src/protocol/model-protocol.ts';
import { gatewayForTest } from '../src/testkit/gateway-for-test.ts';
import { reply, toolCall } from '../src/testkit/model-server.ts';
import { on } from '../src/testkit/on.ts';
import type { ScratchGateway, ScratchGatewaySettings } from '../src/testkit/scratch-gateway.ts';

const NOTHING: AskedChanges = { without: [], files: new Map() };

describe.each(MODEL_PROTOCOLS)('runs that were recorded with %s', (protocol) => {
  it('are composed again to the same bytes, and lose the words of one author only', async () => {
    const scratch = await recordTalks({ runs: 60, seed: 5, protocol });
    onTestFinished(() => scratch.close());
    const { runs, same, differing, gone } = await countReplays(scratch.store);
    expect(differing).toEqual([]);
    // Only runs that never asked a model cannot be replayed.
    expect([...gone.keys()].filter((reason) => !/a gate blocked|no model was asked/.test(reason))).toEqual([]);
    expect(same).toBe(runs - [...gone.values()].reduce((sum, each) => sum + each, 0));
    expect(same).toBeGreaterThan(40);
    expect(await scratch.store.count('transcript', { kind: 'compaction' })).toBeGreaterThan(0);
    const checked = await expectOnlyThatAuthorGone(scratch);
    // Authors of every kind, by name where only one of them shows a certain way of writing.
    expect(new Set(checked.map(({ kind }) => kind))).toEqual(new Set(['file', 'handler', 'plugin', 'rule']));
    expect(checked.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['friday', 'weaves', 'brings', 'packs', 'global-files', 'framer', 'counter']),
    );
    // Files that are gone or changed now do not matter.
    await rm(scratch.workspaceDir, { recursive: true });
    expect((await countReplays(scratch.store)).same).toBe(same);
  });
});

/** Every author of a run is left out once, so a few runs are many replays. */
const MOST_CHECKED = 24;

interface LeftOut {
  readonly kind: 'file' | 'handler' | 'plugin' | 'rule';
  readonly name: string;
}

type Span = ReplayedRequest['spans'][number];

/** Leaves out every author of a run, one after the other, and gives those who had words in it. */
async function expectOnlyThatAuthorGone(scratch: ScratchGateway): Promise<readonly LeftOut[]> {
  const checked: LeftOut[] = [];
  for (const { runId } of await scratch.store.select('runs', { where: { status: 'done' }, limit: MOST_CHECKED })) {
    const recorded = await openRecordedRun(scratch.store, runId).catch(() => undefined);
    const number = recorded?.calls[0];
    const inputs = recorded?.frame.inputs;
    if (!recorded || number === undefined || !inputs) continue;
    const { sent } = await recorded.call(number);
    const before = await recorded.replay.request(sent);
    const { handlers } = inputs.composition;
    for (const author of authorsOf(before.spans, handlers)) {
      const changes = replayChanges({ ...NOTHING, without: [author.name] }, inputs.composition);
      const after = await recorded.replay.request(sent, changes);
      const isTheirs = isBy(author, handlers);
      const what = `${author.kind} ${author.name} in ${runId}`;
      expect(after.spans.filter(isTheirs), what).toEqual([]);
      checked.push(author);
      // Where something is cut, others get the room.
      if (before.composition.report.cuts.length + after.composition.report.cuts.length > 0) continue;
      // The heading that a handler writes over a file goes with the file.
      const bringers = author.kind === 'file' ? bringersOf(author.name, before.spans) : [];
      const isLeft = (span: Span) => !isTheirs(span) && !bringers.some((bringer) => isBy(bringer, handlers)(span));
      const others = wordsByAuthor(before.spans.filter(isLeft));
      const left = wordsByAuthor(after.spans.filter(isLeft));
      for (const [other, words] of others) {
        if (after.notes.some((note) => note.includes(other.replace(/^(?:handler|rule|plugin) /, '')))) continue;
        // Who wrote over words of others gives them back; nobody loses any.
        if (OVERWRITES.has(author.name)) expect(isWithin(words, left.get(other) ?? ''), `${other}, ${what}`).toBe(true);
        else expect(left.get(other), `${other}, without the ${what}`).toBe(words);
      }
      if (!OVERWRITES.has(author.name)) expect([...left.keys()].sort(), what).toEqual([...others.keys()].sort());
    }
  }
  return checked;
}

/** The handlers that have brought a file from elsewhere. */
function bringersOf(path: string, spans: readonly Span[]): readonly LeftOut[] {
  return spans.flatMap(({ where, origin }) => {
    const author = readAuthor(where, origin);
    return author.kind === 'handler' && author.path === path ? [{ kind: author.kind, name: author.name }] : [];
  });
}

/** Those of the recorded talks whose handlers replace what they find. */
const OVERWRITES = new Set(['weaves', 'packs', 'editor']);

function authorsOf(spans: readonly Span[], handlers: readonly { id: string; owner: string }[]): readonly LeftOut[] {
  const found = new Map<string, LeftOut>();
  const add = (kind: LeftOut['kind'], name: string) => found.set(`${kind} ${name}`, { kind, name });
  for (const { where, origin } of spans) {
    const { kind, name, path } = readAuthor(where, origin);
    if (kind === 'plugin') for (const each of name.split(', ')) add(kind, each);
    if (kind === 'rule' || kind === 'handler') add(kind, name);
    if (kind === 'handler' && handlers.some(({ id, owner }) => id === name && owner === 'packs'))
      add('plugin', 'packs');
    if (path !== undefined) add('file', path);
  }
  return [...found.values()];
}

function isBy({ kind, name }: LeftOut, handlers: readonly { id: string; owner: string }[]): (span: Span) => boolean {
  const ids = new Set(handlers.filter(({ owner }) => owner === name).map(({ id }) => id));
  return ({ where, origin }) => {
    const author = readAuthor(where, origin);
    if (kind === 'file') return author.path === name;
    if (kind === 'plugin' && author.kind === 'plugin') return author.name.split(', ').includes(name);
    if (kind === 'plugin') return author.kind === 'handler' && ids.has(author.name);
    return author.kind === kind && author.name === name;
  };
}

/** Blanks and rules between files are Atrium's own, also where they stand in somebody's span. */
function wordsByAuthor(spans: readonly Span[]): ReadonlyMap<string, string> {
  const words = new Map<string, string>();
  for (const { where, origin, text = '' } of spans) {
    const { kind, name } = readAuthor(where, origin);
    const own = text.replace(/[\s-]+/g, '');
    if (kind === 'product' || own === '') continue;
    const author = kind === 'file' || kind === 'conversation' ? name : `${kind} ${name}`;
    words.set(author, `${words.get(author) ?? ''}${own}`);
  }
  return words;
}

/** Whether all characters of a text stand in another one in the same order. */
function isWithin(text: string, other: string): boolean {
  let at = 0;
  for (const character of other) if (character === text[at]) at++;
  return at === text.length;
}

async function talked(settings: ScratchGatewaySettings = {}): Promise<{ scratch: ScratchGateway; runId: string }> {
  const scratch = await gatewayForTest({
    files: { 'workspace/AGENTS.md': '# Rules\n\nBe brief.\n', 'AGENTS.md': 'For everybody.\n' },
    register: (hooks) =>
      on(hooks, 'before_prompt_build', 'framer', () => ({
        prependContext: 'Framed.',
        appendSystemContext: 'The end.',
      })),
    ...settings,
  });
  scratch.model.script([toolCall('read', { path: 'AGENTS.md' }), reply('Very well.')]);
  const { runId = '' } = await scratch.channel.says({}, 'hello');
  await scratch.services.runs.wait(runId);
  return { scratch, runId };
}

describe('a run', () => {
  it('that a gate blocked has no replay', async () => {
    const { scratch, runId } = await talked({
      register: (hooks) => on(hooks, 'before_agent_run', 'guard', () => ({ outcome: 'block', reason: 'no' })),
    });
    await expect(replayRun(scratch.store, runId, NOTHING)).rejects.toThrow(/a gate blocked the run/);
    expect(await scratch.store.count('captures')).toBe(0);
    expect(await scratch.store.count('parts')).toBe(0);
  });

  it('whose inputs were removed says which one is gone', async () => {
    const { scratch, runId } = await talked();
    const { sessionId = null } = (await scratch.store.select('runs', { where: { runId } }))[0] ?? {};
    const site = 'prune' as const;
    await scratch.store.commit([{ remove: 'transcript', where: { sessionId, position: { gt: 1 } } }], { site });
    await expect(replayRun(scratch.store, runId, NOTHING)).rejects.toThrow(
      /the conversation \(the request had 3 messages/,
    );
    const [frame] = await scratch.store.select('captures', { where: { runId, call: 0 } });
    await scratch.store.commit([{ remove: 'parts', where: { hash: frame?.manifest.at(-1) ?? '' } }], { site });
    await expect(replayRun(scratch.store, runId, NOTHING)).rejects.toThrow(
      /the files, tools and edits that it was composed from \(1 of \d+ stored parts are missing\)/,
    );
    await scratch.store.commit([{ remove: 'captures', where: { runId } }], { site });
    await expect(replayRun(scratch.store, runId, NOTHING)).rejects.toThrow(/its requests \(they were pruned/);
    const all = [];
    for await (const run of replayRuns(scratch.store, { since: 0, changes: NOTHING, pricesOf: async () => undefined }))
      all.push(run);
    expect(all).toMatchObject([{ runId, verdict: 'gone' }]);
  });

  it('costs a hash for what it shares with the run before', async () => {
    const { scratch } = await talked({ files: { 'workspace/AGENTS.md': `# Rules\n\n${'Be brief. '.repeat(900)}\n` } });
    const stored = async () =>
      (await scratch.store.select('parts')).filter(({ text }) => text.includes('Be brief. Be brief.'));
    const before = (await stored()).length;
    scratch.model.script([reply('Again.')]);
    const { runId = '' } = await scratch.channel.says({}, 'again');
    await scratch.services.runs.wait(runId);
    expect((await stored()).length).toBe(before);
    const { calls } = await replayRun(scratch.store, runId, NOTHING);
    expect(calls.map(({ isSame }) => isSame)).toEqual([true]);
  });
});
