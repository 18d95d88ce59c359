// The limits on what model calls may cost (`limits.spend`), with their defaults, and what keeps one from working as
// its operator means it: models without a price, agents that do not exist, a cheaper model that cannot be used.

import type { ModelRef } from '../protocol/model-ref.ts';
import { nearMatch } from '../protocol/near-match.ts';
import { parseAgentSessionKey } from '../protocol/session-key.ts';
import type { SpendLimit, SpendSettings } from '../protocol/spend-limit.ts';
import { listAgentIds } from './agents.ts';
import { compactionSettingsOf } from './compaction-settings.ts';
import type { ConfigPath } from './config-path.ts';
import type { EnvironmentVariables } from './home-dir.ts';
import { formatModelRef, parseModelRef, resolveModelChoice } from './model-choice.ts';
import { configuredModels, MIRROR_PROVIDER, resolveProvider } from './model-provider.ts';
import type { Config } from './schema.ts';

/** Undefined when no limit is set: then nothing is counted beside the usage of calls. */
export function spendSettingsOf(config: Config, timezone: string): SpendSettings | undefined {
  const limits = limitsOf(config);
  if (limits.length === 0) return undefined;
  return { limits, answerTokens: config.limits?.answerTokens ?? ANSWER_TOKENS, timezone };
}

const ANSWER_TOKENS = 16_000;

/** One sentence for each way in which a limit does not do what it looks like. */
export function listSpendOddities(
  config: Config,
  variables: EnvironmentVariables,
): readonly { readonly at: ConfigPath; readonly message: string }[] {
  return limitsOf(config).flatMap((limit, index) => {
    const at: ConfigPath = ['limits', 'spend', index];
    const sentences = [
      ...unknownAgent(config, limit),
      ...oddSender(config, limit),
      ...oddSession(limit),
      ...unusableModel(config, limit, variables),
      ...missingPrices(config, limit, variables),
    ];
    return sentences.map((message) => ({ at, message }));
  });
}

function limitsOf(config: Config): readonly SpendLimit[] {
  return (config.limits?.spend ?? []).map((written, index) => {
    const {
      agent,
      session,
      sender,
      per,
      money,
      tokens,
      onReached = 'refuse',
      warnAt = 0.8,
      unknownPrice = 'refuse',
    } = written;
    return {
      setting: `limits.spend[${index}]`,
      agent,
      session: per === 'session' ? '*' : session,
      sender,
      per,
      money,
      tokens,
      warnAt,
      unknownPrice,
      ...(onReached === 'refuse' ? {} : { cheaper: parseModelRef(onReached.model, config) }),
    };
  });
}

function unknownAgent(config: Config, { setting, agent }: SpendLimit): readonly string[] {
  if (agent === undefined || agent === '*' || listAgentIds(config).includes(agent)) return [];
  return [`${setting} is for the agent "${agent}", which does not exist, so it limits nothing.`];
}

/** Channels of plugins are known only when they are loaded, but their senders are written in the same form. */
function oddSender(config: Config, { setting, sender }: SpendLimit): readonly string[] {
  if (sender === undefined || sender === '*' || sender === 'unknown') return [];
  const [channel = '', ...rest] = sender.split(':');
  if (rest.join(':') === '' || channel === '')
    return [
      `${setting} is for the sender "${sender}", and a sender is written channel:sender, such as telegram:4711, so it limits nothing.`,
    ];
  const known = [...OWN_CHANNELS, ...Object.keys(config.channels ?? {})];
  if (known.includes(channel)) return [];
  const meant = nearMatch(channel, [...known, ...PLATFORMS]);
  return [
    `${setting} is for a sender of "${channel}", and no such channel is configured, so it limits nothing unless a plugin brings it.${meant === undefined ? '' : ` Is "${meant}" meant?`}`,
  ];
}

const OWN_CHANNELS = ['web', 'cli', 'api'];
const PLATFORMS = ['telegram', 'discord', 'slack'];

function oddSession({ setting, session }: SpendLimit): readonly string[] {
  if (session === undefined || session === '*' || parseAgentSessionKey(session)) return [];
  return [
    `${setting} is for the session "${session}", and a session is written as its key, such as agent:main:main, so it limits nothing.`,
  ];
}

function unusableModel(config: Config, limit: SpendLimit, variables: EnvironmentVariables): readonly string[] {
  const { setting, cheaper } = limit;
  if (!cheaper) return [];
  try {
    resolveProvider(config, cheaper.provider, variables);
    return [];
  } catch (error) {
    return [
      `The model of ${setting}.onReached cannot be used, so calls are refused instead: ${(error as Error).message}`,
    ];
  }
}

function missingPrices(config: Config, limit: SpendLimit, variables: EnvironmentVariables): readonly string[] {
  const { setting, agent, money, cheaper, unknownPrice } = limit;
  if (money === undefined) return [];
  const agents = listAgentIds(config).filter((id) => agent === undefined || agent === '*' || agent === id);
  const models = agents.flatMap((id) => modelsOf(config, id, variables));
  const unpriced = [
    ...new Set([...models, ...(cheaper ? [cheaper] : [])].filter((ref) => !isPriced(config, ref)).map(formatModelRef)),
  ];
  if (unpriced.length === 0) return [];
  const what = `${setting} limits money, and the price of ${unpriced.join(', ')} is not known`;
  const remedy = 'Write its "cost" with "input" and "output" under models.providers';
  return [
    unknownPrice === 'refuse'
      ? `${what}, so calls to it are refused. ${remedy}, or set unknownPrice to "allow".`
      : `${what}: calls to it are made and NOT counted by this limit. ${remedy}.`,
  ];
}

/** The models that an agent uses without being asked for another one. */
function modelsOf(config: Config, agentId: string, variables: EnvironmentVariables): readonly ModelRef[] {
  const { primary, fallbacks } = resolveModelChoice(config, agentId, variables);
  const { model } = compactionSettingsOf(config, agentId);
  return [primary, ...fallbacks, ...(model ? [model] : [])];
}

/** The built-in model costs nothing. */
function isPriced(config: Config, { provider, model }: ModelRef): boolean {
  if (provider === MIRROR_PROVIDER) return true;
  const cost = configuredModels(config, provider).find(({ id }) => id === model)?.cost;
  return cost?.input !== undefined && cost.output !== undefined;
}
