// How an agent is called by people: `identity.name` of its entry, else its `name`; and its sign, `identity.emoji`. Where no
// patterns are configured, both are also what a message of a group speaks to it by, as in OpenClaw. What an agent thinks
// of itself is in IDENTITY.md, which this file does not know.

import { escapePattern } from '../protocol/escape-pattern.ts';
import { resolveAgentConfig } from './agents.ts';
import type { Config } from './schema.ts';

export interface AgentIdentity {
  readonly name?: string | undefined;
  readonly emoji?: string | undefined;
}

export function agentIdentityOf(config: Config, agentId: string): AgentIdentity {
  const { identity, name } = resolveAgentConfig(config, agentId) ?? {};
  const [called, emoji] = [filled(identity?.name) ?? filled(name), filled(identity?.emoji)];
  return { ...(called !== undefined && { name: called }), ...(emoji !== undefined && { emoji }) };
}

/** The patterns by which a message of a group speaks to the agent: its own, the common ones, else its identity. */
export function mentionPatternsOf(config: Config, agentId: string): readonly string[] {
  const { groupChat, identity } = resolveAgentConfig(config, agentId) ?? {};
  const given = groupChat?.mentionPatterns ?? config.messages?.groupChat?.mentionPatterns;
  if (given !== undefined) return given;
  const [name, emoji] = [filled(identity?.name), filled(identity?.emoji)];
  const words = name?.split(/\s+/).map(escapePattern).join('\\s+');
  return [...(words === undefined ? [] : [`\\b@?${words}\\b`]), ...(emoji === undefined ? [] : [escapePattern(emoji)])];
}

function filled(value: unknown): string | undefined {
  return typeof value === 'string' ? value.trim() || undefined : undefined;
}
