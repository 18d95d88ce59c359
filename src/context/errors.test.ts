import { expect, it } from 'vitest';
import { KeptSectionsOverBudgetError, KeptSectionsOverTokenBudgetError } from './errors.ts';

it('says by how much kept sections are too long', () => {
  const error = new KeptSectionsOverBudgetError({
    file: 'AGENTS.md',
    neededChars: 130,
    availableChars: 100,
    setting: 'bootstrapMaxChars',
  });
  expect(error.overBy).toBe(30);
  expect(error.message).toContain('30 more than the 100 allowed');
  const tokens = new KeptSectionsOverTokenBudgetError({
    files: ['AGENTS.md', 'SOUL.md'],
    neededTokens: 50,
    availableTokens: 40,
  });
  expect(tokens.overBy).toBe(10);
  expect(tokens.message).toContain('AGENTS.md, SOUL.md');
});
