import { expect, it } from 'vitest';
import { peerIdOf } from './receive-once.ts';

it('leaves plain names as they are', () => {
  for (const name of ['ana', 'ana@example.org', 'a-b.c', 'once-0123456789abcdef']) {
    expect(peerIdOf(name)).toBe(name);
  }
});

it('gives no two users the same name', () => {
  const users = ['ana', 'Ana', 'ANA', 'a:na', '\u6f22', '\u5b57'];
  const ids = users.map(peerIdOf);
  // Names that a user chose because they equal the names that others were given.
  const all = [...ids, ...ids.filter((id) => !users.includes(id)).map(peerIdOf)];
  expect(new Set(all).size).toBe(all.length);
});
