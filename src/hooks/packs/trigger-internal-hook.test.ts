import { describe, expect, it } from 'vitest';
import type { InternalHookEvent } from '../../protocol/bootstrap-event.ts';
import { type InternalHookFailure, triggerInternalHook } from './trigger-internal-hook.ts';

function commandNew(): InternalHookEvent {
  const shared = { sessionKey: 'agent:main:main', context: {}, timestamp: new Date(0) };
  return { type: 'command', action: 'new', messages: [], ...shared };
}

describe('triggering an internal hook', () => {
  it('waits for each handler before the next, the general ones first', async () => {
    const event = commandNew();
    const says = (word: string, ms: number) => async () => {
      await new Promise((done) => setTimeout(done, ms));
      event.messages.push(word);
    };
    const registrations = [
      { owner: 'a', events: ['command:new'], handler: says('quick', 0) },
      { owner: 'b', events: ['command'], handler: says('slow', 15) },
      { owner: 'c', events: ['command', 'command:new'], handler: says('both', 0) },
    ];
    await triggerInternalHook(registrations, event, () => {});
    expect(event.messages).toEqual(['slow', 'both', 'quick', 'both']);
  });

  it('reports who failed, on which event, and goes on', async () => {
    const event = commandNew();
    const failures: InternalHookFailure[] = [];
    const registrations = [
      { owner: 'throws', events: ['command:new'], handler: () => Promise.reject('no') },
      { owner: 'works', events: ['command:new'], handler: () => event.messages.push('done') },
    ];
    await triggerInternalHook(registrations, event, (failure) => failures.push(failure));
    expect(failures).toEqual([{ owner: 'throws', event: 'command:new', error: 'no' }]);
    expect(event.messages).toEqual(['done']);
  });
});
