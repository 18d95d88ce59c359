// Whether an agent's prompt speaks of heartbeats, and so whether it needs HEARTBEAT.md. Only the default agent's does,
// and only while its heartbeat really beats.

import { normalizeAgentId } from '../protocol/agent-id.ts';
import {
  agentIdOf,
  listAgentConfigs,
  resolveAgentConfig,
  resolveAgentDefaults,
  resolveDefaultAgentId,
} from './agents.ts';
import { isPlainObject, type PlainObject } from './plain-object.ts';
import type { Config } from './schema.ts';

export const DEFAULT_HEARTBEAT_EVERY = '30m';

export interface HeartbeatGuidanceFacts {
  readonly config?: Config | undefined;
  readonly agentId?: string | undefined;
  readonly defaultAgentId?: string | undefined;
}

export function shouldIncludeHeartbeatGuidance({ config, ...ids }: HeartbeatGuidanceFacts): boolean {
  const defaultAgentId = ids.defaultAgentId ?? resolveDefaultAgentId(config ?? {});
  const agentId = normalizeAgentId(ids.agentId ?? defaultAgentId);
  if (agentId !== normalizeAgentId(defaultAgentId)) return false;
  if (config !== undefined && !beatsByPolicy(config, agentId)) return false;

  const heartbeat = heartbeatOf(config, agentId);
  if (heartbeat.includeSystemPromptSection === false) return false;
  return parseDurationMs(heartbeat.every ?? DEFAULT_HEARTBEAT_EVERY) > 0;
}

/** As soon as one agent has a heartbeat of its own, the others have none. */
export function beatsByPolicy(config: Config, agentId: string): boolean {
  const withHeartbeat = listAgentConfigs(config).filter((entry) => Boolean(entry.heartbeat));
  if (withHeartbeat.length > 0) return withHeartbeat.some((entry) => agentIdOf(entry) === agentId);
  return agentId === resolveDefaultAgentId(config);
}

export function heartbeatOf(config: Config | undefined, agentId: string): PlainObject {
  const shared: unknown = resolveAgentDefaults(config).heartbeat;
  const own: unknown = config === undefined ? undefined : resolveAgentConfig(config, agentId)?.heartbeat;
  return { ...(isPlainObject(shared) && shared), ...(isPlainObject(own) && own) };
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const DURATION = /^(?:\d+(?:\.\d+)?|(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+)$/;

/** Milliseconds of "90s", "1h30m" or "5" (minutes); 0 for anything that is no duration. */
export function parseDurationMs(value: unknown): number {
  const text = typeof value === 'string' ? value.trim().toLowerCase() : '';
  if (!DURATION.test(text)) return 0;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)?/g)) {
    total += Number(amount) * (UNIT_MS[unit ?? 'm'] ?? 0);
  }
  return Math.round(total);
}
