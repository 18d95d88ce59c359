// Replaces the references to secrets in a configuration by the secrets: from variables, from files, from programs.
// Programs are run only when the caller says so, because each of them may ask the operator for a fingerprint; a
// reference that is left stays where it is. Never throws: a reference that cannot be looked up stays too, with a sentence
// that says why, and whatever needs it tells that sentence.

import { type ConfigPath, formatConfigPath } from '../config-path.ts';
import type { EnvironmentVariables } from '../home-dir.ts';
import { isPlainObject, type PlainObject } from '../plain-object.ts';
import { resolveUserPath } from '../user-path.ts';
import { readPrivateFile } from './private-file.ts';
import type { SecretCommand } from './run-secret-command.ts';
import { isSecretReference, type SecretReference } from './secret-reference.ts';

export interface SecretSurroundings {
  /** The section `secrets` of the configuration. */
  readonly settings: unknown;
  readonly variables: EnvironmentVariables;
  readonly home: string;
  /** Whether programs may be run. */
  readonly runsCommands: boolean;
}

export interface ResolvedSecrets {
  readonly value: unknown;
  readonly found: readonly FoundReference[];
}

/** A reference and what became of it. */
export interface FoundReference {
  readonly at: ConfigPath;
  /** Names the place for people: `the variable X`, `the file …`, `the program …`. */
  readonly from: string;
  /** Undefined when it was looked up, or left for a gateway. */
  readonly problem?: string | undefined;
}

export async function resolveSecrets(
  config: unknown,
  /** Whether a reference at this path is looked up. */
  isWanted: (at: ConfigPath) => boolean,
  surroundings: SecretSurroundings,
): Promise<ResolvedSecrets> {
  const places = listReferences(config, []).filter(({ at }) => isWanted(at));
  if (places.length === 0) return { value: config, found: [] };
  const answers = await lookUpSecrets(
    places.map(({ reference }) => reference),
    surroundings,
  );
  const byPlace = new Map(places.map(({ at }, index) => [formatConfigPath(at), answers[index]]));
  return {
    value: replace(config, [], (at, reference) => {
      const answer = byPlace.get(formatConfigPath(at));
      if (!answer) return reference;
      return answer.secret ?? (answer.problem ? { ...reference, problem: answer.problem } : reference);
    }),
    found: places.map(({ at }, index) => {
      const { from = '', problem } = answers[index] ?? {};
      return { at, from, problem };
    }),
  };
}

export interface SecretAnswer {
  readonly from: string;
  readonly secret?: string | undefined;
  readonly problem?: string | undefined;
}

/** One answer for each reference, in their order. */
export async function lookUpSecrets(
  references: readonly SecretReference[],
  surroundings: SecretSurroundings,
): Promise<readonly SecretAnswer[]> {
  const programs = new Map<string, Promise<ReadonlyMap<string, SecretAnswer>>>();
  return Promise.all(
    references.map(async (reference): Promise<SecretAnswer> => {
      const { name, settings } = providerOf(reference, surroundings.settings);
      if (reference.source === 'env') return fromVariable(reference, settings, surroundings.variables);
      if (!settings) return { from: '', problem: `There is no secrets.providers.${name}.` };
      if (settings.source !== undefined && settings.source !== reference.source) {
        return { from: '', problem: `secrets.providers.${name} is not of the source "${reference.source}".` };
      }
      if (reference.source === 'file') return fromFile(reference, name, settings, surroundings.home);
      const from = `the program ${String(settings.command ?? '')}`;
      if (!surroundings.runsCommands) return { from };
      let answers = programs.get(name);
      if (!answers) {
        const ids = references
          .filter((each) => each.source === 'exec' && providerOf(each, surroundings.settings).name === name)
          .map(({ id }) => id);
        answers = fromProgram(name, settings, [...new Set(ids)], surroundings);
        programs.set(name, answers);
      }
      return (await answers).get(reference.id) ?? { from, problem: `${from} gave no secret "${reference.id}".` };
    }),
  );
}

