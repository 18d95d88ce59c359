// Checks what the operator wrote for a plugin against the plugin's own schema, and fills in the schema's defaults.
// Problems name the place and what is expected there, never the value: it may be a secret. The schema comes from
// the plugin, so checking it has a time limit.

import { checkSchema, type SchemaProblem } from '../../protocol/check-schema.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { nearMatch } from '../../protocol/near-match.ts';

export type CheckedConfig =
  | { readonly ok: true; readonly config: JsonObject; readonly warning?: string | undefined }
  | { readonly ok: false; readonly problems: readonly string[] };

export async function checkPluginConfig(
  id: string,
  schema: JsonObject | undefined,
  written: Readonly<Record<string, unknown>> = {},
  timeoutMs?: number,
): Promise<CheckedConfig> {
  const given = structuredClone(written) as JsonObject;
  if (schema === undefined) return { ok: true, config: given };
  // A copy, because the defaults are written into it.
  const config = structuredClone(given);
  const check = await checkSchema(schema, config, { fillsDefaults: true, timeoutMs });
  if (check.kind === 'unusable') {
    const warning = `Its configSchema cannot be used, so nothing was checked: ${check.reason}`;
    return { ok: true, config: given, warning };
  }
  if (check.kind === 'overran') {
    return { ok: false, problems: [`Its configSchema could not be checked within ${check.timeoutMs / 1_000} s.`] };
  }
  if (check.problems.length === 0) return { ok: true, config };
  const sentences = check.problems.filter(({ keyword }) => !WRAPPERS.has(keyword)).map(sentenceOf(id, schema));
  const problems = [...new Set(sentences)];
  const left = problems.length - MAX_PROBLEMS;
  return {
    ok: false,
    problems: left > 0 ? [...problems.slice(0, MAX_PROBLEMS), `There are ${left} more problems.`] : problems,
  };
}

/** These problems only repeat that another problem exists. */
const WRAPPERS: ReadonlySet<string> = new Set(['if']);
const MAX_PROBLEMS = 10;

function sentenceOf(id: string, schema: JsonObject) {
  return ({ instancePath, keyword, params, message }: SchemaProblem): string => {
    const place = placeOf(id, instancePath);
    if (keyword === 'additionalProperties') {
      const name = String(params.additionalProperty);
      const near = instancePath === '' ? nearMatch(name, Object.keys(propertiesOf(schema))) : undefined;
      const hint = near === undefined ? '' : ` Did you mean "${near}"?`;
      return `${place}.${name.slice(0, 80)} is not a setting of this plugin.${hint}`;
    }
    if (keyword === 'required') return `${place}.${String(params.missingProperty)} is missing.`;
    const allowed = keyword === 'const' ? [params.allowedValue] : keyword === 'enum' ? params.allowedValues : undefined;
    if (Array.isArray(allowed)) {
      return `${place} must be ${allowed
        .slice(0, 20)
        .map((value) => JSON.stringify(value))
        .join(' or ')}.`;
    }
    return `${place} ${message ?? 'is not as the plugin expects it'}.`;
  };
}

function placeOf(id: string, instancePath: string): string {
  const parts = instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  return ['plugins', 'entries', id, 'config', ...parts].join('.').slice(0, 300);
}

function propertiesOf({ properties }: JsonObject): object {
  return typeof properties === 'object' && properties !== null ? properties : {};
}
