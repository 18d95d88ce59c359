// What a run was sent can be composed again from its record, to the same bytes; and leaving an author out removes that
// author's words only.

import { rm } from 'node:fs/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { countReplays } from '../chaos/count-replays.ts';
import { recordTalks } from '../chaos/recorded-talks.ts';
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
    for (const author of ['friday', 'weaves', 'framer', 'mailer', 'counter', 'editor', 'packs', 'time-context']) {
      await expectOnlyThatAuthorGone(scratch, author);
    }
    // Files that are gone or changed now do not matter.
    await rm(scratch.workspaceDir, { recursive: true });
    expect((await countReplays(scratch.store)).same).toBe(same);
  });
});

/** In the words before the budget cut any: where something is cut, others get the room. */
async function expectOnlyThatAuthorGone(scratch: ScratchGateway, author: string): Promise<void> {
  for (const { runId } of await scratch.store.select('runs', { where: { status: 'done' }, limit: 12 })) {
    const recorded = await openRecordedRun(scratch.store, runId).catch(() => undefined);
    const number = recorded?.calls[0];
    const inputs = recorded?.frame.inputs;
    if (!recorded || number === undefined || !inputs) continue;
    const { sent } = await recorded.call(number);
    const before = await recorded.replay.request(sent);
    if (before.composition.report.cuts.length > 0) continue;
    const changes = replayChanges({ ...NOTHING, without: [author] }, inputs.composition);
    const after = await recorded.replay.request(sent, changes);
    const ids = inputs.composition.handlers
      .filter((handler) => changes.composition.isLeftOut?.(handler))
      .map(({ id }) => id.replace(/^rule:/, ''));
    const isTheirs = (origin: string) =>
      changes.isLeftOut(origin) || ids.some((id) => new RegExp(`^(?:handler|rule) ${id}\\b`).test(origin));
    const words = (request: typeof before, isLeftOut: (origin: string) => boolean) =>
      request.spans
        .filter(({ origin }) => !origin.startsWith('atrium: ') && !isLeftOut(origin))
        .map(({ text = '' }) => text)
        .join('')
        .replace(/[\s-]+/g, '');
    expect(words(after, isTheirs)).toBe(words(after, () => false));
    // A handler that wrote over words of others gives them back.
    if (author !== 'weaves' && author !== 'packs' && author !== 'editor')
      expect(words(after, () => false)).toBe(words(before, isTheirs));
  }
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
    for await (const run of replayRuns(scratch.store, { since: 0, changes: NOTHING, pricesOf: () => undefined }))
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
