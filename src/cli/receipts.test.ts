// `atrium receipts` on the store of a real gateway, while it runs and after it.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { hashOfText } from '../context/report/build-report.ts';
import { ScratchGateway } from '../testkit/scratch-gateway.ts';
import { runInHome } from './fixtures/run-in-home.ts';

const RULES = '# Rules\n\n- Never push to main.\n';
let scratch: ScratchGateway;
let runs: string[];
beforeEach(async () => {
  let now = Date.parse('2026-05-06T10:00:00Z');
  scratch = await ScratchGateway.open({ files: { 'workspace/AGENTS.md': RULES }, now: () => now });
  runs = [];
  for (const text of ['one', 'two']) {
    const { runId = '' } = await scratch.channel.says({}, text);
    await scratch.services.runs.wait(runId);
    runs.push(runId);
    now += 3_600_000;
    await writeFile(join(scratch.workspaceDir, 'AGENTS.md'), '# Rules\n');
  }
});
afterEach(() => scratch.close());

function atrium(...argv: string[]) {
  return runInHome(scratch.home.home, ['receipts', ...argv], { now: new Date('2026-05-07T10:00:00Z') });
}

it('sums up, says where and why with hashes, and lists the runs, with a gateway and without one', async () => {
  const answers: string[] = [];
  for (const _ of ['while it runs', 'when it is down']) {
    const { code, out, err } = await atrium('Never push to main');
    expect([code, err]).toEqual([0, '']);
    answers.push(out);
    await scratch.stop();
  }
  const [out = ''] = answers;
  expect(answers[1]).toBe(out);
  const then = hashOfText(RULES).slice(0, 12);
  const later = hashOfText('# Rules\n').slice(0, 12);
  expect(out.split('\n')[0]).toBe(
    '"Never push to main" was in the prompt of 1 of 2 runs, first 2026-05-06 10:00:00, last 2026-05-06 10:00:00.',
  );
  const file = '~/.openclaw/workspace/AGENTS.md';
  expect(out).toContain(`   1  ${file}:3  ${then}\n`);
  expect(out).toMatch(new RegExp(`^ +1  not-in-file +${file} +${later}  the file was read, and did not have`, 'm'));
  expect(out).toMatch(new RegExp(`^${runs[0]}  2026-05-06 10:00:00  \\S+ +in +${file}:3 \\(${then}\\)$`, 'm'));
  expect(out).toMatch(
    new RegExp(`^${runs[1]}  2026-05-06 11:00:00  \\S+ +not in +not-in-file: ${file} \\(${later}\\), `, 'm'),
  );
});

it('narrows the list by verdict and time, goes on where it ended, and prints JSON', async () => {
  expect((await atrium('Never push', '--absent')).out).not.toContain(runs[0]);
  expect((await atrium('Never push', '--present')).out).not.toContain(runs[1]);
  expect((await atrium('Never push', '--until', '2026-05-06')).out).toContain('There are no runs');
  const first = await atrium('Never push', '--limit', '1');
  expect(first.out).toContain(`There are more; go on with --before ${runs[1]}`);
  expect((await atrium('Never push', '--limit', '1', '--before', runs[1] ?? '')).out).toContain(runs[0]);
  const { counts, places } = JSON.parse((await atrium('never PUSH', '--ignore-case', '--since', '7d', '--json')).out);
  expect(counts).toEqual({ present: 1, absent: 1, unseen: 0, blocked: 0, unrecorded: 0 });
  expect(places).toMatchObject([{ kind: 'file', lines: [3, 3], hash: hashOfText(RULES), runs: 1 }]);
});

it('ends with 1 when no run had the text, and with 2 when the question cannot be asked', async () => {
  const none = await atrium('nobody wrote this');
  expect([none.code, none.out.split('\n')[0]]).toEqual([1, '"nobody wrote this" was in the prompt of none of 2 runs.']);
  expect((await atrium('--', '- Never push')).code).toBe(0);
  for (const bad of [[' '], ['x', '--since', 'soon'], ['x', '--until', 'soon'], ['x', '--present', '--absent']]) {
    expect([bad, (await atrium(...bad)).code]).toEqual([bad, 2]);
  }
  expect((await atrium('x', '--until', 'soon')).err).toContain('--until');
  expect((await atrium('x'.repeat(1_001))).err).toContain('1000 characters');
  expect((await atrium('x', '--before', 'nonsense')).err).toContain('run_');
});
