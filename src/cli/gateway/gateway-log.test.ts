import { expect, test } from 'vitest';
import { gatewayLog } from './gateway-log.ts';

function logged(text: string): string {
  let out = '';
  gatewayLog(
    (line) => {
      out += line;
    },
    () => new Date('2026-05-06T10:00:00Z'),
  )('warn', text);
  return out;
}

test('a warning is one line with the time', () => {
  expect(logged('The disk is nearly full.')).toBe('2026-05-06T10:00:00.000Z warning: The disk is nearly full.\n');
});

test('a stack goes on below, set in', () => {
  expect(logged('The run failed: TypeError: x\n    at run (run.ts:1:2)\n    at next (run.ts:3:4)\n')).toBe(
    '2026-05-06T10:00:00.000Z warning: The run failed: TypeError: x\n    at run (run.ts:1:2)\n    at next (run.ts:3:4)\n',
  );
});

test('quoted text can neither begin a line of its own nor reach the terminal', () => {
  expect(logged('No agent "a\n2026-05-06T10:00:00.000Z warning: all is well\x1b[2J".')).toBe(
    '2026-05-06T10:00:00.000Z warning: No agent "a\n    2026-05-06T10:00:00.000Z warning: all is well [2J".\n',
  );
});

test('writes the same warning once, and later how often it came again', () => {
  const lines: string[] = [];
  let at = 0;
  const log = gatewayLog(
    (text) => lines.push(text),
    () => new Date(at),
  );
  for (let n = 0; n < 1_000; n++) log('warn', 'The handler a failed.');
  log('warn', 'The handler b failed.');
  at = 10 * 60_000;
  log('warn', 'The handler a failed.');
  expect(lines.map((line) => line.slice(25))).toEqual([
    'warning: The handler a failed.\n',
    'warning: The handler b failed.\n',
    'warning: The handler a failed. (999 times more since it was last written here)\n',
  ]);
});

test('writes everything that plugins say themselves', () => {
  const lines: string[] = [];
  const log = gatewayLog(
    (text) => lines.push(text),
    () => new Date(0),
  );
  log('info', 'tick');
  log('info', 'tick');
  expect(lines).toHaveLength(2);
});

test('leaves the time to the program that collects the output, or writes JSON for programs', () => {
  const lines: string[] = [];
  const say = (text: string) => void lines.push(text);
  const now = () => new Date('2026-05-06T10:00:00Z');
  gatewayLog(say, now, 'compact')('warn', 'The disk is\nnearly full.');
  gatewayLog(say, now, 'json')('warn', 'The disk is\nnearly full.', { runId: 'run-1' });
  expect(lines).toEqual([
    'warning: The disk is\n    nearly full.\n',
    '{"level":"warn","runId":"run-1","time":"2026-05-06T10:00:00.000Z","msg":"The disk is\\nnearly full."}\n',
  ]);
});
