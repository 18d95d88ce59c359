import { expect, it } from 'vitest';
import { HandlerAbortError, UnknownHookError } from './errors.ts';

it('offers the likely hook when there is one, and the catalog when there is none', () => {
  const close = new UnknownHookError({ hook: 'agent:bootstrp', suggestion: 'agent:bootstrap' });
  expect(close.message).toContain('Did you mean "agent:bootstrap"?');
  expect(new UnknownHookError({ hook: 'x', suggestion: undefined }).message).toContain('atrium docs hooks');
});

it('says how to go on without a handler that aborts', () => {
  const error = new HandlerAbortError({ hook: 'agent:bootstrap', id: 'mine', reason: 'boom' });
  expect(error.message).toContain('set its onError to "skip"');
});
