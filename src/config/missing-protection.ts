// What a configuration asks to be protected from and Atrium cannot do: which tools are refused to a session because of
// it. The operator lifts a refusal by naming the setting in `acceptUnused`. What keeps a gateway from starting is in
// `LoadedConfig.unused`.

import { buildAgentMainSessionKey } from '../protocol/build-session-key.ts';
import { agentPathOf, resolveAgentConfig, resolveAgentDefaults } from './agents.ts';
import { formatConfigPath } from './config-path.ts';
import { isAccepted } from './list-unused-settings.ts';
import type { Config } from './schema.ts';

/** The tools that a setting refuses, by name. */
export interface ToolRefusal {
  readonly tools: readonly string[];
  /** Tells the model and the person what was asked for, and what the operator can do. */
  readonly reason: string;
}

export interface ProtectedSession {
  readonly agentId?: string | undefined;
  readonly sessionKey?: string | undefined;
}

const COMMAND_TOOLS = ['exec', 'process'];
const CHANGING_TOOLS = [...COMMAND_TOOLS, 'write', 'edit', 'apply_patch'];

export function listToolRefusals(config: Config, session: ProtectedSession): readonly ToolRefusal[] {
  const found: ToolRefusal[] = [];
  const refuse = (tools: readonly string[], path: string, why: string, accept = path) => {
    if (!isAccepted(config, path)) found.push({ tools, reason: `${why} ${wayOut(accept)}` });
  };
  const sandbox = missingSandboxOf(config, session);
  if (sandbox) {
    const why = `${sandbox.path}.mode is "${sandbox.mode}", and Atrium has no sandbox: this would happen on the machine of the gateway, as its user.`;
    refuse(CHANGING_TOOLS, sandbox.path, why);
  }
  for (const { place, tools } of toolPlaces(config, session)) {
    const { host } = tools?.exec ?? {};
    if (host !== undefined && !['auto', 'gateway'].includes(host)) {
      const path = `${place}.exec.host`;
      refuse(COMMAND_TOOLS, path, `${path} is "${host}", and Atrium runs commands on the machine of the gateway only.`);
    }
    if (Object.keys(tools?.toolsBySender ?? {}).length > 0) {
      const path = `${place}.toolsBySender`;
      refuse(CHANGING_TOOLS, path, `${path} gives senders different tools, and Atrium does not tell senders apart.`);
    }
  }
  return found;
}

/** The sandbox in which the session should run; undefined when none was asked for, or when the operator accepted that. */
export function missingSandboxOf(
  config: Config,
  { agentId, sessionKey }: ProtectedSession,
): { readonly path: string; readonly mode: string } | undefined {
  const { place, entry } = entryOf(config, agentId);
  const own = entry?.sandbox?.mode;
  const mode = own ?? resolveAgentDefaults(config).sandbox?.mode ?? 'off';
  const path = own === undefined ? 'agents.defaults.sandbox' : `${place}.sandbox`;
  if (mode === 'off' || isAccepted(config, path)) return undefined;
  if (mode === 'non-main' && sessionKey !== undefined && sessionKey === mainKeyOf(config, agentId)) return undefined;
  return { path, mode };
}

function mainKeyOf({ session }: Config, agentId: string | undefined): string {
  return session?.scope === 'global' ? 'global' : buildAgentMainSessionKey({ agentId, mainKey: session?.mainKey });
}

function toolPlaces(config: Config, { agentId }: ProtectedSession) {
  const { place, entry } = entryOf(config, agentId);
  return [{ place: 'tools', tools: config.tools }, ...(entry ? [{ place: `${place}.tools`, tools: entry.tools }] : [])];
}

function entryOf(config: Config, agentId: string | undefined) {
  const path = agentId === undefined ? undefined : agentPathOf(config, agentId);
  if (agentId === undefined || path === undefined) return {};
  return { place: formatConfigPath(path), entry: resolveAgentConfig(config, agentId) };
}

function wayOut(path: string): string {
  return `It is refused until the operator takes that setting back, or accepts it with "acceptUnused": ["${path}"].`;
}
