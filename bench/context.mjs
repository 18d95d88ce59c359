// What composing costs against the bare floor of the same work: an asynchronous stat of the same paths, the join of
// the same bytes, and one hash. Ratios are measured in one process and in turns, so that a busy machine slows both
// sides alike. Prints a table; `--json` prints numbers. With `--short` it takes one round of each, which says only that it works.

import { createHash } from 'node:crypto';
import { stat } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CachedFileSource, ContextEngine, HookRunner, readEnvironment } from '../build/bench/parts.js';

const NAMES = [
  'AGENTS.md',
  'SOUL.md',
  'TOOLS.md',
  'IDENTITY.md',
  'USER.md',
  'HEARTBEAT.md',
  'BOOTSTRAP.md',
  'MEMORY.md',
];
const isShort = process.argv.includes('--short');
const root = await mkdtemp(join(tmpdir(), 'atrium-bench-'));

try {
  const rows = [await warm(), await changing(), await cold(), ...(await growth())];
  if (process.argv.includes('--json')) console.log(JSON.stringify(rows, null, 2));
  else console.table(rows);
} finally {
  await rm(root, { recursive: true, force: true });
}

/** Eight files, 40 KB, every bundled handler, ten user handlers of which half write something. */
async function warm() {
  const { engine, request, paths } = await makeHome('warm', 8, 40_000);
  const texts = await Promise.all(paths.map((path) => readFile(path, 'utf8')));
  const floor = async () => {
    await Promise.all(paths.map(statOf));
    return createHash('sha256').update(texts.join('\n')).digest('hex');
  };
  const compose = () => engine.compose(request);
  const stated = [...paths, ...otherPaths('warm')];
  const fullFloor = async () => {
    await Promise.all(stated.map(statOf));
    return createHash('sha256').update(texts.join('\n')).digest('hex');
  };
  const [composing, bare, bareAll] = await inTurns([compose, floor, fullFloor], 300, 300);
  return row('warm, 8 files, 40 KB, same paths', composing, bareAll, {
    'ratio to the files alone': ratio(composing, bare),
  });
}

/** The same, but one handler writes something new each time, so that nothing of an earlier prompt can be used again. */
async function changing() {
  let runs = 0;
  const { request, paths, makeEngine } = await makeHome('changing', 8, 40_000);
  const news = { hook: 'agent:bootstrap', id: 'news', owner: 'bench', priority: 160 };
  const handler = (event) => {
    event.context.bootstrapFiles[0].content += `\n\nThis is run ${++runs}.`;
  };
  const engine = makeEngine({ ...news, handler });
  const texts = await Promise.all(paths.map((path) => readFile(path, 'utf8')));
  const stated = [...paths, ...otherPaths('changing')];
  const floor = async () => {
    await Promise.all(stated.map(statOf));
    return createHash('sha256').update(texts.join('\n')).digest('hex');
  };
  const [composing, bare] = await inTurns([() => engine.compose(request), floor], 300, 300);
  return row('warm, new text each run, same paths', composing, bare);
}

/** The same workspace with a new engine each time: nothing is cached, every file is read. */
async function cold() {
  const { paths, request, makeEngine } = await makeHome('cold', 8, 40_000);
  const floor = async () => {
    const texts = await Promise.all(paths.map((path) => readFile(path, 'utf8')));
    return createHash('sha256').update(texts.join('\n')).digest('hex');
  };
  const [composing, bare] = await inTurns([() => makeEngine().compose(request), floor], 30, 10);
  return row('cold, 8 files, 40 KB', composing, bare);
}

/** From 8 files to 800, and from 40 KB to 40 MB: the cost per byte must not grow. */
async function growth() {
  const rows = [];
  for (const [files, bytes] of [
    [8, 40_000],
    [80, 400_000],
    [800, 4_000_000],
    [800, 40_000_000],
  ]) {
    const { engine, request, paths } = await makeHome(`growth-${files}-${bytes}`, files, bytes);
    const texts = await Promise.all(paths.map((path) => readFile(path, 'utf8')));
    const floor = async () => {
      await Promise.all(paths.map(statOf));
      return createHash('sha256').update(texts.join('\n')).digest('hex');
    };
    const [composing, bare] = await inTurns([() => engine.compose(request), floor], 10, 3);
    rows.push(row(`warm, ${files} files, ${bytes / 1000} KB`, composing, bare));
  }
  return rows;
}

