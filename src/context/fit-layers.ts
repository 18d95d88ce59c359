// Shares the budget among the layers of a prompt. Files come first, in a total that does not depend on what handlers add
// for this session or run; those additions share what is left. Otherwise the length of a passing text would move the cuts
// of the files, and with them the cached prefix.

import { type BudgetEntry, type FittedBudget, type FittedEntry, fitBudget } from './budget/fit-budget.ts';
import { findKeptSections } from './budget/keep-sections.ts';
import type { TextRange } from './budget/trim-piece.ts';
import type { ComposeInput, ContextPolicy, Layer } from './composition.ts';
import { KeptSectionsOverBudgetError, KeptSectionsOverTokenBudgetError } from './errors.ts';
import { fittedRope } from './fitted-rope.ts';
import { ropeText } from './provenance/rope.ts';
import { countTokens } from './report/count-tokens.ts';

/** How much of the total is set aside for text that changes by session or run, and the least total that is worth dividing. */
const PASSING_RESERVE = { share: 0.1, maxChars: 2_000, fromTotal: 100 };

/** Returns the fitted text of each layer. A layer without an entry found no room at all. */
export function fitLayers(
  layers: readonly Layer[],
  input: ComposeInput,
  warnings: string[],
): ReadonlyMap<Layer, FittedEntry> {
  const { policy } = input;
  const isDivided = policy.totalMaxChars >= PASSING_RESERVE.fromTotal && input.handlers.list().some(isPassing);
  const standing = isDivided ? layers.filter((layer) => !isPassingLayer(layer)) : layers;
  const passing = isDivided ? layers.filter(isPassingLayer) : [];
  const reserve = isDivided
    ? Math.min(PASSING_RESERVE.maxChars, Math.floor(policy.totalMaxChars * PASSING_RESERVE.share))
    : 0;

  const fittedStanding = fitStanding(
    standing,
    standing.map((layer) => toEntry(layer, input, warnings)),
    policy,
    reserve,
  );
  const left = {
    ...policy,
    totalMaxChars: policy.totalMaxChars - sumOf(fittedStanding.entries, (entry) => entry.injectedChars),
    maxTokens:
      policy.maxTokens === undefined
        ? undefined
        : Math.max(0, policy.maxTokens - countFitted(standing, fittedStanding)),
  };
  const passingEntries = passing.map((layer) => toEntry(layer, input, warnings));
  // With no token left, only sections that must be kept are tried, so that composing fails because of them.
  const hasRoom = left.totalMaxChars > 0 && (left.maxTokens !== 0 || passingEntries.some(hasKeptSections));
  const fittedPassing = hasRoom ? fitEntries(passing, passingEntries, left) : { entries: [], warnings: [] };
  warnings.push(...fittedStanding.warnings, ...fittedPassing.warnings);
  return new Map([...pairUp(standing, fittedStanding), ...pairUp(passing, fittedPassing)]);
}

function hasKeptSections(entry: BudgetEntry): boolean {
  return !entry.missing && (entry.keep?.length ?? 0) > 0;
}

function isPassing({ stability }: { readonly stability?: string | undefined }): boolean {
  return stability === 'session' || stability === 'run';
}

/**
 * A file on disk is lasting text, even if it is rendered below the boundary. Text that only a handler brought may be
 * temporary.
 */
function isPassingLayer(layer: Layer): boolean {
  return isPassing(layer) && layer.file?.source === undefined && !layer.file?.missing;
}

