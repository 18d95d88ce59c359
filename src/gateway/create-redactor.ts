// Builds what hides secrets in the records and logs of an installation, from its configuration.
// Errors: RedactPatternError.

import { redactPatternsOf } from '../config/log-settings.ts';
import type { Config } from '../config/schema.ts';
import { compileRedactor, type Redactor } from '../recorder/redactor.ts';

export function createRedactor(config: Pick<Config, 'logging'>): Promise<Redactor> {
  return compileRedactor(redactPatternsOf(config));
}
