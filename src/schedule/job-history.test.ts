import { expect, it } from 'vitest';
import { deliveryOf } from './job-history.ts';

it.each([
  [[], 'none'],
  [['sent', 'sent'], 'sent'],
  [['sent', 'suppressed'], 'suppressed'],
  [['sent', 'queued', 'suppressed'], 'queued'],
  [['sent', 'failed', 'queued'], 'failed'],
  [['sent', 'dead', 'failed', 'queued'], 'dead'],
] as const)('an answer whose parts are %j is %s', (parts, word) => {
  expect(deliveryOf(parts.map((status) => ({ status })))).toBe(word);
});
