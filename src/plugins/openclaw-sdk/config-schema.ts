// The schema of a plugin's configuration, in the forms that plugins write it: none, JSON Schema, or zod.

import { createRequire } from 'node:module';
import type { JsonObject } from '../../protocol/json.ts';
import { isRecord } from './text-values.ts';

export interface PluginConfigSchema {
  readonly jsonSchema?: JsonObject | undefined;
  readonly uiHints?: JsonObject | undefined;
  readonly safeParse?: ((value: unknown) => ParsedConfig) | undefined;
  readonly parse?: ((value: unknown) => unknown) | undefined;
}

export interface ParsedConfig {
  readonly success: boolean;
  readonly data?: unknown;
  readonly error?: {
    readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];
  };
}

interface SchemaOptions {
  readonly uiHints?: JsonObject;
  readonly safeParse?: (value: unknown) => ParsedConfig;
}

/** A plugin that takes no configuration. */
export function emptyPluginConfigSchema(): PluginConfigSchema {
  return buildJsonPluginConfigSchema(
    { type: 'object', additionalProperties: false, properties: {} },
    {
      safeParse: (value) => {
        const isEmpty = value === undefined || (isRecord(value) && Object.keys(value).length === 0);
        return isEmpty
          ? { success: true, data: value }
          : failed([{ path: [], message: 'no configuration is expected' }]);
      },
    },
  );
}

export function buildJsonPluginConfigSchema(schema: JsonObject, options: SchemaOptions = {}): PluginConfigSchema {
  const { uiHints, safeParse = (value) => checkedBy(schema, value) } = options;
  return { jsonSchema: schema, uiHints, safeParse };
}

/** Of a zod schema, whichever copy of zod made it. */
export function buildPluginConfigSchema(schema: ZodLike, options: SchemaOptions = {}): PluginConfigSchema {
  const { uiHints, safeParse = (value) => schema.safeParse(value) } = options;
  return { jsonSchema: jsonSchemaOf(schema), uiHints, safeParse };
}

export interface ChannelConfigSchema {
  readonly schema: JsonObject;
  readonly uiHints?: JsonObject | undefined;
  readonly runtime: { readonly safeParse: (value: unknown) => ParsedConfig };
}

/** The schema of a channel. It is not asked here, because channels of plugins are not used. */
export function buildChannelConfigSchema(
  schema: ZodLike,
  { uiHints }: Pick<SchemaOptions, 'uiHints'> = {},
): ChannelConfigSchema {
  return { schema: jsonSchemaOf(schema), uiHints, runtime: { safeParse: (value) => schema.safeParse(value) } };
}

interface ZodLike {
  safeParse(value: unknown): ParsedConfig;
  toJSONSchema?(): object;
}

/** Older copies of zod have no JSON Schema; then every object is accepted. */
function jsonSchemaOf(schema: ZodLike): JsonObject {
  try {
    const written = schema.toJSONSchema?.();
    if (written) return written as JsonObject;
  } catch {
    // It contains a rule that JSON Schema does not have.
  }
  return { type: 'object', additionalProperties: true };
}

function checkedBy(schema: JsonObject, value: unknown): ParsedConfig {
  // Plugins expect a synchronous answer, so the library is required here, and only when it is needed.
  const { default: Ajv } = createRequire(import.meta.url)('ajv') as typeof import('ajv');
  const check = new Ajv({ allErrors: true, strict: false, useDefaults: true, validateSchema: false }).compile(schema);
  const data = structuredClone(value ?? {});
  if (check(data)) return { success: true, data };
  return failed(
    (check.errors ?? []).map(({ instancePath, message }) => ({
      path: instancePath.split('/').slice(1),
      message: message ?? 'it does not match the schema',
    })),
  );
}

function failed(issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[]): ParsedConfig {
  return { success: false, error: { issues } };
}
