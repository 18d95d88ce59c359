// Builds what hides secrets in the records and logs of an installation, from its configuration and its variables.
// Errors: RedactPatternError.

import { withConfigVariables } from '../../config/config-variables.ts';
import type { Environment } from '../../config/environment.ts';
import type { LoadedConfig } from '../../config/load-config.ts';
import { redactPatternsOf } from '../../config/log-settings.ts';
import { compileRedactor, type LearningRedactor } from '../../recorder/redactor.ts';
import { listKnownSecrets } from '../known-secrets.ts';

export type SecretSources = Pick<LoadedConfig, 'config' | 'added'>;

export async function createRedactor(environment: Environment, loaded: SecretSources): Promise<LearningRedactor> {
  const redactor = await compileRedactor(redactPatternsOf(loaded.config));
  learnSecrets(redactor, environment, loaded);
  return redactor;
}

/** Called again when the configuration was read anew. */
export function learnSecrets(redactor: LearningRedactor, environment: Environment, loaded: SecretSources): void {
  const { variables } = withConfigVariables(environment, loaded);
  redactor.know(listKnownSecrets({ config: loaded.config, variables }));
}
