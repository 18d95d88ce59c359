// A tool, or a factory of tools, as a plugin hands it over, made into a registration: names checked, schemas plain JSON,
// answers of whatever form made into what a tool answers with.

import { isJsonObject, type JsonObject, type JsonValue } from '../../protocol/json.ts';
import type { PluginHost } from '../plugin-host.ts';
import type { PluginSetup } from '../plugin-setup.ts';
import type { PluginTool, PluginToolResult, PluginToolScope, ToolRegistration } from '../registration.ts';
import type { Problem } from './registration-intake.ts';

export function registeredTool(
  tool: unknown,
  options: unknown,
  setup: PluginSetup,
  host: PluginHost,
): ToolRegistration | Problem {
  const { name, names, optional } = isJsonObject(options) ? options : ({} as JsonObject);
  const given = Array.isArray(names) ? names : [name];
  const declared = (known: readonly string[]) =>
    known.length > 0 && known.every((each) => setup.manifest.tools.includes(each));

  if (typeof tool === 'function') {
    const known = given.filter(isToolName);
    const make = async (scope: PluginToolScope): Promise<readonly PluginTool[]> => {
      const made: unknown = await tool(factoryContext(scope, setup, host));
      return (Array.isArray(made) ? made : [made])
        .filter((each) => each !== null && each !== undefined)
        .slice(0, MOST_HANDED_OVER)
        .flatMap((each) => offered(pluginTool(each), each, scope));
    };
    return { kind: 'tool', names: known, optional: optional === true, isDeclared: declared(known), make };
  }
  const made = pluginTool(tool);
  if ('problem' in made) return made;
  return {
    kind: 'tool',
    names: [made.name],
    optional: optional === true,
    isDeclared: declared([made.name]),
    make: (scope) => offered(made, tool, scope),
  };
}

/** The gateway offers fewer, and can warn when a plugin gives more than that. */
const MOST_HANDED_OVER = 1_000;

/** What models accept as a name. */
function isToolName(name: unknown): name is string {
  return typeof name === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(name);
}

/** A tool for owners is left out for other senders here, so that the caller need not check it. */
function offered(made: PluginTool | Problem, tool: unknown, scope: PluginToolScope): PluginTool[] {
  if ('problem' in made) throw new Error(`A tool of the plugin cannot be used: ${made.problem}.`);
  const isForOwners = (tool as { ownerOnly?: unknown }).ownerOnly === true;
  return isForOwners && scope.senderIsOwner !== true ? [] : [made];
}

function pluginTool(tool: unknown): PluginTool | Problem {
  if (typeof tool !== 'object' || tool === null)
    return { problem: 'it is neither a tool nor a function that makes one' };
  const { name, label, description, parameters, inputSchema, execute } = tool as Record<string, unknown>;
  if (!isToolName(name)) return { problem: 'its name is not one that a model can call (letters, digits, _ and -)' };
  if (typeof execute !== 'function') return { problem: `the tool "${name}" has no execute function` };
  return {
    name,
    label: typeof label === 'string' ? label : undefined,
    description: typeof description === 'string' ? description : '',
    parameters: plainSchema(parameters ?? inputSchema),
    execute: async (toolCallId, params, signal) =>
      toolResult(await execute.call(tool, toolCallId, params, signal, () => undefined)),
  };
}

/** Builders of schemas leave symbols and functions in them, which neither a model nor a message to a worker can take. */
function plainSchema(schema: unknown): JsonObject {
  try {
    const plain: unknown = JSON.parse(JSON.stringify(schema));
    if (isJsonObject(plain)) return plain;
  } catch {
    // What cannot be written down describes nothing.
  }
  return { type: 'object', properties: {} };
}

function toolResult(answer: unknown): PluginToolResult {
  if (answer === undefined || answer === null) return { content: [] };
  if (typeof answer === 'object' && Array.isArray((answer as { content?: unknown }).content)) {
    return answer as PluginToolResult;
  }
  if (typeof answer === 'string') return { content: [{ type: 'text', text: answer }] };
  return { content: [{ type: 'text', text: JSON.stringify(answer, null, 2) ?? '' }], details: answer as JsonValue };
}

function factoryContext(scope: PluginToolScope, setup: PluginSetup, host: PluginHost): object {
  const config = structuredClone(setup.config);
  return {
    workspaceDir: setup.workspaceDir,
    ...scope,
    config,
    runtimeConfig: config,
    getRuntimeConfig: () => config,
    resolveApiKeyForProvider: (provider: string) => host.readProviderKey(provider),
  };
}
