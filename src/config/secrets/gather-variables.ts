// Every variable that counts for a configuration: those of the process, the `.env` files, the section `env`, the login
// shell and the auth profiles, each only where none of the places before it has that name.

import { listAgentIds, resolveAgentDir, resolveDefaultAgentId } from '../agents.ts';
import { joinVariables, listEnvVariables, shellTimeoutOf } from '../config-variables.ts';
import type { Environment } from '../environment.ts';
import type { EnvironmentVariables } from '../home-dir.ts';
import { configuredProviders, findApiKey, keyVariable, keyVariables, knownProviders } from '../model-provider.ts';
import type { Config } from '../schema.ts';
import { substituteVariables } from '../substitute-variables.ts';
import { authProfileFiles, authProfileFilesOf, readAuthProfiles } from './auth-profiles.ts';
import { type AddedVariable, type FileRemark, withoutTaken } from './env-files.ts';
import { DEFAULT_SHELL_TIMEOUT_MS, readLoginShell } from './login-shell.ts';

export interface GatheredVariables {
  readonly variables: EnvironmentVariables;
  readonly origins: ReadonlyMap<string, string>;
  /** Those that the environment does not have. */
  readonly added: readonly AddedVariable[];
  readonly remarks: readonly FileRemark[];
}

/** `written` is the configuration before variables were replaced in it. */
export async function gatherVariables(
  written: Config,
  environment: Environment,
  runsCommands: boolean,
): Promise<GatheredVariables> {
  const { variables: own, home, stateDir, configPath } = environment;
  const { env } = substituteVariables({ env: written.env }, own).value as Config;
  const fromConfig = listEnvVariables(env);
  const known = joinVariables(own, fromConfig);

  const timeoutMs = runsCommands ? shellTimeoutOf(env, own, DEFAULT_SHELL_TIMEOUT_MS) : undefined;
  const shell = own.SHELL?.trim() || '/bin/sh';
  const names = timeoutMs === undefined ? [] : wantedNames(written, known);
  const fromShell = timeoutMs === undefined ? { added: [] } : await readLoginShell({ shell, timeoutMs, home, names });
  const variables = joinVariables(known, fromShell.added);

  const dirOf = (agentId: string) => resolveAgentDir(written, agentId, { ...own, OPENCLAW_STATE_DIR: stateDir });
  const files = authProfileFiles(stateDir, dirOf(resolveDefaultAgentId(written)));
  const question = {
    order: (written.auth as { readonly order?: unknown } | undefined)?.order,
    now: Date.now(),
    surroundings: { settings: written.secrets, variables, home, runsCommands },
  };
  const profiles = await readAuthProfiles({ ...question, files });
  const ofAgents = await Promise.all(
    listAgentIds(written)
      .map((agentId) => ({ agentId, own: authProfileFilesOf(stateDir, dirOf(agentId), agentId) }))
      // What the default agent has counts for all.
      .filter(({ own }) => !own.some((file) => files.includes(file)))
      .map(({ agentId, own }) => readAuthProfiles({ ...question, files: own, agentId })),
  );
  const ofAgentsAlone = ofAgents.flatMap((each) => each.added);
  const added = withoutTaken(own, [...fromConfig, ...fromShell.added, ...profiles.added, ...ofAgentsAlone]);
  const { problem } = fromShell as { readonly problem?: string };
  return {
    variables: joinVariables(own, added),
    origins: new Map([...environment.origins, ...added.map(({ name, from }) => [name, from] as const)]),
    added,
    remarks: [
      ...(problem === undefined ? [] : [{ file: configPath, message: problem }]),
      ...profiles.remarks,
      ...ofAgents.flatMap((each) => each.remarks),
      ...listPassedOver(profiles.added, joinVariables(own, added), written),
    ],
  };
}

/**
 * Profiles that do not count because another place has another key. In OpenClaw profiles count first, so somebody else
 * might be charged.
 */
function listPassedOver(
  profiles: readonly AddedVariable[],
  variables: EnvironmentVariables,
  written: Config,
): readonly FileRemark[] {
  return profiles.flatMap(({ name, value, from }) => {
    const provider = [...knownProviders(), ...configuredProviders(written)].find((each) => keyVariable(each) === name);
    const used = provider === undefined ? variables[name] : keyOf(written, provider, variables);
    if (used === undefined || used === value) return [];
    const file = from.slice(from.lastIndexOf(' in ') + ' in '.length);
    const message = `A key of ${provider ?? name} that stands elsewhere counts before ${from}, and is another one; in OpenClaw the profile counts first.`;
    return [{ file, message }];
  });
}

/** A provider whose settings are wrong is said elsewhere. */
function keyOf(written: Config, provider: string, variables: EnvironmentVariables): string | undefined {
  const { value } = substituteVariables(written, variables);
  const key = findApiKey(value as Config, provider, variables);
  return key === undefined || key.includes('${') ? undefined : key;
}

/** The variables that are used and not set: those that the configuration names, and the keys of models and channels. */
function wantedNames(written: Config, variables: EnvironmentVariables): readonly string[] {
  const { missing } = substituteVariables(written, variables);
  const usual = [...knownProviders(), ...configuredProviders(written)].flatMap(keyVariables);
  const channels = ['TELEGRAM_BOT_TOKEN', 'DISCORD_BOT_TOKEN', 'SLACK_BOT_TOKEN', 'SLACK_APP_TOKEN'];
  const all = [...missing.map(({ name }) => name), ...usual, ...channels];
  return [...new Set(all)].filter((name) => (variables[name] ?? '').trim() === '');
}
