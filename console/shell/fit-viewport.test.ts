import { describe, expect, it } from 'vitest';
import { fitViewport } from './fit-viewport.ts';

/** The height that the page gets when so much of it can be seen. */
function heightFor(seen: { height: number; scale: number } | null): string {
  const root = { style: { height: 'before' }, scrollTop: 40 };
  fitViewport({ innerHeight: 844, visualViewport: seen } as Window, root as unknown as HTMLElement);
  return root.style.height;
}

describe('the height of the page', () => {
  it('is what the keyboard of a telephone leaves', () => {
    expect(heightFor({ height: 500, scale: 1 })).toBe('500px');
  });

  it('is that of the window again when the keyboard is gone, and under bars of the browser', () => {
    expect(heightFor({ height: 844, scale: 1 })).toBe('');
    expect(heightFor({ height: 790, scale: 1 })).toBe('');
  });

  it('does not follow a person who zooms in', () => {
    expect(heightFor({ height: 422, scale: 2 })).toBe('');
  });

  it('stays as it is where a browser does not tell', () => {
    expect(heightFor(null)).toBe('before');
  });
});
