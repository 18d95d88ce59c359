import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forAll } from '../../testkit/for-all.ts';
import { internalHooksConfigured, resolveConfiguredHooks } from './internal-hooks-configured.ts';

function internal(section: unknown) {
  return { hooks: { internal: section } };
}

describe('which internal hooks a configuration asks for', () => {
  it('is everything under managed-by-default, until it is switched off', () => {
    expect(resolveConfiguredHooks(undefined, 'managed-by-default')).toEqual({ configured: true, names: 'ALL' });
    const one = internal({ entries: { a: { enabled: true } } });
    expect(resolveConfiguredHooks(one, 'managed-by-default').names).toBe('ALL');
    expect(resolveConfiguredHooks(internal({ enabled: false }), 'managed-by-default').configured).toBe(false);
  });

  it('is nothing unasked under configured-only', () => {
    expect(resolveConfiguredHooks(undefined, 'configured-only')).toEqual({ configured: false, names: [] });
  });

  it('is the named entries and the hooks that installs list, each once', () => {
    const section = { entries: { a: {}, b: { enabled: false }, ' ': {} }, installs: { p: { hooks: ['a', 'c'] } } };
    expect(internalHooksConfigured(internal(section))).toEqual({ configured: true, names: ['a', 'c'] });
  });

  it('is everything when older handlers are listed', () => {
    const section = { entries: { a: {} }, handlers: [{ event: 'command', module: 'x.js' }] };
    expect(internalHooksConfigured(internal(section))).toEqual({ configured: true, names: 'ALL' });
  });

  it('is nothing when all entries are disabled and the extra directories are blank', () => {
    const section = { entries: { a: { enabled: false } }, load: { extraDirs: ['  ', 3] } };
    expect(internalHooksConfigured(internal(section))).toEqual({ configured: false, names: [] });
  });

  it('is answered for any configuration', () => {
    forAll(
      [
        fc.record({
          enabled: fc.anything(),
          entries: fc.anything(),
          load: fc.anything(),
          installs: fc.anything(),
          handlers: fc.anything(),
        }),
      ],
      (section) => {
        const { configured, names } = internalHooksConfigured(internal(section));
        if (!configured) expect(names).toEqual([]);
      },
    );
  });
});
