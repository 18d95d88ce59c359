// Replaces `${NAME}` in the texts of a configuration by the environment variable. `$${NAME}` stands for the literal
// text. Where a variable is not set, the text stays as it is and the variable is reported, because not every section is
// used.

import type { ConfigPath } from './config-path.ts';
import type { EnvironmentVariables } from './home-dir.ts';
import { isPlainObject } from './plain-object.ts';

export interface MissingVariable {
  readonly path: ConfigPath;
  readonly name: string;
}

export interface SubstitutedConfig {
  readonly value: unknown;
  readonly missing: readonly MissingVariable[];
}

/** Only names in capitals count; `${name}` is left for templates that use it with another meaning. */
const REFERENCE = /(\$?)\$\{([A-Z_][A-Z0-9_]*)\}/g;

export function substituteVariables(value: unknown, variables: EnvironmentVariables): SubstitutedConfig {
  const missing: MissingVariable[] = [];
  return { value: substitute(value, []), missing };

  function substitute(current: unknown, path: ConfigPath): unknown {
    if (typeof current === 'string') return substituteText(current, path);
    if (Array.isArray(current)) return current.map((item, index) => substitute(item, [...path, index]));
    if (!isPlainObject(current)) return current;
    return Object.fromEntries(Object.entries(current).map(([key, item]) => [key, substitute(item, [...path, key])]));
  }

  function substituteText(text: string, path: ConfigPath): string {
    if (!text.includes('${')) return text;
    return text.replace(REFERENCE, (reference, dollar: string, name: string) => {
      if (dollar !== '') return reference.slice(1);
      const found = variables[name];
      if (found) return found;
      missing.push({ path, name });
      return reference;
    });
  }
}