/** Sections that must be kept count before the reserve. */
function fitStanding(
  layers: readonly Layer[],
  entries: readonly BudgetEntry[],
  policy: ContextPolicy,
  reserve: number,
): FittedBudget {
  if (reserve === 0) return fitEntries(layers, entries, policy);
  const { totalMaxChars, maxTokens } = policy;
  const reservedTokens = maxTokens === undefined ? 0 : Math.floor(maxTokens * PASSING_RESERVE.share);
  const narrowed = {
    ...policy,
    totalMaxChars: totalMaxChars - reserve,
    maxTokens: maxTokens === undefined ? undefined : maxTokens - reservedTokens,
  };
  try {
    return fitEntries(layers, entries, narrowed);
  } catch (error) {
    if (error instanceof KeptSectionsOverBudgetError || error instanceof KeptSectionsOverTokenBudgetError) {
      return fitEntries(layers, entries, policy);
    }
    throw error;
  }
}

function pairUp(layers: readonly Layer[], { entries }: Pick<FittedBudget, 'entries'>): [Layer, FittedEntry][] {
  return layers.flatMap((layer, index) =>
    entries[index] ? [[layer, entries[index]] satisfies [Layer, FittedEntry]] : [],
  );
}

function sumOf<Item>(items: readonly Item[], measure: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + measure(item), 0);
}

/**
 * The report counts tokens span by span and so rounds up more often. The numbers that it shows must keep the limit too.
 */
function fitEntries(layers: readonly Layer[], entries: readonly BudgetEntry[], policy: ContextPolicy): FittedBudget {
  const { policyDigest, maxTokens } = policy;
  const fitted = fitBudget(entries, policy, { policyDigest });
  if (maxTokens === undefined) return fitted;
  let best = fitted;
  let limit = maxTokens;
  for (let over = countFitted(layers, best) - maxTokens; over > 0 && limit > over; ) {
    limit -= over;
    try {
      best = fitBudget(entries, { ...policy, maxTokens: limit }, { policyDigest });
    } catch (error) {
      if (error instanceof KeptSectionsOverTokenBudgetError) break;
      throw error;
    }
    over = countFitted(layers, best) - maxTokens;
  }
  return best;
}

function countFitted(layers: readonly Layer[], { entries }: FittedBudget): number {
  return layers.reduce((sum, layer, index) => {
    const entry = entries[index];
    return entry ? sum + countTokens(fittedRope(layer, entry)) : sum;
  }, 0);
}

function toEntry(layer: Layer, input: ComposeInput, warnings: string[]): BudgetEntry {
  const { policy } = input;
  const rank = policy.priority.indexOf(layer.file?.name ?? layer.liftedFrom?.file ?? layer.title);
  const base = {
    name: layer.file?.name ?? layer.title,
    path: layer.file?.path ?? layer.title,
    priority: rank === -1 ? undefined : rank,
  };
  if (layer.file?.missing) {
    const marker =
      layer.file.absence?.reason === 'unreadable'
        ? `[UNREADABLE] Present but not readable: ${layer.file.path}`
        : undefined;
    return { ...base, missing: true, marker };
  }
  const text = ropeText(layer.rope);
  return { ...base, text, keep: keptSections(layer, text, policy.keep, warnings) };
}

/** More warnings of this kind would not tell more. */
const MAX_STRAY_WARNINGS = 5;

/** Selectors name a file as the prompt does, so `AGENTS.md#Safety` means the one in the workspace and no nested one. */
function keptSections(
  layer: Layer,
  text: string,
  selectors: readonly string[],
  warnings: string[],
): readonly TextRange[] {
  const name = layer.title;
  // Looking for headings costs more than everything else here, and most files have no kept sections.
  const isNamed = selectors.some((selector) => selector.toLowerCase().startsWith(`${name.toLowerCase()}#`));
  if (layer.liftedFrom || (!isNamed && !text.includes('<!--'))) return [];
  const found = findKeptSections(name, text, selectors);
  for (const selector of found.unmatchedSelectors)
    warnings.push(`bootstrap.keep names ${selector}, but ${name} has no such heading`);
  for (const line of found.strayKeepLines.slice(0, MAX_STRAY_WARNINGS))
    warnings.push(`${name} line ${line}: no heading follows this keep comment, so it keeps nothing`);
  return found.ranges;
}
