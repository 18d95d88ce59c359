// Reads the files of a home into one validated configuration. It changes none of them. Values that are strange but harmless
// become warnings with file and line; values that would be misunderstood are errors. A home without files costs two
// failed look-ups.

import { stat } from 'node:fs/promises';
import { isTimezone } from '../protocol/timezone.ts';
import type { UnusedSetting } from '../protocol/unused-setting.ts';
import { listAgentModelsFiles } from './agent-models-files.ts';
import { agentIdOf, listAgentConfigs, listAgentPlaces, resolveAgentDefaults } from './agents.ts';
import { openConfigCheck } from './check-config.ts';
import { type ConfigLocation, loadConfigFiles } from './config-files.ts';
import { type ConfigPath, depthOf, formatConfigPath } from './config-path.ts';
import type { ConfigFormat, ConfigSource } from './config-source.ts';
import { listEnvVariables, listVariableOddities } from './config-variables.ts';
import { configuredTokenOf } from './configured-token.ts';
import type { Environment } from './environment.ts';
import { ConfigInvalidError, type ConfigIssue } from './errors.ts';
import { listHeartbeatOddities } from './heartbeat-guidance.ts';
import type { EnvironmentVariables } from './home-dir.ts';
import { type ConfigLayer, expandIncludes } from './include.ts';
import { listMcpOddities } from './mcp-servers.ts';
import { listUnspokenApis } from './model-provider.ts';
import { isPlainObject } from './plain-object.ts';
import type { Config } from './schema.ts';
import type { AddedVariable, FileRemark } from './secrets/env-files.ts';
import { type GatheredVariables, gatherVariables } from './secrets/gather-variables.ts';
import { type KeySource, listKeySources } from './secrets/list-key-sources.ts';
import { describeExposure, rightsIn } from './secrets/private-file.ts';
import { type FoundReference, resolveSecrets } from './secrets/resolve-secrets.ts';
import { unresolvedSecret } from './secrets/secret-reference.ts';
import { listSpendOddities } from './spend-limits.ts';
import { type MissingVariable, substituteVariables } from './substitute-variables.ts';
import { peekTokenFile } from './token-file.ts';
import type { UnknownKey } from './validate-config.ts';
import { listWebhookProblems } from './webhooks.ts';
import { isHomeOfOpenClaw } from './written-by-openclaw.ts';

export interface LoadedConfig {
  readonly config: Config;
  /** The same before variables were replaced: what the files say together. */
  readonly written: Config;
  /** The weakest file is first. Included files stand before the file that includes them. */
  readonly files: readonly ConfigFile[];
  readonly warnings: readonly ConfigWarning[];
  /** Settings of OpenClaw that were found and are not used, the most dangerous first. */
  readonly unused: readonly UnusedSetting[];
  /** Set when two files were merged. */
  readonly merged: ConfigMerge | undefined;
  /** The variables that count where the environment has none of that name. `withConfigVariables` adds them. */
  readonly added: readonly AddedVariable[];
  /** From where each key and token comes, without its value. */
  readonly keys: readonly KeySource[];
}

export interface ConfigFile {
  readonly path: string;
  readonly format: ConfigFormat;
}

export interface ConfigWarning {
  readonly file: string;
  readonly line: number;
  readonly path: string;
  readonly message: string;
  readonly suggestion?: string;
}

export interface ConfigMerge {
  readonly base: string;
  readonly overlay: string;
  /** The paths at which the overlay replaced a value of the base. */
  readonly overridden: readonly string[];
  /** The same facts as a sentence. */
  readonly explanation: string;
}

