import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { timeLimit, within } from './time-limit.ts';

const late = () => new Error('too late');

describe('a time limit', () => {
  it('fires when its time is over, with its reason', async () => {
    const { signal } = timeLimit(5, late);
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    expect(signal.reason).toEqual(new Error('too late'));
  });

  it('fires with the first of the others', () => {
    const other = new AbortController();
    const { signal, clear } = timeLimit(10_000, late, other.signal);
    other.abort(new Error('gone'));
    clear();
    expect(signal.reason).toEqual(new Error('gone'));
  });

  it('never fires once cleared', async () => {
    const { signal, clear } = timeLimit(5, late);
    clear();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(signal.aborted).toBe(false);
  });

  it('survives garbage collections', () => {
    const file = fileURLToPath(new URL('./time-limit.ts', import.meta.url));
    const jiti = fileURLToPath(import.meta.resolve('jiti'));
    const program = `
      import { createJiti } from ${JSON.stringify(jiti)};
      const { timeLimit } = await createJiti(import.meta.url).import(${JSON.stringify(file)});
      const fired = (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve('fired'), { once: true }));
      const other = new AbortController();
      const end = fired(timeLimit(100, () => new Error('too late'), other.signal).signal);
      setTimeout(() => { for (let round = 0; round < 5; round++) gc(); }, 20);
      console.log(await Promise.race([end, new Promise((resolve) => setTimeout(resolve, 2_000, 'lost'))]));
      process.exit(0);
    `;
    const said = execFileSync(process.execPath, ['--expose-gc', '--input-type=module', '-e', program], {
      encoding: 'utf8',
    });
    expect(said.trim()).toBe('fired');
  });
});

describe('a wait with a limit', () => {
  const never = new Promise<void>(() => undefined);

  it('ends with what it waits for, or with its time', async () => {
    expect(await within(10_000, Promise.resolve('done'))).toBe(true);
    expect(await within(5, never)).toBe(false);
  });

  it('fails as what it waits for fails, and hears no more of it afterwards', async () => {
    await expect(within(10_000, Promise.reject(new Error('no')))).rejects.toThrow('no');
    let fail: (error: Error) => void = () => undefined;
    const later = new Promise<void>((_, reject) => {
      fail = reject;
    });
    expect(await within(5, later)).toBe(false);
    fail(new Error('unheard'));
    await new Promise((resolve) => setImmediate(resolve));
  });

  it('takes a limit that is longer than timers can be', async () => {
    expect(await within(Number.POSITIVE_INFINITY, Promise.resolve())).toBe(true);
    const first = within(2 ** 40, never).then(() => 'over');
    expect(await Promise.race([first, new Promise((resolve) => setTimeout(resolve, 20, 'waiting'))])).toBe('waiting');
  });
});
