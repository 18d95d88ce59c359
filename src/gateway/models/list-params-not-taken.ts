// Which `params` of the configuration a model does not take: they are left out of every request, because a model that was
// chosen later has to answer too. Each model is asked for the bytes of a request, and nothing is sent. A model that cannot be
// used is passed over here; others say why.

import { listAgentIds, resolveAgentDefaults } from '../../config/agents.ts';
import type { EnvironmentVariables } from '../../config/home-dir.ts';
import { formatModelRef, parseModelRef, resolveModelChoice } from '../../config/model-choice.ts';
import { type ModelParams, resolveModelParams } from '../../config/model-params.ts';
import { isPlainObject } from '../../config/plain-object.ts';
import type { Config } from '../../config/schema.ts';
import { AnswerWishError } from '../../models/errors.ts';
import type { Model } from '../../models/model.ts';
import { ModelRegistry } from './model-registry.ts';

/** Sentences for people, each once. */
export async function listParamsNotTaken(
  config: Config,
  environment: { readonly variables: EnvironmentVariables; readonly stateDir?: string },
): Promise<readonly string[]> {
  const registry = new ModelRegistry(config, environment);
  const ofAgents = listAgentIds(config).flatMap((agentId) => {
    const { primary, fallbacks } = resolveModelChoice(config, agentId, environment.variables);
    return [primary, ...fallbacks].map((ref) => ({ ref, agentId }));
  });
  const { models } = resolveAgentDefaults(config);
  const listed = Object.entries(isPlainObject(models) ? models : {})
    .filter(([name, entry]) => !name.endsWith('/*') && isPlainObject(entry) && entry.params !== undefined)
    .map(([name]) => ({ ref: parseModelRef(name, config), agentId: undefined }));
  const sentences = new Set<string>();
  for (const { ref, agentId } of [...ofAgents, ...listed]) {
    const params = resolveModelParams(config, ref, agentId);
    if (params.temperature === undefined && params.topP === undefined) continue;
    const model = await registry.model(ref, agentId).catch(() => undefined);
    for (const { name, value, why } of model ? await gapsOf(model, params) : [])
      sentences.add(`params.${name} ${value} is left out for ${formatModelRef(ref)}: ${why}.`);
  }
  return [...sentences];
}

interface ParamGap {
  readonly name: 'temperature' | 'topP';
  readonly value: number;
  readonly why: string;
}

/** In the order in which a request takes them: the second may be one that the model does not take beside the first. */
async function gapsOf(model: Model, params: ModelParams): Promise<readonly ParamGap[]> {
  const gaps: ParamGap[] = [];
  let taken: Pick<ModelParams, 'temperature' | 'topP'> = {};
  for (const name of ['temperature', 'topP'] as const) {
    const value = params[name];
    if (value === undefined) continue;
    const wishes = { ...taken, [name]: value };
    try {
      await model.prepare({ system: [], tools: [], messages: [{ role: 'user', content: '.' }], wishes });
      taken = wishes;
    } catch (error) {
      if (!(error instanceof AnswerWishError)) throw error;
      gaps.push({ name, value, why: error.why });
    }
  }
  return gaps;
}