export async function loadConfig(location: ConfigLocation): Promise<LoadedConfig> {
  const { environment } = location;
  const found = await resolveConfig(location);
  const { config, written, sources, layers, place, merged, gathered, missing, unknownKeys, isKnownSetting } = found;
  const [{ listUnusedSettings }, { listVainAcceptances }] = await Promise.all([
    import('./list-unused-settings.ts'),
    import('./list-vain-acceptances.ts'),
  ]);
  const ofAgents = listAgentModelsFiles(config, environment);
  const early = [...found.remarks, ...environment.remarks, ...gathered.remarks, ...ofAgents].map(asWarning);
  const isFromOpenClaw = isHomeOfOpenClaw(config, environment.stateDir);
  const unused = listUnusedSettings(config, environment.variables, isKnownSetting, isFromOpenClaw);
  const oddities =
    sources.length === 0
      ? []
      : [
          ...unknownKeys.map(describeUnknownKey),
          // Other sections may use variables that only another program sets.
          ...missing.filter((each) => isKnownSetting(each.path)).map(describeMissingVariable),
          ...listOddities(config, gathered.variables),
          ...(await listWebhookOddities(config, environment)),
          ...listVainAcceptances(config, unused),
        ];
  const files = layers.map(({ source }) => ({ path: source.file, format: source.format }));
  const keys = listKeySources(written, { ...gathered, references: found.references, isKnown: isKnownSetting });
  return {
    config,
    written,
    files,
    warnings: [
      ...early,
      ...oddities.map(({ at, ...words }) => ({ ...place(at), ...words })),
      ...(await listExposedFiles(files, keys, config)).map(asWarning),
    ],
    unused,
    merged: merged === undefined ? undefined : explainMerge(sources, merged.overridden),
    added: gathered.added,
    keys,
  };
}

/** The files of a configuration with keys or tokens that other users can get at. */
async function listExposedFiles(
  files: readonly ConfigFile[],
  keys: readonly KeySource[],
  { env }: Config,
): Promise<readonly FileRemark[]> {
  const hasSecrets =
    keys.some(({ from }) => from === 'the configuration') ||
    listEnvVariables(env).some(({ name }) => /KEY|TOKEN|SECRET|PASSWORD/i.test(name));
  if (!hasSecrets) return [];
  const remarks = await Promise.all(
    files.map(async ({ path: file }) => ({
      file,
      message: describeExposure(file, rightsIn(await stat(file).catch(() => undefined))),
    })),
  );
  return remarks.flatMap(({ file, message }) => (message === undefined ? [] : [{ file, message }]));
}

/** The configuration alone, for commands that need a value of it and say nothing about the rest. */
export async function readConfig(location: ConfigLocation): Promise<Config> {
  return (await resolveConfig(location)).config;
}

interface ResolvedConfig extends Pick<LoadedConfig, 'config' | 'written'> {
  readonly sources: readonly ConfigSource[];
  readonly remarks: readonly FileRemark[];
  readonly layers: readonly ConfigLayer[];
  readonly place: (at: ConfigPath) => Pick<ConfigIssue, 'file' | 'line' | 'path'>;
  readonly merged: MergedConfig | undefined;
  readonly gathered: GatheredVariables;
  readonly missing: readonly MissingVariable[];
  readonly unknownKeys: readonly UnknownKey[];
  readonly isKnownSetting: (path: ConfigPath) => boolean;
  readonly references: readonly FoundReference[];
}

async function resolveConfig(location: ConfigLocation): Promise<ResolvedConfig> {
  const { sources, remarks } = await loadConfigFiles(location);
  const { environment, runsCommands = false } = location;
  if (sources.length === 0) {
    const nothing = { layers: [], merged: undefined, missing: [], unknownKeys: [], references: [] };
    return {
      ...nothing,
      ...{ config: {}, written: {}, sources, remarks },
      place: (at) => ({ file: '', line: 1, path: formatConfigPath(at) }),
      gathered: await gatherVariables({}, environment, runsCommands),
      isKnownSetting: () => false,
    };
  }

  const [{ sections, check }, expanded] = await Promise.all([
    openConfigCheck(location.environment.stateDir),
    Promise.all(sources.map(expandIncludes)),
  ]);
  refuseNonObjects(expanded);
  const layers = expanded.flatMap((each) => each.layers);
  const place = (at: ConfigPath) => ({ ...locateInLayers(layers, at), path: formatConfigPath(at) });

  const [base, overlay] = expanded.map(({ value }) => withoutEmptyKeys(value, sections));
  const merged = overlay === undefined ? undefined : mergeConfig(base, overlay);
  const written = merged === undefined ? base : merged.value;
  const gathered = await gatherVariables(written as Config, environment, runsCommands);
  const { value, missing } = substituteVariables(written, gathered.variables);

  const { faults, unknownKeys, isKnownSetting } = await check(value, written);
  if (faults.length > 0) {
    throw new ConfigInvalidError({
      issues: faults.map(({ path: at, found, expected }) => ({ ...place(at), found, expected })),
    });
  }
  const secrets = await resolveSecrets(value, isKnownSetting, {
    settings: (value as Config).secrets,
    variables: gathered.variables,
    home: environment.home,
    runsCommands,
  });
  const config = secrets.value as Config;
  refuseUnsetToken(config, place);
  return {
    ...{ config, written: written as Config, sources, remarks, layers, place, merged },
    ...{ gathered, missing, unknownKeys, isKnownSetting, references: secrets.found },
  };
}

