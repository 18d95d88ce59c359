// A property that holds for all values of these kinds, in as few words as a test needs. It is tried 100 times, or as
// often as the test says; the tests of the inner loop try a share of that (`vitest.fast.config.ts`). It fails when the
// function throws or gives false.

import fc from 'fast-check';
import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Which share of its tries a property is given. Undefined means all. */
    readonly shareOfTries?: number;
  }
}

type Given = [unknown, ...unknown[]];
type Kinds<Values> = { readonly [Key in keyof Values]: fc.Arbitrary<Values[Key]> };
type Tried<Holds> = readonly [Holds] | readonly [number, Holds];

export function forAll<Values extends Given>(
  kinds: Kinds<Values>,
  ...tried: Tried<(...values: Values) => unknown>
): void {
  const [runs, holds] = triesOf(tried);
  const all = fc.tuple(...kinds) as unknown as fc.Arbitrary<Values>;
  fc.assert(
    fc.property(all, (values) => holds(...values) !== false),
    { numRuns: runs },
  );
}

export async function forAllAsync<Values extends Given>(
  kinds: Kinds<Values>,
  ...tried: Tried<(...values: Values) => Promise<unknown>>
): Promise<void> {
  const [runs, holds] = triesOf(tried);
  const all = fc.tuple(...kinds) as unknown as fc.Arbitrary<Values>;
  await fc.assert(
    fc.asyncProperty(all, async (values) => (await holds(...values)) !== false),
    { numRuns: runs },
  );
}

function triesOf<Holds>(tried: Tried<Holds>): readonly [number, Holds] {
  const [runs, holds] = tried.length === 1 ? [100, tried[0]] : tried;
  return [Math.ceil(runs * (inject('shareOfTries') ?? 1)), holds];
}