function providerOf({ source, provider }: SecretReference, secrets: unknown) {
  const { providers, defaults } = isPlainObject(secrets) ? secrets : ({} as PlainObject);
  const usual = isPlainObject(defaults) ? defaults[source] : undefined;
  const isUsual = provider === undefined || (provider === 'default' && typeof usual === 'string');
  const name = isUsual && typeof usual === 'string' ? usual : (provider ?? 'default');
  const settings = isPlainObject(providers) && Object.hasOwn(providers, name) ? providers[name] : undefined;
  return { name, settings: isPlainObject(settings) ? settings : undefined };
}

function fromVariable({ id }: SecretReference, settings: PlainObject | undefined, variables: EnvironmentVariables) {
  const from = `the variable ${id}`;
  if (Array.isArray(settings?.allowlist) && !settings.allowlist.includes(id)) {
    return { from, problem: `The allowlist of the secret provider does not name the variable ${id}.` };
  }
  const secret = variables[id]?.trim() || undefined;
  return secret === undefined ? { from, problem: `The variable ${id} is not set.` } : { from, secret };
}

const LARGEST_FILE = 1024 * 1024;

function fromFile({ id }: SecretReference, name: string, settings: PlainObject, home: string): SecretAnswer {
  if (typeof settings.path !== 'string') return { from: '', problem: `secrets.providers.${name}.path is missing.` };
  const file = resolveUserPath(settings.path, home);
  const from = `the file ${file}`;
  const read = readPrivateFile(file, { largest: LARGEST_FILE });
  if (!('text' in read)) return { from, problem: `secrets.providers.${name} names ${file}, which ${read.problem}.` };
  if ((read.isReadableByOthers || read.isWritableByOthers) && settings.allowInsecurePath !== true) {
    return { from, problem: `Other users of this machine can get at ${file}. Make it private: chmod 600 ${file}` };
  }
  const secret = settings.mode === 'singleValue' ? read.text.trim() : atPointer(read.text, id);
  return secret ? { from, secret } : { from, problem: `${file} has no text at "${id}".` };
}

/** The text that a JSON pointer such as `/providers/openai/apiKey` leads to. */
function atPointer(json: string, pointer: string): string | undefined {
  try {
    const parts = pointer.split('/').slice(1);
    let value: unknown = JSON.parse(json);
    for (const part of parts.map((each) => each.replaceAll('~1', '/').replaceAll('~0', '~'))) {
      const isThere = typeof value === 'object' && value !== null && Object.hasOwn(value, part);
      value = isThere ? (value as Record<string, unknown>)[part] : undefined;
    }
    return typeof value === 'string' ? value.trim() : undefined;
  } catch {
    return undefined;
  }
}

async function fromProgram(
  name: string,
  settings: PlainObject,
  ids: readonly string[],
  { variables, home }: SecretSurroundings,
): Promise<ReadonlyMap<string, SecretAnswer>> {
  const from = `the program ${String(settings.command ?? '')}`;
  const { runSecretCommand } = await import('./run-secret-command.ts');
  const answer = await runSecretCommand(settings as SecretCommand, { name, ids, variables, home });
  return new Map(
    ids.map((id) => {
      const secret = answer.values.get(id);
      return [id, secret ? { from, secret } : { from, problem: answer.problems.get(id) ?? answer.problem }];
    }),
  );
}

interface Place {
  readonly at: ConfigPath;
  readonly reference: SecretReference;
}

function listReferences(value: unknown, at: ConfigPath): readonly Place[] {
  if (isSecretReference(value)) return [{ at, reference: value }];
  if (Array.isArray(value)) return value.flatMap((item, index) => listReferences(item, [...at, index]));
  if (!isPlainObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => listReferences(item, [...at, key]));
}

function replace(value: unknown, at: ConfigPath, by: (at: ConfigPath, reference: SecretReference) => unknown): unknown {
  if (isSecretReference(value)) return by(at, value);
  if (Array.isArray(value)) return value.map((item, index) => replace(item, [...at, index], by));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replace(item, [...at, key], by)]));
}
