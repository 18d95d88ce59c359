import { describe, expect, it } from 'vitest';
import type { BeforeInstallEvent } from '../../hooks/lifecycle-hooks.ts';
import { HookRunner } from '../../hooks/runner.ts';
import { on } from '../../testkit/on.ts';
import { checkInstall } from './check-install.ts';

const event: BeforeInstallEvent = {
  targetType: 'plugin',
  targetName: 'greeter',
  sourcePath: '/staging/package',
  sourcePathKind: 'directory',
};
const context = { targetType: 'plugin', requestKind: 'plugin-npm' } as const;
const finding = { ruleId: 'odd', severity: 'warn', file: 'index.js', line: 3, message: 'It looks odd.' } as const;

type Answer = () => object | undefined | Promise<object | undefined>;

async function verdictOf(...answers: readonly Answer[]) {
  const hooks = new HookRunner();
  for (const [index, handler] of answers.entries()) {
    const owner = `guard-${index + 1}`;
    on(hooks, 'before_install', { owner, timeoutMs: 50 }, handler);
  }
  return checkInstall(hooks, event, context);
}

describe('whether something may be installed', () => {
  it('is no question when no plugin listens', async () => {
    expect(await verdictOf()).toEqual({ refusal: null, findings: [], asked: 0 });
  });

  it('is allowed when no plugin objects, with the findings', async () => {
    const verdict = await verdictOf(
      () => ({ findings: [finding] }),
      () => undefined,
      () => ({ block: false, findings: [finding] }),
    );
    expect(verdict).toEqual({ refusal: null, findings: [finding, finding], asked: 3 });
  });

  it('is refused by the first who blocks, in their words', async () => {
    const verdict = await verdictOf(
      () => ({ block: true, blockReason: 'Not on this machine.' }),
      () => ({ findings: [finding] }),
    );
    expect(verdict).toEqual({ refusal: { by: 'guard-1', reason: 'Not on this machine.' }, findings: [], asked: 1 });
  });

  it('is refused when a plugin fails, takes too long, or answers what cannot be understood', async () => {
    const failures: readonly Answer[] = [
      () => {
        throw new Error('boom');
      },
      () => Promise.reject(new Error('boom')),
      () => new Promise(() => {}),
      () => ({ block: 'perhaps' }),
    ];
    for (const failure of failures) {
      const { refusal } = await verdictOf(() => ({ findings: [finding] }), failure);
      expect(refusal).toEqual({ by: 'guard-2', reason: expect.stringMatching(/\S/) });
    }
  });
});
