import { expect, it } from 'vitest';
import { captureRequest } from '../../../recorder/capture.ts';
import { storeForEachTest } from '../../../testkit/for-each-test.ts';
import { FrameReader } from './frame-reader.ts';

const scratch = storeForEachTest();

/** As frames are: large lists and small ones, which are not cut, and brackets, quotes and commas inside of texts. */
function frameOf(run: number) {
  return {
    system: [{ text: `${'Be brief, "always". '.repeat(100)}],"tools":[`, cacheBoundary: true }],
    tools: Array.from({ length: 12 }, (_, index) => ({ name: `tool-${index}`, description: ',]"\\ '.repeat(200) })),
    spans: Array.from({ length: 60 + run }, (_, index) => ({ where: 'messages', index, origin: 'a person, twice' })),
    texts: run % 2 === 0 ? ['short'] : ['[', `]${'x'.repeat(2_000)}`],
    report: { cuts: [], at: run },
  };
}

async function keep(run: number): Promise<void> {
  const body = JSON.stringify(frameOf(run));
  // Every other frame is cut behind its lists, too.
  const cuts = run % 2 === 0 ? [body.lastIndexOf(',"at"'), body.length - 1] : [];
  const wire = { url: 'atrium:frame', headers: {}, body, cuts };
  const writes = captureRequest({ runId: `run_${run}`, call: 0, at: run, provider: 'p', model: 'm', wire });
  await scratch.store.commit(writes, { site: 'request' });
}

const kept = () => scratch.store.select('captures', { orderBy: [['at', 'asc']] });

it('reads every frame as its whole body says, also those that it knows in part', async () => {
  const runs = [1, 2, 3, 4];
  for (const run of runs) await keep(run);
  const rows = await kept();
  expect(rows[0]?.manifest.length).toBeGreaterThan(6);
  const reader = new FrameReader(scratch.store);
  for (const part of [rows.slice(0, 1), rows, rows.toReversed()]) {
    const read = await reader.read(part);
    expect(part.map((row) => read(row)?.whole())).toEqual(part.map(({ at }) => frameOf(at)));
  }
});

it('gives frames the same values where they have the same parts', async () => {
  await keep(1);
  await keep(2);
  const reader = new FrameReader(scratch.store);
  const [first, second] = await kept();
  if (!first || !second) throw new Error('the frames were not kept');
  const before = (await reader.read([first]))(first);
  const after = (await reader.read([second]))(second);
  expect(after?.tools[0]).toBe(before?.tools[0]);
});

it('says that a frame is gone when a part of it is', async () => {
  await keep(1);
  const [row] = await kept();
  if (!row) throw new Error('the frame was not kept');
  await scratch.store.commit([{ remove: 'parts', where: { hash: row.manifest.at(-1) ?? '' } }], { site: 'prune' });
  expect((await new FrameReader(scratch.store).read([row]))(row)).toBeUndefined();
});

it('knows without parsing all of it whether a frame says the same about its sources as another one', async () => {
  const keepWith = async (run: number, outcome: string, file: string) => {
    const lists = JSON.stringify({ ...frameOf(1), report: undefined }).slice(0, -1);
    const shared = `,"report":{"files":[{"name":"${file}","path":"/w/${file}"}],"about":"${'x'.repeat(600)}"`;
    const handlers = JSON.stringify([{ id: 'ci-mode', outcome, changes: [], ms: run }]);
    const own = `,"version":1,"handlers":${handlers}},"unkept":${run},"inputs":{"pastTo":${run},"composition":{"situation":{}`;
    const body = `${lists}${shared}${own},"home":"${'h'.repeat(600)}"}}}`;
    const at = lists.length + shared.length;
    const wire = { url: 'atrium:frame', headers: {}, body, listsEnd: lists.length, cuts: [at, at + own.length] };
    const writes = captureRequest({ runId: `run_${run}`, call: 0, at: run, provider: 'p', model: 'm', wire });
    await scratch.store.commit(writes, { site: 'request' });
    return JSON.parse(body) as object;
  };
  const bodies = [
    await keepWith(1, 'done', 'SOUL.md'),
    await keepWith(2, 'done', 'SOUL.md'),
    await keepWith(3, 'failed', 'SOUL.md'),
    await keepWith(4, 'done', 'TOOLS.md'),
  ];
  const rows = await kept();
  const frames = rows.map(await new FrameReader(scratch.store).read(rows));
  expect(frames.map((frame) => frame?.whole())).toEqual(bodies);
  expect(frames.map((frame) => frame?.unkept)).toEqual([1, 2, 3, 4]);
  const [first, second, failed, other] = frames.map((frame) => frame?.alike);
  expect(first).toBeInstanceOf(Array);
  expect(second).toEqual(first);
  expect(new Set([first, failed, other].map(String)).size).toBe(3);
});
