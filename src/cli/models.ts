// `atrium models`: which models there are and who uses them, choosing one, trying one, and asking providers for their lists.

import { agentPathOf } from '../config/agents.ts';
import type { ConfigPath } from '../config/config-path.ts';
import { formatConfigPath, valueAt } from '../config/config-path.ts';
import { withConfigVariables } from '../config/config-variables.ts';
import { resolveConfigFileToEdit, setConfigValue } from '../config/edit-config.ts';
import type { Environment } from '../config/environment.ts';
import { UnknownModelError } from '../config/errors.ts';
import { type LearnedList, writeLearnedModels } from '../config/learned-models.ts';
import { type LoadedConfig, loadConfig } from '../config/load-config.ts';
import { CATALOG_DATE } from '../config/model-catalog/catalog-source.ts';
import { formatModelRef, parseModelRef, resolveModelChoice, spelledAsConfigured } from '../config/model-choice.ts';
import { configuredProviders, knownProviders, MIRROR_PROVIDER, resolveProvider } from '../config/model-provider.ts';
import { isPlainObject } from '../config/plain-object.ts';
import { askModel } from '../gateway/models/ask-model.ts';
import { checkModelName } from '../gateway/models/check-model-name.ts';
import { fetchModels } from '../gateway/models/fetch-models.ts';
import { type ListedModel, listModels } from '../gateway/models/list-models.ts';
import { ModelRegistry } from '../gateway/models/model-registry.ts';
import { countOf } from '../protocol/count-of.ts';
import type { ModelRef } from '../protocol/model-ref.ts';
import { resolveAgent } from './agents/resolve-agent.ts';
import type { CliIo } from './cli-io.ts';
import { type CliCommand, command } from './command.ts';
import { CONFIG_OPTION, EDITED_CONFIG_OPTION } from './common-options.ts';
import { tellFollowing } from './config/tell-following.ts';
import { ModelNotWrittenError } from './errors.ts';
import { type Columns, formatTable } from './output/format-table.ts';
import { line, oneLine } from './output/text.ts';

export const MODEL_COMMANDS: readonly CliCommand[] = [
  command({
    path: 'models list',
    summary: 'list the models that agents use and the configuration names: window, prices, key, who uses them',
    options: {
      '--all': 'also every model that the catalog or a refreshed list has',
      '--provider <name>': 'only of this provider, with every model that is known of it',
      ...CONFIG_OPTION,
    },
    about: `Prices are in dollars for a million tokens of input and output. Those of the built-in catalog are of ${CATALOG_DATE}; those of the configuration count before them.`,
    examples: ['models list', 'models list --provider groq', 'models list --all --json'],
    async run({ all, provider, config }, { io }) {
      const { loaded, environment } = await load(io, config);
      const named = provider === undefined ? undefined : spelledAsConfigured(provider, loaded.config);
      const models = await listModels(loaded, environment, { all: all === true, provider: named });
      return { json: { models }, text: (width) => formatModels(models, width) };
    },
  }),
  command({
    path: 'models set',
    summary: 'choose the model of all agents, or of one; comments in the configuration survive',
    args: { '<name>': 'provider/model, or an alias' },
    options: {
      '--agent <id>': 'only for this agent (default: the common model of all agents)',
      '--force': 'write it although no list has such a model',
      ...EDITED_CONFIG_OPTION,
    },
    examples: ['models set anthropic/claude-sonnet-4-6', 'models set --agent helper ollama/qwen3'],
    notes: 'Exit code: 2 when nothing was written.',
    async run({ name, agent, force, config }, { io }) {
      const { loaded, environment } = await load(io, config);
      const ref = force === true ? parseModelRef(name, loaded.config) : await known(name, loaded, environment);
      const missingKey = usability(loaded, environment, ref.provider);
      const at = modelPath(loaded, environment, agent);
      const location = { environment: io.environment, configPath: config };
      const file = await resolveConfigFileToEdit(location, at);
      const written = formatModelRef(ref);
      await setConfigValue(file, at, written, (draft) => loadConfig({ ...location, draft }));
      const warnings = missingKey === undefined ? [] : [`warning: ${missingKey}`];
      const remarks = await tellFollowing(io, file, at);
      const did = `Wrote ${formatConfigPath(at)} = ${written} to ${file}. "atrium models test ${written}" tries it.`;
      return {
        json: { setting: formatConfigPath(at), model: written, file, warnings, remarks },
        text: [did, ...remarks].map(line).join(''),
        warnings,
      };
    },
  }),
  command({
    path: 'models test',
    summary: 'ask a model one short question, and say how long it took and what it used',
    args: { '[name]': 'provider/model, or an alias (default: the model of the default agent)' },
    options: { '--agent <id>': 'the model of this agent', ...CONFIG_OPTION },
    examples: ['models test', 'models test google/gemini-2.5-flash'],
    notes: 'Exit code: 0 when the model answered, 1 when it did not.',
    async run({ name, agent, config }, { io }) {
      const { loaded, environment } = await load(io, config);
      const { agentId } = resolveAgent(loaded.config, environment, agent);
      const ref =
        name === undefined
          ? resolveModelChoice(loaded.config, agentId, environment.variables).primary
          : parseModelRef(name, loaded.config);
      const trial = await askModel(new ModelRegistry(loaded.config, environment), ref);
      const { ok, ms, usage, problem, text } = trial;
      const sentence = ok
        ? `${formatModelRef(ref)} answered after ${ms} ms (${usage.input} tokens in, ${usage.output} out): ${oneLine(text) || '(it was still thinking)'}`
        : `${formatModelRef(ref)} did not answer: ${problem}`;
      return { json: trial, text: `${oneLine(sentence)}\n`, ok };
    },
  }),
  command({
    path: 'models refresh',
    summary: 'ask providers which models they have, and remember what they say',
    args: { '[provider]': 'only this one (default: every provider that is configured or has a key)' },
    options: CONFIG_OPTION,
    about:
      'Names, windows and limits are stored with the time, below the state directory. Prices are never taken from a list.',
    examples: ['models refresh', 'models refresh ollama'],
    notes: 'Exit code: 1 when a provider gave no list.',
    async run({ provider, config }, { io, say }) {
      const { loaded, environment } = await load(io, config);
      const names = provider === undefined ? refreshable(loaded, environment) : [provider.toLowerCase()];
      if (names.length === 0) say('No provider is configured and no key was found, so there is no provider to ask.');
      const lists: Record<string, LearnedList> = {};
      const results = [];
      for (const name of names) {
        const fetched = await fetchModels(resolveProvider(loaded.config, name, environment.variables));
        if ('problem' in fetched) {
          results.push({ provider: name, models: null, problem: fetched.problem });
          say(fetched.problem);
        } else {
          lists[name] = { at: io.now().toISOString(), models: fetched.models };
          results.push({ provider: name, models: fetched.models.length, problem: null });
          say(`${name}: ${countOf(fetched.models.length, 'model')}`);
        }
      }
      const file = Object.keys(lists).length === 0 ? null : await writeLearnedModels(environment.stateDir, lists);
      return {
        json: { file, providers: results },
        text: file === null ? '' : `Stored in ${file}.\n`,
        ok: results.every(({ problem }) => problem === null),
      };
    },
  }),
];

