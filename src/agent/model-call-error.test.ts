import { describe, expect, it } from 'vitest';
import { ModelCallError } from './errors.ts';

/** Every kind of failure that a model may end with. */
const KINDS = [
  'rate-limit',
  'overloaded',
  'auth',
  'bad-request',
  'context-length',
  'network',
  'timeout',
  'malformed',
  'server',
  'unknown',
];

describe('a model that did not answer', () => {
  it.each(KINDS)('is told with a next step: %s', (kind) => {
    const { message } = new ModelCallError({ provider: 'acme', model: 'one', kind, detail: 'It said no' });
    expect(message).toMatch(/It said no\. \S.*[.]$/);
    expect(message).toMatch(/Try again|choose another model|atrium |\/compact/);
  });
});
