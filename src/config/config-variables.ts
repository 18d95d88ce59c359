// The variables that a configuration brings along, behind those of the process and of `.env` files: texts under `env`,
// the login shell where it is asked for, and the keys of `auth-profiles.json`, in this order. They count in `${NAME}`,
// for models, for tools and for MCP servers. The environment of the process itself is not changed, so plugins, which read
// it, do not see them.

import type { ConfigPath } from './config-path.ts';
import type { Environment } from './environment.ts';
import type { EnvironmentVariables } from './home-dir.ts';
import { isPlainObject } from './plain-object.ts';
import type { Config } from './schema.ts';
import { type AddedVariable, withoutTaken } from './secrets/env-files.ts';
import { isUsableVariable, isVariableName } from './secrets/usable-variable.ts';

/** The environment with the variables that loading the configuration found, behind those that it has. */
export function withConfigVariables(
  environment: Environment,
  { added = [] }: { readonly added?: readonly AddedVariable[] | undefined },
): Environment {
  const found = withoutTaken(environment.variables, added);
  if (found.length === 0) return environment;
  return Object.freeze({
    ...environment,
    variables: joinVariables(environment.variables, found),
    origins: new Map([...environment.origins, ...found.map(({ name, from }) => [name, from] as const)]),
  });
}

/** A variable that is there keeps its value. One that is blank counts as not set. */
export function joinVariables(variables: EnvironmentVariables, added: readonly AddedVariable[]): EnvironmentVariables {
  const found = withoutTaken(variables, added).map(({ name, value }) => [name, value] as const);
  return Object.freeze({ ...variables, ...Object.fromEntries(found) });
}

/** The texts under `env` and `env.vars`. What stands under `vars` wins over a text directly under `env`. */
export function listEnvVariables(env: unknown): readonly AddedVariable[] {
  return written(env)
    .toReversed()
    .filter(({ name }) => isUsableVariable(name))
    .map(({ at, name, value }) => ({ name, value, from: `${at.slice(0, -1).join('.')} of the configuration` }));
}

/** Variables that are not set, each with the reason. */
export function listVariableOddities({
  env,
}: Config): readonly { readonly at: ConfigPath; readonly message: string }[] {
  return written(env)
    .filter(({ name }) => !isUsableVariable(name))
    .map(({ at, name }) => ({
      at,
      message: isVariableName(name)
        ? `${at.join('.')} is not set: ${name} decides how this program is started or found. Give it to the process of the gateway.`
        : `${at.join('.')} is not set: a variable has a name of letters, digits and _.`,
    }));
}

/** The time that the login shell has; undefined when it is not asked for. */
export function shellTimeoutOf(env: unknown, variables: EnvironmentVariables, usual: number): number | undefined {
  const shell = isPlainObject(env) && isPlainObject(env.shellEnv) ? env.shellEnv : {};
  const isAsked = shell.enabled === true || ['1', 'true'].includes(variables.OPENCLAW_LOAD_SHELL_ENV?.trim() ?? '');
  if (!isAsked) return undefined;
  const given = [shell.timeoutMs, Number(variables.OPENCLAW_SHELL_ENV_TIMEOUT_MS)];
  return given.find((each): each is number => typeof each === 'number' && Number.isFinite(each) && each > 0) ?? usual;
}

interface WrittenVariable {
  readonly at: ConfigPath;
  readonly name: string;
  readonly value: string;
}

function written(env: unknown): readonly WrittenVariable[] {
  if (!isPlainObject(env)) return [];
  const texts = (place: ConfigPath, values: object): readonly WrittenVariable[] =>
    Object.entries(values).flatMap(([name, value]) =>
      typeof value === 'string' ? [{ at: [...place, name], name, value }] : [],
    );
  return [...texts(['env'], env), ...texts(['env', 'vars'], isPlainObject(env.vars) ? env.vars : {})];
}