async function load(io: CliIo, configPath: string | undefined) {
  const loaded = await loadConfig({ environment: io.environment, configPath, runsCommands: true });
  return { loaded, environment: withConfigVariables(io.environment, loaded) };
}

/** Mirror asks no server, so it has no list. A provider on this machine is asked only when it is configured or named. */
function refreshable({ config }: LoadedConfig, { variables }: Environment): readonly string[] {
  const names = [...new Set([...configuredProviders(config), ...knownProviders()])];
  return names.filter((name) => {
    if (name === MIRROR_PROVIDER) return false;
    if (configuredProviders(config).includes(name)) return true;
    try {
      return resolveProvider(config, name, variables).apiKey !== undefined;
    } catch {
      return false;
    }
  });
}

async function known(name: string, { config }: LoadedConfig, { stateDir }: Environment): Promise<ModelRef> {
  try {
    return await checkModelName(name, config, stateDir);
  } catch (error) {
    if (error instanceof UnknownModelError) throw new ModelNotWrittenError({ problem: error.message });
    throw error;
  }
}

/** A key may be set later, so it is a warning; a provider that is not known, or settings that cannot work, are errors. */
function usability({ config }: LoadedConfig, { variables }: Environment, provider: string): string | undefined {
  try {
    resolveProvider(config, provider, variables);
    return undefined;
  } catch (error) {
    if ((error as { code?: string }).code === 'ATRIUM_MODEL_KEY_MISSING') return (error as Error).message;
    throw error;
  }
}

/** Where the choice stands: a text, or the first choice of an object that also names fallbacks. */
function modelPath(loaded: LoadedConfig, environment: Environment, agent: string | undefined): ConfigPath {
  const { config } = loaded;
  const base: ConfigPath =
    agent === undefined ? ['agents', 'defaults', 'model'] : agentPath(loaded, environment, agent);
  return isPlainObject(valueAt(config, base)) ? [...base, 'primary'] : base;
}

/** The default agent may have no entry; then the common choice is its own. */
function agentPath({ config }: LoadedConfig, environment: Environment, agent: string): ConfigPath {
  const { agentId } = resolveAgent(config, environment, agent);
  const path = agentPathOf(config, agentId);
  return path === undefined ? ['agents', 'defaults', 'model'] : [...path, 'model'];
}

function formatModels(models: readonly ListedModel[], width: number): string {
  if (models.length === 0) return 'No model is known there. "atrium models refresh" asks the providers.\n';
  const columns: Columns<ListedModel> = {
    model: formatModelRef,
    window: ({ contextWindow }) => contextWindow ?? 'unknown',
    price: priceOf,
    of: ({ cost, priceDate }) => (cost === null ? '' : (priceDate ?? 'configuration')),
    key: ({ key }) => key,
    agents: ({ agents }) => agents.join(', '),
  };
  const problems = [
    ...new Set(models.filter(({ agents }) => agents.length > 0).flatMap(({ problem }) => problem ?? [])),
  ];
  return formatTable(models, columns, width) + problems.map((problem) => `wrong: ${oneLine(problem)}\n`).join('');
}

function priceOf({ cost }: ListedModel): string {
  if (cost?.input === undefined || cost.output === undefined) return 'unknown';
  const long = (cost.tiers ?? []).map(
    ({ from, input, output }) => ` (from ${from.toLocaleString('en-US')} tokens ${input} / ${output})`,
  );
  return `${cost.input} / ${cost.output}${long.join('')}`;
}
