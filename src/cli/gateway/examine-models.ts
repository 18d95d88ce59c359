// What `atrium doctor` says about models: whether each agent's models can be used at all and, when asked to, whether they
// answer. An unknown provider, an unknown protocol or a missing key is wrong, with the next step.

import { listAgentIds } from '../../config/agents.ts';
import { withConfigVariables } from '../../config/config-variables.ts';
import type { LoadedConfig } from '../../config/load-config.ts';
import { formatModelRef, resolveModelChoice } from '../../config/model-choice.ts';
import { listUnspokenApis, resolveProvider } from '../../config/model-provider.ts';
import type { CliIo } from '../cli-io.ts';
import type { Section } from './doctor-section.ts';

export async function examineModels(loaded: LoadedConfig, io: CliIo, isLive: boolean): Promise<Section> {
  const { config } = loaded;
  const environment = withConfigVariables(io.environment, loaded);
  const refs = listAgentIds(config).flatMap((agentId) => {
    const { primary, fallbacks } = resolveModelChoice(config, agentId, environment.variables);
    return [primary, ...fallbacks].map((ref) => ({ ...ref, agentId }));
  });
  const models = [...new Map(refs.map((ref) => [formatModelRef(ref), ref])).values()];
  const problems = new Set<string>();
  const isUsable = (provider: string, agentId?: string, model?: string) => {
    try {
      resolveProvider(config, provider, environment.variables, agentId, model);
      return true;
    } catch (error) {
      problems.add((error as Error).message);
      return false;
    }
  };
  for (const { provider, agentId, model } of refs) isUsable(provider, agentId, model);
  const usable = models.filter(({ provider, agentId, model }) => isUsable(provider, agentId, model));
  // Such a provider can never be used, so it is reported although no agent asks for it now.
  for (const { provider } of listUnspokenApis(config)) isUsable(provider);
  const { listParamsNotTaken } = await import('../../gateway/models/list-params-not-taken.ts');
  const remarks = [...(await listParamsNotTaken(config, environment))];
  if (isLive) {
    const [{ ModelRegistry }, { askModel }] = await Promise.all([
      import('../../gateway/models/model-registry.ts'),
      import('../../gateway/models/ask-model.ts'),
    ]);
    const registry = new ModelRegistry(config, environment);
    for (const ref of usable) {
      const { ok, ms, usage, problem } = await askModel(registry, ref);
      if (ok)
        remarks.push(`${formatModelRef(ref)} answered after ${ms} ms (${usage.input} tokens in, ${usage.output} out).`);
      else problems.add(`${formatModelRef(ref)} did not answer: ${problem}`);
    }
  }
  return { name: 'models', finding: models.map(formatModelRef).join(', '), problems: [...problems], remarks };
}
