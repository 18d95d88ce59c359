import { expect, it } from 'vitest';
import { createProgress } from './progress.ts';

function told(isTerminal: boolean) {
  let text = '';
  let clock = 0;
  const io = {
    isTerminal,
    err: (more: string) => {
      text += more;
    },
  };
  const progress = createProgress(io, () => clock);
  for (const done of [0, 25, 50, 100]) {
    progress.tell({ what: 'moving rows', done, all: 100 });
    // The same again in the same moment is not told.
    progress.tell({ what: 'moving rows', done: done + 1, all: 100 });
    clock += 5_000;
  }
  progress.end();
  return text;
}

it('progress is a bar on a terminal, which is taken away at the end', () => {
  const text = told(true);
  expect(text.split('\r').filter((part) => part.includes('█') || part.includes('░'))).toHaveLength(4);
  expect(text).toContain(`${'█'.repeat(12)}${'░'.repeat(12)} moving rows: 50 of 100`);
  expect(text).not.toContain('\n');
  expect(text.endsWith(`${' '.repeat(20)}\r`)).toBe(true);
});

it('progress is a line now and then elsewhere', () => {
  expect(told(false)).toBe(
    'moving rows: 0 of 100\nmoving rows: 25 of 100\nmoving rows: 50 of 100\nmoving rows: 100 of 100\n',
  );
});
