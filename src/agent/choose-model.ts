// Chooses the model of a run: the one that a plugin asks for, else the one in the configuration, followed by the
// fallbacks. The compatibility hook `before_agent_start` is called here, once; what it says about the prompt is used
// later.

import type { HookAnswer } from '../hooks/runner.ts';
import type { Model } from '../models/model.ts';
import { type AttachmentRef, kindOfMime } from '../protocol/attachment.ts';
import { isAtriumError } from '../protocol/errors.ts';
import type { ModelRef } from '../protocol/model-ref.ts';
import { askedModels, isChosenByPerson, modelsOfRun } from './asked-models.ts';
import { askingIn, type DraftMode, type RunSubject } from './draft-request.ts';
import type { DraftParts } from './run-parts.ts';
import { toldHistory } from './told-history.ts';

export interface ChosenModel {
  readonly model: Model;
  readonly fallbacks: readonly ModelRef[];
  /** What the compatibility hook says about the prompt, which is used later. */
  readonly legacy: HookAnswer<'before_agent_start'>;
  readonly placeholders: readonly string[];
}

export async function chooseModel(parts: DraftParts, run: RunSubject, mode: DraftMode): Promise<ChosenModel> {
  const { hooks } = parts;
  const options = { signal: run.signal, ...askingIn(mode) };
  const resolved = await hooks.run(
    'before_model_resolve',
    { prompt: run.text, attachments: (run.inbound.attachments ?? []).map(attachmentFacts) },
    run.context,
    options,
  );
  const started = await hooks.run(
    'before_agent_start',
    { prompt: run.text, runId: run.runId, messages: toldHistory(parts.hooks, 'before_agent_start', run) },
    run.context,
    options,
  );

  const { model: wished } = run.inbound.wishes ?? {};
  if (wished !== undefined) parts.models.checkWished(run.agentId, wished);
  const configured = modelsOfRun(parts.models, run);
  const wanted = mode === 'run' ? askedModels(run) : [];
  if (wanted.length > 0) {
    for (const name of parts.models.refusedAnew(run.agentId, wanted)) {
      parts.warn(
        `The model "${name}" was asked for in ${run.sessionKey} and is not among those that may be chosen. The configured model answers instead, here and in later runs.`,
      );
    }
  }
  const asked = overrideOf({ ...started.result, ...resolved.result }, configured);
  const candidates = asked ? [asked, ...configured.filter((ref) => !sameRef(ref, asked))] : configured;
  const { model, fallbacks, unusable } = await firstUsable(parts, run.agentId, candidates);
  if (asked && mode === 'run' && unusable.includes(asked)) warnOfOverride(parts, [resolved, started], asked);
  return {
    model,
    fallbacks: isChosenByPerson(parts.models, run, model) ? [] : fallbacks,
    legacy: started,
    placeholders: [...resolved.skipped, ...started.skipped],
  };
}

/** What a handler learns about a file: what it is, and nothing of its content. */
function attachmentFacts({ mime }: AttachmentRef): { readonly kind: string; readonly mimeType: string } {
  return { kind: kindOfMime(mime), mimeType: mime };
}

/** `modelOverride` may name the provider too, as `provider/model`. An empty text does not override. */
function overrideOf(
  {
    modelOverride,
    providerOverride,
  }: { readonly modelOverride?: string | undefined; readonly providerOverride?: string | undefined },
  [first]: readonly ModelRef[],
): ModelRef | undefined {
  if (!modelOverride && !providerOverride) return undefined;
  const slash = modelOverride?.indexOf('/') ?? -1;
  if (modelOverride && !providerOverride && slash > 0) {
    return { provider: modelOverride.slice(0, slash), model: modelOverride.slice(slash + 1) };
  }
  const provider = providerOverride || first?.provider;
  const model = modelOverride || first?.model;
  return provider && model ? { provider, model } : undefined;
}

/**
 * A model without a key or a provider is skipped while there is another. When none is usable, the error of the first
 * one is thrown.
 */
export async function firstUsable(
  parts: Pick<DraftParts, 'models'>,
  agentId: string,
  candidates: readonly ModelRef[],
): Promise<{ model: Model; fallbacks: readonly ModelRef[]; unusable: readonly ModelRef[] }> {
  let failure: unknown;
  for (const [index, ref] of candidates.entries()) {
    try {
      const model = await parts.models.model(ref, agentId);
      return { model, fallbacks: candidates.slice(index + 1), unusable: candidates.slice(0, index) };
    } catch (error) {
      if (!isAtriumError(error)) throw error;
      failure ??= error;
    }
  }
  throw failure;
}

/** A plugin asked for a model that cannot be used; the run goes on with the configured one. */
function warnOfOverride(
  { warn }: DraftParts,
  answers: readonly Pick<HookAnswer<'before_agent_start'>, 'contributions'>[],
  { provider, model }: ModelRef,
): void {
  const by = answers
    .flatMap(({ contributions }) => contributions)
    .find(({ field }) => field === 'providerOverride' || field === 'modelOverride');
  warn(
    `The plugin "${by?.owner ?? 'unknown'}" asks for the model ${provider}/${model}, which cannot be used: there is no such provider, or no key for it. The configured model answers instead.`,
  );
}

function sameRef(a: ModelRef, b: ModelRef): boolean {
  return a.provider === b.provider && a.model === b.model;
}
