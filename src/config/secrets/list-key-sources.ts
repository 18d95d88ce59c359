// From where each key and token of a configuration comes, and which of them is not there. It names settings, variables
// and places, and never a value.

import { listAgentIds } from '../agents.ts';
import { type ConfigPath, formatConfigPath } from '../config-path.ts';
import type { EnvironmentVariables } from '../home-dir.ts';
import {
  configuredProviders,
  keyVariable,
  keyVariableOfAgent,
  keyVariables,
  knownProviders,
} from '../model-provider.ts';
import { isPlainObject } from '../plain-object.ts';
import type { Config } from '../schema.ts';
import type { FoundReference } from './resolve-secrets.ts';
import { isSecretReference } from './secret-reference.ts';

export interface KeySource {
  /** The setting or the variable. */
  readonly key: string;
  readonly from: string;
  /** Set when there is no key, as a full sentence. */
  readonly problem?: string | undefined;
}

export interface KeySurroundings {
  readonly variables: EnvironmentVariables;
  /** Where a variable was found; that of the process is not listed. */
  readonly origins: ReadonlyMap<string, string>;
  readonly references: readonly FoundReference[];
  /** Whether Atrium reads the setting at this path. */
  readonly isKnown: (at: ConfigPath) => boolean;
}

/** `written` is the configuration before variables and references were replaced. */
export function listKeySources(written: Config, surroundings: KeySurroundings): readonly KeySource[] {
  const { variables } = surroundings;
  const usual = [...knownProviders(), ...configuredProviders(written)].flatMap(keyVariables);
  const set = [...new Set([...usual, ...OTHER_VARIABLES])].filter((name) => (variables[name] ?? '').trim() !== '');
  return [
    ...visit(written, [], surroundings),
    ...set.map((name) => ({ key: name, from: originOf(name, surroundings) })),
    ...listAgentIds(written).flatMap((agentId) => keysOfAgent(agentId, written, surroundings)),
  ];
}

/** The keys that one agent alone has. */
function keysOfAgent(agentId: string, written: Config, surroundings: KeySurroundings): readonly KeySource[] {
  return [...new Set([...knownProviders(), ...configuredProviders(written)])].flatMap((provider) => {
    const name = keyVariableOfAgent(provider, agentId);
    if (!(name in surroundings.variables)) return [];
    return [{ key: `${keyVariable(provider)} of the agent ${agentId}`, from: originOf(name, surroundings) }];
  });
}

/** The variables that channels and the gateway read by themselves. */
const OTHER_VARIABLES = [
  'TELEGRAM_BOT_TOKEN',
  'DISCORD_BOT_TOKEN',
  'SLACK_BOT_TOKEN',
  'SLACK_APP_TOKEN',
  'OPENCLAW_GATEWAY_TOKEN',
];

const SECRET_KEY = /(?:apiKey|token|password|secret)$/i;

function visit(value: unknown, at: ConfigPath, surroundings: KeySurroundings): readonly KeySource[] {
  if (isSecretReference(value)) return fromReference(at, surroundings);
  if (Array.isArray(value)) return value.flatMap((item, index) => visit(item, [...at, index], surroundings));
  if (isPlainObject(value)) {
    return Object.entries(value).flatMap(([key, item]) => visit(item, [...at, key], surroundings));
  }
  const name = at.at(-1);
  const isSecret = typeof name === 'string' && SECRET_KEY.test(name) && at[0] !== 'env';
  return isSecret && typeof value === 'string' && value.trim() !== '' && surroundings.isKnown(at)
    ? [fromText(value, at, surroundings)]
    : [];
}

function fromReference(at: ConfigPath, { references, ...surroundings }: KeySurroundings): readonly KeySource[] {
  const found = references.find((each) => formatConfigPath(each.at) === formatConfigPath(at));
  if (!found) return [];
  const variable = /^the variable (\S+)$/.exec(found.from)?.[1];
  const from = variable ? `${found.from}, ${originOf(variable, surroundings)}` : found.from;
  return [{ key: formatConfigPath(at), from, ...(found.problem && { problem: found.problem }) }];
}

function fromText(text: string, at: ConfigPath, surroundings: KeySurroundings): KeySource {
  const key = formatConfigPath(at);
  const named = [...text.matchAll(/(?<!\$)\$\{([A-Z_][A-Z0-9_]*)\}/g)].map(([, name = '']) => name);
  const isName = at[0] === 'models' && /^[A-Z][A-Z0-9]*_[A-Z0-9_]*$/.test(text.trim());
  const names = isName ? [text.trim()] : named;
  if (names.length === 0) return { key, from: 'the configuration' };
  const unset = names.find((name) => (surroundings.variables[name] ?? '').trim() === '');
  const from = names.map((name) => `the variable ${name}, ${originOf(name, surroundings)}`).join('; ');
  return unset === undefined
    ? { key, from }
    : { key, from: `the variable ${unset}`, problem: `The variable ${unset} is not set.` };
}

function originOf(name: string, { origins }: Pick<KeySurroundings, 'origins'>): string {
  const origin = origins.get(name);
  return origin === undefined ? 'from the environment of the process' : `from ${origin}`;
}
