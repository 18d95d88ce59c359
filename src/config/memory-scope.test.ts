import { expect, it } from 'vitest';
import { isMemoryDenied, type MemoryScope } from './memory-scope.ts';

const direct: MemoryScope = { default: 'deny', rules: [{ action: 'allow', match: { chatType: 'direct' } }] };

it.each([
  ['agent:main:main', false],
  ['agent:main:web:direct:tab', false],
  ['agent:main:chat:group:team', true],
  ['agent:main:chat:channel:news', true],
  ['agent:main:subagent:1', true],
  [undefined, true],
])('with direct conversations allowed, %s is denied: %s', (sessionKey, isDenied) => {
  expect(isMemoryDenied(direct, sessionKey)).toBe(isDenied);
});

it('is decided by the first rule that is about the session', () => {
  const rules: MemoryScope['rules'] = [
    { action: 'allow', match: { channel: 'chat', chatType: 'group' } },
    { action: 'deny', match: { keyPrefix: 'chat:' } },
  ];
  expect(isMemoryDenied({ rules }, 'agent:main:chat:group:team')).toBe(false);
  expect(isMemoryDenied({ rules }, 'agent:main:chat:direct:ann')).toBe(true);
  expect(isMemoryDenied({ rules }, 'agent:main:web:direct:tab')).toBe(false);
  expect(isMemoryDenied({ rules: rules.toReversed() }, 'agent:main:chat:group:team')).toBe(true);
  expect(
    isMemoryDenied({ rules: [{ action: 'deny', match: { rawKeyPrefix: 'agent:guest:' } }] }, 'agent:guest:main'),
  ).toBe(true);
});

it('denies nothing where it is not written', () => {
  expect(isMemoryDenied(undefined, 'agent:main:chat:group:team')).toBe(false);
  expect(isMemoryDenied({}, undefined)).toBe(false);
});
