import { mkdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LOG_LEVELS, type LogThreshold } from '../protocol/log.ts';
import { folderForTest } from '../testkit/folder-for-test.ts';
import { forAllAsync } from '../testkit/for-all.ts';
import { LogFile } from './log-file.ts';
import { followLog, readLog } from './read-log.ts';

async function opened({ level = 'info' as LogThreshold, maxFileBytes = 1_000_000 } = {}) {
  const file = path.join(await folderForTest(), 'atrium.log');
  const warnings: string[] = [];
  let at = Date.parse('2026-05-06T10:00:00Z');
  const log = new LogFile({ file, level, maxFileBytes, now: () => at, warn: (text) => warnings.push(text) });
  return { file, log, warnings, wait: (ms: number) => (at += ms) };
}

describe('a line', () => {
  it('is one JSON object with the time, the level, the sentence and the ids', async () => {
    const { file, log } = await opened();
    log.warn('The disk is\nnearly full.', { runId: 'run-1', sessionKey: 'agent:main:main', channel: undefined });
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
      runId: 'run-1',
      sessionKey: 'agent:main:main',
      level: 'warn',
      time: '2026-05-06T10:00:00.000Z',
      pid: process.pid,
      msg: 'The disk is\nnearly full.',
    });
  });

  it('below the level is not written, and with silent there is no file', async () => {
    const { file, log } = await opened({ level: 'warn' });
    log.info('no');
    log.error('yes');
    expect((await readLog(file, 10, {})).map(({ line }) => line.msg)).toEqual(['yes']);
    const silent = await opened({ level: 'silent' });
    silent.log.fatal('no');
    await expect(readFile(silent.file)).rejects.toThrow('ENOENT');
  });

  it('has no secret in its sentence and in no id, also where the sentence is cut', async () => {
    const { file, log } = await opened();
    const secrets = fc
      .constantFrom('sk-ant-', 'ghp_', 'xoxb-', 'glpat-')
      .chain((beginning) =>
        fc
          .string({ unit: fc.constantFrom(...'abcdefghijklmnop0123456789'), minLength: 20, maxLength: 60 })
          .map((rest) => beginning + rest),
      );
    await forAllAsync([secrets, fc.integer({ min: 0, max: 17_000 })], async (secret, before) => {
      await rm(file, { force: true });
      log.close();
      log.error(`${' '.repeat(before)}${secret} failed`, { runId: secret });
      const text = await readFile(file, 'utf8');
      for (const part of [secret, secret.slice(0, 20)]) expect(text).not.toContain(part);
    });
  });
});

it('a file that cannot be written is said once, and again when it can be', async () => {
  const { file, log, warnings, wait } = await opened();
  await mkdir(file);
  for (let n = 0; n < 3; n++) log.warn('lost');
  expect(warnings).toEqual([
    `The log file ${file} cannot be written (EISDIR). Make it writable, or name another in logging.file.`,
  ]);
  await rm(file, { recursive: true });
  wait(10_000);
  log.warn('kept');
  expect(warnings[1]).toBe(`The log file ${file} can be written again; 3 lines could not.`);
  expect((await readLog(file, 10, {})).map(({ line }) => line.msg)).toEqual(['kept']);
});

describe('reading', () => {
  it('gives the last lines that match, across files that were set aside', async () => {
    const { file, log } = await opened({ maxFileBytes: 600 });
    for (let n = 0; n < 20; n++) log[n % 2 ? 'warn' : 'info'](`line ${n}`, { runId: `run-${n % 4}` });
    const messages = async (count: number, filter: object) =>
      (await readLog(file, count, filter)).map(({ line }) => line.msg);
    expect(await messages(3, {})).toEqual(['line 17', 'line 18', 'line 19']);
    expect(await messages(3, { level: 'warn' })).toEqual(['line 15', 'line 17', 'line 19']);
    expect(await messages(2, { runId: 'run-2' })).toEqual(['line 14', 'line 18']);
    expect(await messages(2, { sessionKey: 'agent:main:main' })).toEqual([]);
  });

  it('leaves out what is no line of the log, and finds every line whatever its length', async () => {
    const { file, log } = await opened();
    await forAllAsync(
      [
        fc.array(
          fc.record({ text: fc.string({ unit: 'grapheme', maxLength: 40 }), times: fc.integer({ min: 1, max: 400 }) }),
          {
            maxLength: 30,
          },
        ),
      ],
      async (sentences) => {
        await rm(file, { force: true });
        log.close();
        const said = sentences.map(({ text, times }) => text.repeat(times).slice(0, 16_000));
        for (const each of said) log.info(each);
        const read = await readLog(file, 1_000, {});
        expect(read).toHaveLength(said.length);
      },
    );
  });

  it('follows the file over its rotation', async () => {
    const { file, log } = await opened({ maxFileBytes: 1_000 });
    const ended = new AbortController();
    const seen: string[] = [];
    log.warn('before');
    const following = (async () => {
      // Each line that is heard causes the next one.
      for await (const { line } of followLog(file, { level: 'warn' }, ended.signal)) {
        if (line.msg === 'begin' && seen.length > 0) continue;
        seen.push(line.msg);
        if (seen.length <= 40) log.warn(`line ${seen.length}`);
        else ended.abort();
      }
    })();
    // It is said until it was heard, because the follower may not have opened the file yet.
    while (seen.length === 0) {
      log.warn('begin');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await following;
    expect(seen).toEqual(['begin', ...Array.from({ length: 40 }, (_, index) => `line ${index + 1}`)]);
  });
});

it('every level has a place in the order', () => {
  expect(LOG_LEVELS).toEqual(['trace', 'debug', 'info', 'warn', 'error', 'fatal']);
});
