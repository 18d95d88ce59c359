// Whether the page stays smooth when there is much to show: 10,000 conversations in the sidebar, and one of 2,000 messages; a
// request of 5 MB.
// A real browser does what a person does: typing, going from one conversation to another, scrolling, searching. For each, the
// time from an interaction to the next paint, as the browser's own Event Timing tells it (below 200 ms counts as good), and
// for scrolling the time between two frames.
//
//   npm run bench:console -- [--dist dist] [--json] [--check]
//
// A page of its own adds a file to bench/console/ and a line to `MEASURES`. With --check the command fails above the limit.

import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { CHAT_MEASURES } from './console/chat-measures.mjs';
import { CONTEXT_MEASURES } from './console/context-measures.mjs';
import { fillLongTalk } from './console/fill-long-talk.mjs';
import { Interactions } from './console/interactions.mjs';
import { makeFilledHome } from './growth/filled-home.mjs';
import { startAtrium } from './turn/atrium.mjs';
import { percentile } from './turn/load.mjs';
import { killAll, startServer, stopProcess, untilReady } from './turn/processes.mjs';

const { values: flags } = parseArgs({
  options: {
    dist: { type: 'string', default: 'dist' },
    json: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
  },
});
const here = dirname(fileURLToPath(import.meta.url));
const dist = resolve(flags.dist);
const LIMIT_MS = 200;
const MEASURES = [...CHAT_MEASURES, ...CONTEXT_MEASURES];

process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));
process.once('exit', killAll);

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
);
if (!executablePath) {
  process.stderr.write('There is no Chromium on this machine, so the page cannot be measured.\n');
  process.exit(1);
}

const root = await mkdtemp(join(tmpdir(), 'atrium-bench-console-'));
let browser;
try {
  const model = await startServer(join(here, 'turn', 'instant-model.mjs'));
  const home = await makeFilledHome(root, model.url, dist, { sessions: 10_000, rows: 40_000, files: 0, agents: 3 });
  const longTalk = fillLongTalk(join(home, '.openclaw', 'atrium', 'atrium.db'), 2_000);
  const gateway = await startAtrium(home, dist);
  await untilReady(gateway.readyUrl, gateway, 120_000);
  browser = await chromium.launch({ executablePath, args: ['--headless', '--no-sandbox', '--disable-gpu'] });
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  const interactions = await Interactions.watch(page);
  await page.goto(`${gateway.url}/#token=${gateway.token}`);
  await page.getByText('Connected', { exact: true }).waitFor();
  const place = { page, url: gateway.url, token: gateway.token, longTalk };
  const rows = [];
  for (const { name, run } of MEASURES) {
    await interactions.take();
    await run(place);
    const { events, frames } = await interactions.take();
    rows.push({ name, interactions: events.length, ...summaryOf(events), frames: summaryOf(frames) });
  }
  await stopProcess(gateway);
  tell(rows);
  const slow = rows.filter(({ p98 }) => p98 > LIMIT_MS);
  if (flags.check && slow.length > 0) {
    process.stderr.write(`Above ${LIMIT_MS} ms: ${slow.map(({ name }) => name).join(', ')}\n`);
    process.exitCode = 1;
  }
} finally {
  await browser?.close();
  killAll();
  await rm(root, { recursive: true, force: true });
}

function summaryOf(samples) {
  if (samples.length === 0) return { p50: 0, p98: 0, worst: 0 };
  const sorted = samples.toSorted((one, other) => one - other);
  return { p50: percentile(sorted, 0.5), p98: percentile(sorted, 0.98), worst: sorted.at(-1) };
}

function tell(rows) {
  const machine = { cores: cpus().length, load: loadavg()[0] };
  if (flags.json) {
    process.stdout.write(`${JSON.stringify({ machine, limitMs: LIMIT_MS, rows })}\n`);
    return;
  }
  const ms = (value) => String(Math.round(value)).padStart(6);
  process.stdout.write(`${machine.cores} cores, load ${machine.load.toFixed(1)}; milliseconds\n`);
  process.stdout.write(`${'what'.padEnd(44)} count    p50    p98  worst   frame p98  worst\n`);
  for (const { name, interactions: count, p50, p98, worst, frames } of rows)
    process.stdout.write(
      `${name.padEnd(44)} ${String(count).padStart(5)} ${ms(p50)} ${ms(p98)} ${ms(worst)}      ${ms(frames.p98)} ${ms(frames.worst)}\n`,
    );
}
