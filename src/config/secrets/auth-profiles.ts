// The keys that OpenClaw keeps in `auth-profiles.json`: read where they are and copied nowhere. A profile with a key or
// a token becomes the variable that its provider is asked with, so it counts wherever that variable does, and after
// every other place. What another agent than the default one has counts for that agent alone, and first. Signing in with an account is not there, so such profiles are named and not used.
// Never throws: what cannot be used is named with the reason, and no sentence shows a key.

import path from 'node:path';
import type { EnvironmentVariables } from '../home-dir.ts';
import { keyVariable, keyVariableOfAgent } from '../model-provider.ts';
import { isPlainObject, type PlainObject } from '../plain-object.ts';
import type { AddedVariable } from './env-files.ts';
import { describeExposure, readPrivateFile } from './private-file.ts';
import { lookUpSecrets, type SecretSurroundings } from './resolve-secrets.ts';
import { isSecretReference, type SecretReference } from './secret-reference.ts';

export interface AuthProfiles {
  readonly added: readonly AddedVariable[];
  /** Profiles that are not used, one sentence each, and what is wrong with the files. */
  readonly remarks: readonly { readonly file: string; readonly message: string }[];
}

export const AUTH_PROFILES_NAME = 'auth-profiles.json';

const LARGEST = 1024 * 1024;

export interface AuthProfileQuestion {
  /** The files in the order in which they count. */
  readonly files: readonly string[];
  /** `auth.order` of the configuration: for a provider, the profiles that may be used, first choice first. */
  readonly order: unknown;
  readonly now: number;
  readonly surroundings: SecretSurroundings;
  /** The agent that the keys are for; without it, they are for all agents. */
  readonly agentId?: string | undefined;
}

export async function readAuthProfiles(question: AuthProfileQuestion): Promise<AuthProfiles> {
  const read = question.files.map(readProfileFile).filter((each) => each !== undefined);
  const order = isPlainObject(question.order) ? question.order : {};
  const profiles = inOrder(
    read.flatMap((each) => each.profiles),
    order,
  );
  const judged = await Promise.all(profiles.map((profile) => judge(profile, question)));
  const { agentId } = question;
  const variableOf = (provider: string) =>
    agentId === undefined ? keyVariable(provider) : keyVariableOfAgent(provider, agentId);
  const added: AddedVariable[] = [];
  const remarks = read.flatMap((each) => each.remarks);
  for (const { profile, key, problem } of judged) {
    const { id, file, provider } = profile;
    if (problem !== undefined) {
      remarks.push({ file, message: `The profile ${id} in ${file} is not used: ${problem}` });
    } else if (key !== undefined && !added.some(({ name }) => name === variableOf(provider))) {
      added.push({ name: variableOf(provider), value: key, from: `the profile ${id} in ${file}` });
    }
  }
  return { added, remarks };
}

/** The files of a home: those of the default agent, those of OpenClaw's main agent, and what `atrium import` kept. */
export function authProfileFiles(stateDir: string, agentDir: string): readonly string[] {
  const folders = [agentDir, path.join(stateDir, 'agents', 'main', 'agent')];
  return [...[...new Set(folders)].map((folder) => path.join(folder, AUTH_PROFILES_NAME)), keptProfilesFile(stateDir)];
}

/** The files of an agent that has keys for itself: its own, and what `atrium import` kept. */
export function authProfileFilesOf(stateDir: string, agentDir: string, agentId: string): readonly string[] {
  return [path.join(agentDir, AUTH_PROFILES_NAME), keptProfilesFile(stateDir, agentId)];
}

/** Where `atrium import` keeps the profiles of databases: those of one agent, or those that count for all. */
export function keptProfilesFile(stateDir: string, agentId?: string): string {
  const folder = path.join(stateDir, 'atrium', ...(agentId === undefined ? [] : ['agents', agentId]));
  return path.join(folder, AUTH_PROFILES_NAME);
}

interface Profile {
  readonly id: string;
  readonly file: string;
  readonly provider: string;
  readonly settings: PlainObject;
}

