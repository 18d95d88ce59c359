// A gateway is killed again and again while many conversations are being recorded. What it has written stays readable up
// to the last line, and the next process goes on behind it.

import { appendFile, readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { GatewayProcess } from '../src/testkit/gateway-process.ts';
import { reply, toolCall } from '../src/testkit/model-server.ts';

const ROUNDS = 5;
const TALKERS = 6;
/** What a power cut or a full disk leaves behind. */
const CUT_LINE = '{"traceSchema":"openclaw-traj';

it('a gateway that is killed in the middle of its turns leaves every line whole but the last, and goes on', async () => {
  const gateway = await GatewayProcess.create({
    recordsRequests: false,
  });
  onTestFinished(() => gateway.close());
  // Long answers and tools, so that there is always something to write.
  gateway.model.script((request) =>
    request.body.includes('"role":"tool"') || request.body.length % 2 === 0
      ? reply('A long answer. '.repeat(1_500))
      : toolCall('read', { path: 'AGENTS.md' }, 'I look. '.repeat(500)),
  );
  const dir = gateway.home.path('logs/trajectory');
  const sizes: number[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    expect(await gateway.start()).toBe('ready');
    expect((await gateway.fetch('/api/debug/on', { body: {} })).status).toBe(200);
    const before = await sizeOf(dir);
    const talks = Array.from({ length: TALKERS }, (_, index) => talkOnAndOn(gateway, `talker-${index}`));
    // Each time it is killed a little later, always while it writes.
    await expect.poll(() => sizeOf(dir), { timeout: 60_000, interval: 5 }).toBeGreaterThan(before + round * 100_000);
    await gateway.kill();
    await Promise.all(talks);
    sizes.push(await sizeOf(dir));
    for (const [file, lines] of await filesIn(dir)) {
      const records = readable(file, lines);
      // Numbers go on in every file, across all processes that wrote it.
      expect(records.map(({ seq }) => seq)).toEqual(records.map((_, index) => index + 1));
    }
    const logs = (await filesIn(gateway.home.path('logs'))).filter(([file]) => file.endsWith('.jsonl'));
    expect(logs).toHaveLength(3);
    for (const [file, lines] of logs) readable(file, lines);
    if (round === 1) for (const [file] of await filesIn(dir)) await appendFile(file, CUT_LINE);
  }
  expect(sizes).toEqual(sizes.toSorted((a, b) => a - b));

  // The runs that were cut are taken up by the next process, in the same files.
  expect(await gateway.start()).toBe('ready');
  await expect.poll(async () => (await openRuns(gateway)).length, { timeout: 120_000, interval: 200 }).toBe(0);
  const stored = await storedSessions(gateway);
  expect((await gateway.stop()).code).toBe(0);
  const records = (await filesIn(dir)).flatMap(([file, lines]) => readable(file, lines));
  expect(records.some(({ type, data }) => type === 'session.started' && Number(data?.attempt) > 1)).toBe(true);
  // A process that dies before it has stored a new session leaves a file about a session that never was.
  const ofSessions = (await filesIn(dir)).filter(([file]) => stored.has(basename(file, '.jsonl')));
  expect(ofSessions.length).toBeGreaterThanOrEqual(TALKERS);
  for (const [file, lines] of ofSessions) {
    expect(JSON.parse(lines.at(-1) ?? '').type, file).toMatch(/^(?:session\.ended|delivery\.ended)$/);
  }
}, 400_000);

interface TraceRecord {
  readonly seq: number;
  readonly type: string;
  readonly data?: { readonly attempt?: number };
}

/** Lines that were cut when they were the last ones of their file. */
const KNOWN_CUTS = new Set([CUT_LINE]);

/** Only a line that is or was the very last one may be anything else than a record. */
function readable(file: string, lines: readonly string[]): readonly TraceRecord[] {
  return lines.flatMap((line, index): TraceRecord[] => {
    if (KNOWN_CUTS.has(line)) return [];
    try {
      return [JSON.parse(line)];
    } catch {
      expect(index, `line ${index + 1} of ${lines.length} in ${file}: ${line.slice(0, 80)}`).toBe(lines.length - 1);
      KNOWN_CUTS.add(line);
      return [];
    }
  });
}

/** Until the gateway is gone. */
async function talkOnAndOn(gateway: GatewayProcess, user: string): Promise<void> {
  for (let said = 1; ; said++) {
    try {
      const messages = [{ role: 'user', content: `Go on, ${said}.` }];
      const answer = await gateway.fetch('/v1/chat/completions', { body: { model: 'atrium/main', user, messages } });
      await answer.text();
    } catch {
      return;
    }
  }
}

async function openRuns(gateway: GatewayProcess): Promise<readonly object[]> {
  const { runs } = await gateway.json<{ runs: readonly { status: string }[] }>('/api/runs?limit=200');
  return runs.filter(({ status }) => ['queued', 'running', 'suspended'].includes(status));
}

async function storedSessions(gateway: GatewayProcess): Promise<ReadonlySet<string | null>> {
  const { runs } = await gateway.json<{ runs: readonly { sessionId: string | null }[] }>('/api/runs?limit=200');
  return new Set(runs.map(({ sessionId }) => sessionId));
}

async function filesIn(dir: string): Promise<readonly (readonly [string, readonly string[]])[]> {
  const entries = await readdir(dir, { withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile()).map(({ name }) => join(dir, name));
  return Promise.all(
    files.map(async (file) => {
      const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
      return [file, lines] as const;
    }),
  );
}

async function sizeOf(dir: string): Promise<number> {
  return (await filesIn(dir)).reduce((sum, [, lines]) => sum + lines.join('\n').length, 0);
}
