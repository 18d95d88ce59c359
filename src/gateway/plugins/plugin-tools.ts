// The tools that plugins bring, for one agent in one session with one model. Every registration is asked at the same time,
// and what it answered holds for some seconds, because a run asks several times. When a registration throws,
// hangs or answers nonsense, only its own tools are missing.
//
// Rules: no tool takes the name of another. The product's own go first, then plugins in the order of loading; only the
// plugin that is the memory may put its own tools in the place of the product's memory tools.

import type { PluginRegistry, Registered } from '../../plugins/plugin-registry.ts';
import type { PluginTool, PluginToolResult, PluginToolScope } from '../../plugins/registration.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../protocol/json.ts';
import { remembered } from '../../protocol/remembered.ts';
import { isShallow, MAX_SCHEMA_CHARS, MAX_SCHEMA_DEPTH, readDescription } from '../../tools/mcp/listed-tool.ts';
import { readCallResult } from '../../tools/mcp/read-call-result.ts';
import { TOOL_GROUPS } from '../../tools/policy/tool-groups.ts';
import type { Tool, ToolOutput } from '../../tools/tool.ts';
import { normalizeToolName } from '../../tools/tool-name.ts';
import { askPlugin, reasonOf } from './ask-plugin.ts';

export interface PluginToolsParts {
  readonly registry: PluginRegistry;
  /** The plugin that the operator chose as the memory. */
  readonly memoryHolder: () => string | null | undefined;
  readonly now: () => number;
  /** Called once for each problem. */
  readonly warn: (sentence: string) => void;
  /** How long a factory may take; the default is 5 seconds. */
  readonly factoryMs?: number | undefined;
}

const FACTORY_MS = 5_000;
const FRESH_MS = 10_000;
const MAX_TOOLS_OF_REGISTRATION = 256;
/** The limit for one plugin; models take far fewer. */
const MAX_REGISTRATIONS = 256;
const MAX_TOOLS_OF_PLUGIN = 512;
const MAX_KEPT_SCOPES = 64;
const MAX_TOLD = 1_000;
const MAX_KNOWN_SCHEMAS = 512;
const LONGEST_KNOWN_SCHEMA = 4_096;

export class PluginTools {
  readonly #parts: PluginToolsParts;
  /** By registration, so that a plugin that was loaded again is asked again. */
  readonly #made = new WeakMap<
    object,
    Map<string, { readonly at: number; readonly tools: Promise<readonly Tool[]> }>
  >();
  readonly #told = new Set<string>();

  constructor(parts: PluginToolsParts) {
    this.#parts = parts;
  }

