// A property that holds for all values of these kinds, in as few words as a test needs. It is tried 100 times, or as
// often as the test says. It fails when the function throws or gives false.

import fc from 'fast-check';

type Given = [unknown, ...unknown[]];
type Kinds<Values> = { readonly [Key in keyof Values]: fc.Arbitrary<Values[Key]> };
type Tried<Holds> = readonly [Holds] | readonly [number, Holds];

export function forAll<Values extends Given>(
  kinds: Kinds<Values>,
  ...tried: Tried<(...values: Values) => unknown>
): void {
  const [runs, holds] = tried.length === 1 ? [100, tried[0]] : tried;
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
  const [runs, holds] = tried.length === 1 ? [100, tried[0]] : tried;
  const all = fc.tuple(...kinds) as unknown as fc.Arbitrary<Values>;
  await fc.assert(
    fc.asyncProperty(all, async (values) => (await holds(...values)) !== false),
    { numRuns: runs },
  );
}
