// A tool as a plugin's factory gave it, made into one that a model may be offered: its words are bounded, its schema is
// plain data, and its answers become text. Nothing that a plugin gives is believed to have the form that it should have.

import type { PluginTool, PluginToolResult } from '../../plugins/registration.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../protocol/json.ts';
import { clip } from '../../protocol/one-line.ts';
import { isShallow } from '../../tools/mcp/listed-tool.ts';
import { readCallResult } from '../../tools/mcp/read-call-result.ts';
import type { Tool, ToolOutput } from '../../tools/tool.ts';

export interface ToolOwner {
  readonly pluginId: string;
  /** Offered only where a policy names it. */
  readonly isOptional: boolean;
}

const MAX_DESCRIPTION_CHARS = 4_000;
const MAX_SCHEMA_CHARS = 32_000;
const MAX_SCHEMA_DEPTH = 32;

/** The letters that every provider takes. */
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** The tool, or why it cannot be offered. */
export function readPluginTool(given: unknown, { pluginId, isOptional }: ToolOwner): Tool | string {
  if (typeof given !== 'object' || given === null) return 'it is no object';
  const { name, description, parameters, execute } = given as Partial<PluginTool>;
  if (typeof name !== 'string' || !TOOL_NAME.test(name)) {
    return `its name ${nameForPeople(name)} is not one of up to 64 letters, digits, dashes and underscores`;
  }
  if (typeof execute !== 'function') return `${name} has no execute function`;
  const schema = readSchema(parameters);
  if (typeof schema === 'string') return `the parameters of ${name} ${schema}`;
  return {
    name,
    description: readDescription(description),
    parameters: schema,
    idempotent: false,
    owner: pluginId,
    ...(isOptional ? { isOptional } : {}),
    // Called as a method, since a plugin may have written it as one.
    run: async (params, { toolCallId, signal }) =>
      readToolResult(await (given as PluginTool).execute(toolCallId, params, signal)),
  };
}

/** JSON Schema of an object, without whatever a library hangs on it; or what is wrong with it. */
function readSchema(parameters: unknown): JsonObject | string {
  if (parameters === undefined || parameters === null) return { type: 'object', properties: {} };
  if (!isJsonObject(parameters)) return 'are no JSON Schema';
  if (!isShallow(parameters, MAX_SCHEMA_DEPTH)) return 'nest too deeply, or in a circle';
  const text = JSON.stringify(parameters);
  if (text.length > MAX_SCHEMA_CHARS) return `take ${text.length} characters, and ${MAX_SCHEMA_CHARS} are the limit`;
  const schema: JsonObject = JSON.parse(text);
  if (schema.type === undefined) return { type: 'object', properties: {}, ...schema };
  return schema.type === 'object' ? schema : 'are not of the type "object"';
}

function readDescription(description: unknown): string {
  const plain =
    typeof description === 'string' ? description.replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, ' ').trim() : '';
  return clip(plain, MAX_DESCRIPTION_CHARS);
}

function nameForPeople(name: unknown): string {
  return JSON.stringify(typeof name === 'string' ? name.slice(0, 80) : null);
}

/** Plugins also answer with a plain text, or with an object that is their whole answer. */
function readToolResult(result: unknown): ToolOutput {
  if (typeof result === 'string') return { content: result };
  if (!isJsonObject(result)) return { content: '[The tool returned nothing.]' };
  const { content, details, isError } = result as Partial<PluginToolResult>;
  if (typeof content === 'string') return readToolResult({ ...result, content: [{ type: 'text', text: content }] });
  if (!Array.isArray(content)) return { content: JSON.stringify(result) };
  return {
    ...readCallResult({ content: content as JsonValue, isError: isError === true }),
    ...(details === undefined ? {} : { details }),
  };
}