  /** All tools: `own` without those that a memory plugin replaces, then those of plugins. */
  async join(own: readonly Tool[], scope: PluginToolScope): Promise<readonly Tool[]> {
    const registered = firstOfEach(this.#parts.registry.registered('tool'), MAX_REGISTRATIONS, pluginOf);
    if (registered.length === 0) return own;
    const key = JSON.stringify(scope);
    const made = (await Promise.all(registered.map((each) => this.#toolsOf(each, scope, key)))).flat();
    const brought = firstOfEach(made, MAX_TOOLS_OF_PLUGIN, ownerOf);
    const kept = new Set(brought);
    const greedy = new Set(made.filter((tool) => !kept.has(tool)).map(ownerOf));
    for (const id of greedy)
      this.#tell(`The plugin "${id}" has more than ${MAX_TOOLS_OF_PLUGIN} tools; the first count.`);
    const memoryHolder = this.#parts.memoryHolder();
    const replaced = new Set(
      brought.filter(({ owner, name }) => owner === memoryHolder && isMemoryName(name)).map(keyOf),
    );
    const joined = own.filter((tool) => tool.owner !== undefined || !replaced.has(keyOf(tool)));
    const taken = new Map(joined.map((tool) => [keyOf(tool), tool]));
    for (const tool of brought) {
      const holder = taken.get(keyOf(tool));
      if (holder) {
        this.#refuse(tool, holder);
        continue;
      }
      taken.set(keyOf(tool), tool);
      joined.push(tool);
    }
    return joined;
  }

  /** `key` tells the scope from others. */
  #toolsOf(registered: Registered<'tool'>, scope: PluginToolScope, key: string): Promise<readonly Tool[]> {
    const { registration } = registered;
    const kept = this.#made.get(registration) ?? new Map();
    this.#made.set(registration, kept);
    const now = this.#parts.now();
    const last = kept.get(key);
    if (last && now - last.at < FRESH_MS && now >= last.at) return last.tools;
    const tools = this.#make(registered, scope);
    kept.delete(key);
    kept.set(key, { at: now, tools });
    if (kept.size > MAX_KEPT_SCOPES) kept.delete(kept.keys().next().value ?? '');
    return tools;
  }

  /** Never rejects. */
  async #make({ pluginId, registration }: Registered<'tool'>, scope: PluginToolScope): Promise<readonly Tool[]> {
    const names = registration.names.length > 0 ? ` (${registration.names.join(', ')})` : '';
    try {
      const { isHeldUp } = registration;
      const asked = { pluginId, what: `its tools${names}`, ms: this.#parts.factoryMs ?? FACTORY_MS, isHeldUp };
      const given: unknown = await askPlugin(asked, () => registration.make(scope));
      const list = (Array.isArray(given) ? given : [given]).filter((each) => each !== null && each !== undefined);
      if (list.length > MAX_TOOLS_OF_REGISTRATION) {
        this.#tell(
          `The plugin "${pluginId}" gave ${list.length} tools at once${names}; the first ${MAX_TOOLS_OF_REGISTRATION} count.`,
        );
      }
      return list.slice(0, MAX_TOOLS_OF_REGISTRATION).flatMap((each) => {
        const tool = readPluginTool(each, { pluginId, isOptional: registration.optional });
        if (typeof tool !== 'string') return [tool];
        this.#tell(`A tool of the plugin "${pluginId}" is not offered: ${tool}.`);
        return [];
      });
    } catch (error) {
      this.#tell(`The plugin "${pluginId}" could not give its tools${names}: ${reasonOf(error)}`);
      return [];
    }
  }

  #refuse({ name, owner }: Tool, holder: Tool): void {
    const whose = holder.owner === undefined ? 'Atrium has one of this name' : `"${holder.owner}" has one of this name`;
    this.#tell(`The tool "${name}" of the plugin "${owner}" is refused, because ${whose} already.`);
  }

  #tell(sentence: string): void {
    if (this.#told.has(sentence)) return;
    if (this.#told.size >= MAX_TOLD) this.#told.clear();
    this.#told.add(sentence);
    this.#parts.warn(sentence);
  }
}

const pluginOf = ({ pluginId }: Registered<'tool'>) => pluginId;
const ownerOf = ({ owner = '' }: Tool) => owner;

/** The items in their order, with a limit for each owner. */
function firstOfEach<Item>(items: readonly Item[], most: number, ownerOfItem: (item: Item) => string): readonly Item[] {
  if (items.length <= most) return items;
  const counts = new Map<string, number>();
  return items.filter((item) => {
    const count = (counts.get(ownerOfItem(item)) ?? 0) + 1;
    counts.set(ownerOfItem(item), count);
    return count <= most;
  });
}

function keyOf({ name }: Tool): string {
  return normalizeToolName(name);
}

function isMemoryName(name: string): boolean {
  return TOOL_GROUPS.get('group:memory')?.includes(normalizeToolName(name)) ?? false;
}

export interface ToolOwner {
  readonly pluginId: string;
  /** Offered only where a policy names it. */
  readonly isOptional: boolean;
}

/** The letters that every provider takes. */
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** The tool, or why it cannot be offered. */
function readPluginTool(given: unknown, { pluginId, isOptional }: ToolOwner): Tool | string {
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

/** The JSON Schema of an object as plain data, or what is wrong with it. */
function readSchema(parameters: unknown): JsonObject | string {
  if (parameters === undefined || parameters === null) return { type: 'object', properties: {} };
  if (!isJsonObject(parameters)) return 'are no JSON Schema';
  if (!isShallow(parameters, MAX_SCHEMA_DEPTH)) return 'nest too deeply, or in a circle';
  const text = JSON.stringify(parameters);
  if (text.length > MAX_SCHEMA_CHARS) return `take ${text.length} characters, and ${MAX_SCHEMA_CHARS} are the limit`;
  return schemaOf(text);
}

/**
 * A plugin is asked for its tools in every session. Equal parameters are the same object, so that what is made from a list
 * of tools can be kept with it: its text, its size, its parts.
 */
const schemaOf = remembered(
  MAX_KNOWN_SCHEMAS,
  (text): JsonObject | string => {
    const schema: JsonObject = JSON.parse(text);
    if (schema.type === undefined) return { type: 'object', properties: {}, ...schema };
    return schema.type === 'object' ? schema : 'are not of the type "object"';
  },
  LONGEST_KNOWN_SCHEMA,
);

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