async function makeHome(name, fileCount, bytes) {
  const home = join(root, name);
  const workspaceDir = join(home, 'workspace');
  await mkdir(workspaceDir, { recursive: true });
  const paths = [];
  const patterns = [];
  const size = Math.floor(bytes / fileCount);
  for (let i = 0; i < fileCount; i++) {
    const dir = i < NAMES.length ? workspaceDir : join(workspaceDir, 'packages', `p${i}`);
    const path = join(dir, i < NAMES.length ? NAMES[i] : 'AGENTS.md');
    await mkdir(dir, { recursive: true });
    await writeFile(
      path,
      paragraph(i)
        .repeat(Math.ceil(size / 100))
        .slice(0, size),
    );
    paths.push(path);
    if (i >= NAMES.length) patterns.push(`packages/p${i}/AGENTS.md`);
  }
  const environment = readEnvironment({ OPENCLAW_HOME: home, OPENCLAW_STATE_DIR: join(home, 'state'), TZ: 'UTC' });
  const config = {
    agents: { defaults: { workspace: workspaceDir, bootstrapMaxChars: 60_000, bootstrapTotalMaxChars: 2 * bytes } },
    bootstrap: {
      hooks: {
        'time-context': { enabled: true },
        'ci-mode': { force: true },
        ...(patterns.length > 0 ? { 'bootstrap-extra-files': { paths: patterns } } : {}),
      },
    },
  };
  const makeEngine = (extra) =>
    new ContextEngine({ environment, config, runner: userHandlers(extra), files: new CachedFileSource() });
  return {
    engine: makeEngine(),
    makeEngine,
    request: { at: new Date('2026-01-01T23:30:00Z'), timezone: 'UTC' },
    paths,
  };
}

/** What composing looks at besides the files: other spellings, the first run, skills, shared files. */
function otherPaths(name) {
  const home = join(root, name);
  const inWorkspace = ['memory.md', '.openclaw/workspace-state.json', 'skills'];
  return [...inWorkspace.map((path) => join(home, 'workspace', path)), join(home, 'state')];
}

function userHandlers(extra) {
  const runner = new HookRunner();
  if (extra) runner.register(extra);
  for (let i = 0; i < 10; i++) {
    const handler =
      i % 2 === 0
        ? () => {}
        : async (event) => {
            const file = event.context.bootstrapFiles.find((candidate) => candidate.name === NAMES[i % 5]);
            if (file) file.content = `${file.content}\n\nA line that handler ${i} adds.`;
          };
    runner.register({ hook: 'agent:bootstrap', id: `user-${i}`, owner: 'bench', handler, priority: 150 });
  }
  return runner;
}

function paragraph(seed) {
  return `Line ${seed} of the instructions says what to do and what to leave alone, in plain words for a reader.\n`.padEnd(
    100,
  );
}

function statOf(path) {
  return new Promise((resolve) => stat(path, (_, stats) => resolve(stats)));
}

/** Runs the functions in turns, each as often behind each other one, and returns the median milliseconds of each. */
async function inTurns(functions, manyRounds, manyWarmUps) {
  const [rounds, warmUps] = isShort ? [1, 0] : [manyRounds, manyWarmUps];
  const samples = functions.map(() => []);
  for (let round = -warmUps; round < rounds; round++) {
    for (let turn = 0; turn < functions.length; turn++) {
      const index = (turn + round + warmUps) % functions.length;
      const started = performance.now();
      await functions[index]();
      const elapsed = performance.now() - started;
      if (round >= 0) samples[index].push(elapsed);
    }
  }
  return samples.map((times) => times.sort((a, b) => a - b)[Math.floor(times.length / 2)]);
}

function row(what, composing, bare, more = {}) {
  return { what, 'compose ms': round(composing), 'floor ms': round(bare), ratio: ratio(composing, bare), ...more };
}

function ratio(a, b) {
  return Number((a / b).toFixed(2));
}

function round(ms) {
  return Number(ms.toFixed(3));
}
