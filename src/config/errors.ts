// The errors that config raises, one row each. docs/errors.md is made from these rows.

import { defineError } from '../protocol/errors.ts';

export class ConfigMissingError extends defineError({
  code: 'ATRIUM_CONFIG_MISSING',
  status: 422,
  message: ({ file }: { file: string }) =>
    `There is no configuration file ${file}. Check the path, or leave it out to use the one in the state directory.`,
  means: 'The file that `--config` or the environment names is not there.',
  remedy: 'Check the path, or leave it out to use the one in the state directory.',
}) {}

export class ConfigUnreadableError extends defineError({
  code: 'ATRIUM_CONFIG_UNREADABLE',
  status: 422,
  message: ({ file, detail }: { file: string; detail: string }) =>
    `The configuration ${file} cannot be read: ${detail}. Put a readable file there, or name another one with --config.`,
  means: 'The file is there but cannot be read.',
  remedy: 'Check its permissions, or name another file with `--config`.',
}) {}

export class ConfigSyntaxError extends defineError({
  code: 'ATRIUM_CONFIG_SYNTAX',
  status: 422,
  message: ({ file, line, column, problem }: { file: string; line: number; column: number; problem: string }) =>
    `${file}:${line}:${column}: ${problem}. Correct this line; nothing of the file was used.`,
  means: 'The text is neither valid JSON5 nor YAML. Nothing of it was used.',
  remedy: 'Correct the line that the message names.',
}) {}

export class ConfigIncludeError extends defineError({
  code: 'ATRIUM_CONFIG_INCLUDE',
  status: 422,
  message: ({ file, line, include, detail }: { file: string; line: number; include: string; detail: string }) =>
    `${file}:${line}: the included file ${include} cannot be used: ${detail}. Correct the "$include", or remove it.`,
  means: 'A file that is named by `$include` cannot be used.',
  remedy: 'Correct the path, or remove the `$include`.',
}) {}

/** One value of the configuration that its setting does not accept. */
export interface ConfigIssue {
  readonly file: string;
  readonly line: number;
  readonly path: string;
  readonly found: string;
  readonly expected: string;
}

export class ConfigInvalidError extends defineError({
  code: 'ATRIUM_CONFIG_INVALID',
  status: 422,
  message: ({ issues }: { issues: readonly ConfigIssue[] }) => {
    const lines = issues.map(
      ({ file, line, path, found, expected }) => `${file}:${line}: ${path} is ${found}; expected ${expected}.`,
    );
    return `${lines.join('\n')}\nCorrect ${issues.length === 1 ? 'this line' : 'these lines'} and try again.`;
  },
  means:
    'One or more settings have a value that they cannot have. `issues` holds file, line, path, what was found and what is expected.',
  remedy: 'Correct the lines that the message names.',
}) {}

export class ConfigEditError extends defineError({
  code: 'ATRIUM_CONFIG_EDIT',
  status: 422,
  message: ({ file, path, detail }: { file: string; path: string; detail: string }) =>
    `${path} cannot be changed in ${file}: ${detail}. The file is unchanged; please edit it by hand.`,
  means: 'A command could not change a setting without harming the rest of the file. The file is unchanged.',
  remedy: 'Edit the file by hand.',
}) {}

export class ConfigManagedError extends defineError({
  code: 'ATRIUM_CONFIG_MANAGED',
  status: 409,
  message: ({ file, path }: { file: string; path: string }) =>
    `${path} is not set in ${file}, because OPENCLAW_NIX_MODE is 1: another program makes that file. Change the setting where the file is made.`,
  means:
    'With OPENCLAW_NIX_MODE=1 the configuration files belong to another program, such as Nix. No command or plugin changes them.',
  remedy: 'Change the setting where the file is made, or take the variable back.',
}) {}

export class UnknownProviderError extends defineError({
  code: 'ATRIUM_MODEL_PROVIDER_UNKNOWN',
  message: ({
    provider,
    known,
    suggestion,
  }: {
    provider: string;
    known: readonly string[];
    suggestion: string | undefined;
  }) =>
    `There is no model provider "${provider}". ${
      suggestion ? `Did you mean "${suggestion}"?` : `Known: ${known.join(', ')}.`
    } Others are added under models.providers, with a baseUrl.`,
  means: 'The name before the slash of a model is no provider; `known` lists those that are.',
  remedy: 'Use one of them, or add it under `models.providers` with a `baseUrl`.',
}) {}

export class UnknownModelError extends defineError({
  code: 'ATRIUM_MODEL_UNKNOWN',
  message: ({ provider, model, suggestion }: { provider: string; model: string; suggestion: string | undefined }) =>
    `No list of ${provider} has the model "${model}". ${
      suggestion
        ? `Did you mean ${suggestion}?`
        : `"atrium models list --provider ${provider}" shows those that are known.`
    } "atrium models refresh ${provider}" asks the provider.`,
  means: 'Neither the configuration, nor the catalog, nor the list that the provider gave has this model.',
  remedy: 'Use the name that the message suggests, or ask the provider with `atrium models refresh`.',
}) {}

export class ModelNotAllowedError extends defineError({
  code: 'ATRIUM_MODEL_NOT_ALLOWED',
  status: 403,
  message: ({ model, setting, allowed }: { model: string; setting: string; allowed: readonly string[] }) =>
    `The model ${model} is not among those that may be chosen. ${setting} has ${allowed.slice(0, MOST_NAMED).join(', ')}${
      allowed.length > MOST_NAMED ? ` and ${allowed.length - MOST_NAMED} more` : ''
    }.`,
  means: 'A list in the configuration says which models may be chosen, and it does not have this one.',
  remedy: 'Choose one that the list has, or add this one to the list.',
}) {}

/** How many entries of a list an error names. */
const MOST_NAMED = 20;

export class MissingModelKeyError extends defineError({
  code: 'ATRIUM_MODEL_KEY_MISSING',
  message: ({ provider, variable }: { provider: string; variable: string }) =>
    `There is no API key for ${provider}. Set ${variable} in the environment, or models.providers.${provider}.apiKey in the configuration.`,
  means: 'The provider wants an API key and there is none.',
  remedy: 'Set the variable that the message names, or `models.providers.<name>.apiKey`.',
}) {}

export class ProviderSettingsError extends defineError({
  code: 'ATRIUM_MODEL_PROVIDER_SETTINGS',
  message: ({ provider, setting, problem }: { provider: string; setting: string; problem: string }) =>
    `The model provider "${provider}" cannot be used: ${setting} ${problem}.`,
  means: 'A provider is configured with an address or an API that cannot be used.',
  remedy: 'Correct the setting that the message names.',
}) {}