function readProfileFile(file: string) {
  const read = readPrivateFile(file, { largest: LARGEST });
  if (!('text' in read)) {
    if (read.isMissing) return undefined;
    return { profiles: [], remarks: [{ file, message: `${file} ${read.problem}, so its keys are not used.` }] };
  }
  const exposure = describeExposure(file, read);
  const remarks = exposure === undefined ? [] : [{ file, message: exposure }];
  const parsed = parseProfiles(read.text);
  if (!parsed) {
    return { profiles: [], remarks: [...remarks, { file, message: `${file} is not a file of profiles.` }] };
  }
  const profiles = Object.entries(parsed).flatMap(([id, settings]): Profile[] => {
    if (!isPlainObject(settings)) return [];
    const provider = typeof settings.provider === 'string' ? settings.provider : (id.split(':')[0] ?? id);
    return [{ id, file, provider: provider.toLowerCase(), settings }];
  });
  return { profiles, remarks };
}

/** The form of today, and the one of old that has a provider with its key directly: `{ openrouter: { apiKey } }`. */
function parseProfiles(text: string): PlainObject | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    if (!isPlainObject(parsed)) return undefined;
    if (isPlainObject(parsed.profiles)) return parsed.profiles;
    const flat = Object.entries(parsed).flatMap(([provider, entry]) =>
      isPlainObject(entry) && typeof entry.apiKey === 'string'
        ? [[`${provider}:default`, { type: 'api_key', provider, key: entry.apiKey }] as const]
        : [],
    );
    return Object.fromEntries(flat);
  } catch {
    return undefined;
  }
}

/** Where the operator gave an order for a provider, only the profiles in it count. */
function inOrder(profiles: readonly Profile[], order: PlainObject): readonly Profile[] {
  const placeOf = ({ id, provider }: Profile) => {
    const wanted = order[provider];
    return Array.isArray(wanted) ? wanted.indexOf(id) : 0;
  };
  return profiles.filter((profile) => placeOf(profile) >= 0).toSorted((a, b) => placeOf(a) - placeOf(b));
}

interface Judged {
  readonly profile: Profile;
  readonly key?: string | undefined;
  readonly problem?: string | undefined;
}

async function judge(profile: Profile, { now, surroundings }: AuthProfileQuestion): Promise<Judged> {
  const { settings, provider } = profile;
  switch (settings.type) {
    case 'oauth':
      return { profile, problem: `it signs in to ${provider} with an account, and Atrium needs an API key.` };
    case 'api_key':
    case 'apiKey':
      return { profile, ...(await secretOf(settings.key, settings.keyRef, surroundings)) };
    case 'token': {
      const { expires } = settings;
      if (expires !== undefined && !(typeof expires === 'number' && expires > now)) {
        return { profile, problem: 'its token has expired.' };
      }
      const found = await secretOf(settings.token, settings.tokenRef, surroundings);
      return /^sk-ant-oat/.test(found.key ?? '')
        ? { profile, problem: 'its token belongs to a subscription of Anthropic, and Atrium needs an API key.' }
        : { profile, ...found };
    }
    default:
      return { profile, problem: `its type is ${JSON.stringify(settings.type)}.` };
  }
}

/** A key may be written as the name of a variable. */
async function secretOf(
  written: unknown,
  reference: unknown,
  surroundings: SecretSurroundings,
): Promise<Pick<Judged, 'key' | 'problem'>> {
  const named = isSecretReference(reference) ? reference : asReference(written, surroundings.variables);
  if (named) {
    if (named.source === 'exec' && !surroundings.runsCommands) return {};
    const [answer] = await lookUpSecrets([named], surroundings);
    return { key: answer?.secret, problem: answer?.secret ? undefined : (answer?.problem ?? 'its key was not found.') };
  }
  const key = typeof written === 'string' ? written.trim() : '';
  return key === '' ? { problem: 'it has no key.' } : { key };
}

function asReference(written: unknown, variables: EnvironmentVariables): SecretReference | undefined {
  if (isSecretReference(written)) return written;
  if (typeof written !== 'string') return undefined;
  const name = /^\$\{?([A-Z][A-Z0-9_]*)\}?$/.exec(written.trim())?.[1] ?? written.trim();
  const isName =
    name !== written.trim() || (/^[A-Z][A-Z0-9_]*$/.test(name) && (name.includes('_') || name in variables));
  return isName ? { source: 'env', id: name } : undefined;
}
