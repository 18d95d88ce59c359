import { expect, it } from 'vitest';
import type { PluginLogEntry } from '../plugin-host.ts';
import { OutputBudget } from './output-budget.ts';

function budget(limits: { maxLines?: number; maxBytes?: number }) {
  const written: PluginLogEntry[] = [];
  const clock = { now: 0 };
  const output = new OutputBudget({ write: (entry) => void written.push(entry), now: () => clock.now, ...limits });
  const say = (text: string) => output.add({ level: 'info', text });
  return { written, clock, output, say };
}

it('lets so many lines a second pass, and then tells how many were dropped', () => {
  const { written, clock, output, say } = budget({ maxLines: 2 });
  for (const line of ['a', 'b', 'c', 'dd']) say(line);
  expect(written.map(({ text }) => text)).toEqual(['a', 'b']);
  clock.now = 1_000;
  say('e');
  expect(written.slice(2)).toEqual([
    { level: 'warn', text: 'It said too much at once: 2 lines were dropped.' },
    { level: 'info', text: 'e' },
  ]);
  output.close();
});

it('lets so many characters a second pass, and cuts long lines', () => {
  const { written, output, say } = budget({ maxBytes: 10_000 });
  say('x'.repeat(50_000));
  say('y'.repeat(3_000));
  expect(written.map(({ text }) => text.length)).toEqual([8_001]);
  output.close();
});