function asWarning({ file, line = 1, message }: FileRemark): ConfigWarning {
  return { file, line, path: '', message };
}

/** Text such as `${NAME}` would be a token that anybody can guess. */
function refuseUnsetToken(
  config: Config,
  place: (at: ConfigPath) => Pick<ConfigIssue, 'file' | 'line' | 'path'>,
): void {
  const at = ['gateway', 'auth', 'token'];
  const { token } = config.gateway?.auth ?? {};
  const problem = unresolvedSecret(token, formatConfigPath(at));
  if (problem === undefined) return;
  const isProgram = isPlainObject(token) && token.source === 'exec';
  const found = isProgram
    ? 'a reference to a program, which every command would have to run'
    : `not there (${problem})`;
  throw new ConfigInvalidError({
    issues: [{ ...place(at), found, expected: 'a token, a variable that is set, or a reference to a file' }],
  });
}

function refuseNonObjects(expanded: readonly { value: unknown; layers: readonly ConfigLayer[] }[]): void {
  const issues = expanded
    .filter(({ value }) => !isPlainObject(value))
    .map(({ value, layers }): ConfigIssue => {
      const file = layers.at(-1)?.source.file ?? '';
      const found = value === null ? 'nothing' : Array.isArray(value) ? 'a list' : `a ${typeof value}`;
      return { file, line: 1, path: formatConfigPath([]), found, expected: 'an object with sections' };
    });
  if (issues.length > 0) throw new ConfigInvalidError({ issues });
}

/** Returns the strongest layer that has this path, else the layer that has most of it. */
function locateInLayers(layers: readonly ConfigLayer[], at: ConfigPath): { file: string; line: number } {
  let best: { layer: ConfigLayer; depth: number } | undefined;
  for (const layer of layers.toReversed()) {
    const { prefix, source } = layer;
    if (!prefix.every((part, index) => part === at[index])) continue;
    const depth = prefix.length + depthOf(source.value, at.slice(prefix.length));
    if (best === undefined || depth > best.depth) best = { layer, depth };
  }
  if (best === undefined) return { file: '', line: 1 };
  const { source, prefix } = best.layer;
  return { file: source.file, line: source.lineOf(at.slice(prefix.length)) };
}

/** A key without a value counts as absent: YAML leaves such a key when everything below it is commented out. */
function withoutEmptyKeys(value: unknown, sections: readonly string[]): unknown {
  if (!isPlainObject(value)) return value;
  const entries = Object.entries(value).filter(([key, item]) => item !== null || !sections.includes(key));
  return Object.fromEntries(entries.map(([key, item]) => [key, sections.includes(key) ? cleared(item) : item]));
}

function cleared(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cleared);
  if (!isPlainObject(value)) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== null);
  return Object.fromEntries(entries.map(([key, item]) => [key, cleared(item)]));
}

interface Oddity {
  readonly at: ConfigPath;
  readonly message: string;
  readonly suggestion?: string;
}

function describeUnknownKey({ path: at, suggestion }: UnknownKey): Oddity {
  const message = `${formatConfigPath(at)} is not a setting that Atrium knows; it is kept and has no effect.`;
  return suggestion === undefined
    ? { at, message }
    : { at, message: `${message} Did you mean "${suggestion}"?`, suggestion };
}

