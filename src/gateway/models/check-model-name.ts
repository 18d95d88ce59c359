// Whether there is a model of the name that a person gave: a list has it, or its provider has no list. A wrong name is answered
// with the one that was probably meant, among the models of all providers. No provider is asked, and no key is needed.

import { UnknownModelError } from '../../config/errors.ts';
import { formatModelRef, parseModelRef } from '../../config/model-choice.ts';
import { unknownProvider } from '../../config/model-provider.ts';
import type { Config } from '../../config/schema.ts';
import type { ModelRef } from '../../protocol/model-ref.ts';
import { nearMatch } from '../../protocol/near-match.ts';
import { knownModelNames, listableProviders } from './list-models.ts';

/** Rejects with UnknownProviderError or UnknownModelError. */
export async function checkModelName(name: string, config: Config, stateDir: string | undefined): Promise<ModelRef> {
  const ref = parseModelRef(name, config);
  if (!listableProviders({ config }).includes(ref.provider)) throw unknownProvider(config, ref.provider);
  const names = await knownModelNames({ config }, { stateDir }, ref.provider);
  if (names.length === 0 || names.includes(ref.model)) return ref;
  throw new UnknownModelError({ ...ref, suggestion: await findMeant(ref, config, stateDir) });
}

/** The same name at another provider comes first, then a similar one of this provider, then a similar one of any. */
async function findMeant(
  { provider, model }: ModelRef,
  config: Config,
  stateDir: string | undefined,
): Promise<string | undefined> {
  const refs: ModelRef[] = [];
  for (const each of listableProviders({ config })) {
    for (const id of await knownModelNames({ config }, { stateDir }, each)) refs.push({ provider: each, model: id });
  }
  const own = refs.filter((ref) => ref.provider === provider);
  const near = (among: readonly ModelRef[]) => {
    const id = nearMatch(
      model,
      among.map((ref) => ref.model),
    );
    return among.find((ref) => ref.model === id);
  };
  const meant = refs.find((ref) => ref.model.toLowerCase() === model.toLowerCase()) ?? near(own) ?? near(refs);
  return meant && formatModelRef(meant);
}
