import { expect, it } from 'vitest';
import { checkUrl, describePlace } from './describe-place.ts';

it('names a database without its user and password', () => {
  expect(describePlace('postgres://atrium:secret@db.internal:5432/atrium?sslmode=verify-full', 'atrium')).toBe(
    'postgres db.internal:5432/atrium',
  );
});

it('refuses an address of something else with a sentence that tells no secret', () => {
  const refusal = (url: string) => {
    try {
      checkUrl(url, 'postgres');
    } catch (error) {
      return (error as Error).message;
    }
    return undefined;
  };
  expect(refusal('postgresql://atrium@/postgres?host=%2Frun')).toBeUndefined();
  expect(refusal('mysql://atrium:secret@db/atrium')).toBe(
    'The store postgres failed: its address begins with "mysql://", and not with "postgres://". Write store.url as "postgres://user:password@host:5432/name".',
  );
  expect(refusal('secret@db/atrium')).toMatch(/its address begins with no word such as "postgres:\/\/"\./);
});
