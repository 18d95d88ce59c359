import { readFile, rm } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { folderForTest } from '../testkit/folder-for-test.ts';
import { AppendedFiles } from './appended-files.ts';
import { Trajectory } from './trajectory.ts';
import { expandPrompts } from './trajectory-prompts.ts';

const PROMPT = 'Never delete a ticket. "Ask" first.\n'.repeat(60);
const OTHER = `${PROMPT}It is Tuesday.`;

async function trajectoryForTest() {
  const files = new AppendedFiles({ warn: () => {} });
  const trajectory = new Trajectory({ dir: await folderForTest(), files });
  return {
    trajectory,
    file: trajectory.fileOf('ses_1'),
    compiled: (systemPrompt: string) =>
      trajectory.record({ sessionId: 'ses_1', runId: 'run_1' }, 'context.compiled', { chars: 1, systemPrompt }, 0),
    lines: async () => (await readFile(trajectory.fileOf('ses_1'), 'utf8')).trim().split('\n'),
  };
}

describe('the system prompt in a trajectory', () => {
  it('is written once, and then named by its hash', async () => {
    const { trajectory, compiled, lines } = await trajectoryForTest();
    for (const prompt of [PROMPT, PROMPT, OTHER, PROMPT, OTHER, 'short']) compiled(prompt);
    await trajectory.drain();
    const data = (await lines()).map((line) => JSON.parse(line).data);
    expect(data.map(({ systemPrompt }) => systemPrompt)).toEqual([
      PROMPT,
      undefined,
      OTHER,
      undefined,
      undefined,
      'short',
    ]);
    const [first, second, third, fourth] = data.map(({ systemPromptHash }) => systemPromptHash);
    expect(first).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect([second, fourth]).toEqual([first, first]);
    expect(third).not.toBe(first);
    expect(data.every(({ chars }) => chars === 1)).toBe(true);
  });

  it('is in every record for a reader', async () => {
    const { trajectory, compiled, file } = await trajectoryForTest();
    const prompts = [PROMPT, OTHER, PROMPT, 'short', OTHER];
    for (const prompt of prompts) compiled(prompt);
    await trajectory.drain();
    const text = expandPrompts(await readFile(file, 'utf8'));
    const records = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(records.map(({ data }) => data)).toEqual(prompts.map((systemPrompt) => ({ chars: 1, systemPrompt })));
    expect(records.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
  });

  it('is written again into a file that was removed', async () => {
    const { trajectory, compiled, file, lines } = await trajectoryForTest();
    compiled(PROMPT);
    await trajectory.drain();
    await rm(file);
    compiled(PROMPT);
    await trajectory.drain();
    expect(JSON.parse((await lines())[0] ?? '').data.systemPrompt).toBe(PROMPT);
  });

  it('stays a hash where no line has it, and a line that was cut short stays as it is', () => {
    const cut = '{"data":{"systemPromptHash":"sha256:1","sys';
    const named = '{"data":{"systemPromptHash":"sha256:2"}}';
    expect(expandPrompts(`${named}\n${cut}`)).toBe(`${named}\n${cut}`);
  });
});