function describeMissingVariable({ path: at, name }: MissingVariable): Oddity {
  const hint = `Set it, or write $\${${name}} if the text is meant.`;
  return {
    at,
    message: `${formatConfigPath(at)} uses \${${name}}, which is not set; the text is left as it is. ${hint}`,
  };
}

/** Finds values that the schema allows but that are probably mistakes. */
function listOddities(config: Config, variables: EnvironmentVariables): Oddity[] {
  const oddities: Oddity[] = [];
  const timezone = resolveAgentDefaults(config).userTimezone;
  if (timezone !== undefined && !isTimezone(timezone.trim())) {
    const message = `agents.defaults.userTimezone is "${timezone}", which is no time zone; that of this machine is used. Write one such as "Europe/Berlin".`;
    oddities.push({ at: ['agents', 'defaults', 'userTimezone'], message });
  }
  const agents = listAgentConfigs(config);
  const ids = agents.map(agentIdOf);
  const firstDefault = agents.findIndex((agent) => agent.default);
  const places = listAgentPlaces(config);
  const nameOf = (index: number) => formatConfigPath(places[index] ?? []);
  for (const [index, agent] of agents.entries()) {
    const at = places[index] ?? [];
    const first = ids.indexOf(agentIdOf(agent));
    if (first !== index) {
      oddities.push({
        at: at[1] === 'list' ? [...at, 'id'] : at,
        message: `${nameOf(index)} has the same id as ${nameOf(first)}, "${ids[index]}"; the first one is used.`,
      });
    }
    if (agent.default && index !== firstDefault) {
      oddities.push({
        at: [...at, 'default'],
        message: `${nameOf(index)} is marked as default, and so is ${nameOf(firstDefault)}; the first one is used.`,
      });
    }
  }
  return [
    ...oddities,
    ...listHeartbeatOddities(config),
    ...listMcpOddities(config),
    ...listSpendOddities(config, variables),
    ...listVariableOddities(config),
    ...listUnspokenApis(config).map(({ at, found, expected }) => ({
      at,
      message: `${formatConfigPath(at)} is ${found}, so models of this provider cannot be used; expected ${expected}.`,
    })),
  ];
}

/** The file with the gateway's own token is read only where there are webhooks to compare it with. */
async function listWebhookOddities(config: Config, { variables, stateDir }: Environment) {
  if (config.hooks?.enabled !== true) return [];
  return listWebhookProblems(config, configuredTokenOf(config, variables) ?? (await peekTokenFile(stateDir)));
}

function explainMerge([base, overlay]: readonly ConfigSource[], overridden: readonly string[]): ConfigMerge {
  const [baseFile, overlayFile] = [base?.file ?? '', overlay?.file ?? ''];
  const where = overridden.length === 0 ? 'they do not disagree' : `it wins at ${overridden.join(', ')}`;
  return {
    base: baseFile,
    overlay: overlayFile,
    overridden,
    explanation: `${overlayFile} is merged over ${baseFile}; ${where}.`,
  };
}

interface MergedConfig {
  readonly value: unknown;
  /** The paths whose value in the base was replaced by a different one. */
  readonly overridden: readonly string[];
}

/** Objects are merged key by key; any other value of the overlay replaces the value of the base. */
function mergeConfig(base: unknown, overlay: unknown): MergedConfig {
  const overridden: string[] = [];
  return { value: merge(base, overlay, [], overridden), overridden };
}

function merge(base: unknown, overlay: unknown, at: ConfigPath, overridden: string[]): unknown {
  if (isPlainObject(base) && isPlainObject(overlay)) {
    const entries = new Map(Object.entries(base));
    for (const [key, value] of Object.entries(overlay)) {
      entries.set(key, entries.has(key) ? merge(entries.get(key), value, [...at, key], overridden) : value);
    }
    return Object.fromEntries(entries);
  }
  if (JSON.stringify(base) !== JSON.stringify(overlay)) overridden.push(formatConfigPath(at));
  return overlay;
}
