// Decides whether an agent's prompt mentions heartbeats, and so whether it needs HEARTBEAT.md. Only the default agent's
// prompt does, and only while its heartbeat is on.

import { normalizeAgentId } from '../protocol/agent-id.ts';
import { parseDuration } from '../protocol/duration.ts';
import { isTimezone } from '../protocol/timezone.ts';
import {
  agentIdOf,
  agentPathOf,
  listAgentConfigs,
  resolveAgentConfig,
  resolveAgentDefaults,
  resolveDefaultAgentId,
} from './agents.ts';
import { type ConfigPath, formatConfigPath } from './config-path.ts';
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
  return parsePace(heartbeat.every ?? DEFAULT_HEARTBEAT_EVERY) > 0;
}

/** As soon as one agent has a heartbeat setting of its own, the agents without one have no heartbeat. */
export function beatsByPolicy(config: Config, agentId: string): boolean {
  const withHeartbeat = listAgentConfigs(config).filter((entry) => Boolean(entry.heartbeat));
  if (withHeartbeat.length > 0) return withHeartbeat.some((entry) => agentIdOf(entry) === agentId);
  const named: unknown = heartbeatOf(config, agentId).agentId;
  return agentId === (typeof named === 'string' ? normalizeAgentId(named) : resolveDefaultAgentId(config));
}

export function heartbeatOf(config: Config | undefined, agentId: string): PlainObject {
  const shared: unknown = resolveAgentDefaults(config).heartbeat;
  const own: unknown = config === undefined ? undefined : resolveAgentConfig(config, agentId)?.heartbeat;
  return { ...(isPlainObject(shared) && shared), ...(isPlainObject(own) && own) };
}

/**
 * A pace that cannot be read switches heartbeats off, and a zone that does not exist is ignored. The operator meant
 * neither, so both are reported.
 */
export function listHeartbeatOddities(
  config: Config,
): readonly { readonly at: ConfigPath; readonly message: string }[] {
  const written: readonly (readonly [ConfigPath, string, unknown])[] = [
    [['agents', 'defaults', 'heartbeat'], 'agents.defaults.heartbeat', resolveAgentDefaults(config).heartbeat],
    ...listAgentConfigs(config).map((agent) => {
      const at: ConfigPath = [...(agentPathOf(config, agentIdOf(agent)) ?? []), 'heartbeat'];
      return [at, formatConfigPath(at), agent.heartbeat] as const;
    }),
  ];
  return written.flatMap(([at, name, heartbeat]) => {
    if (!isPlainObject(heartbeat)) return [];
    const { every, activeHours } = heartbeat;
    const timezone = isPlainObject(activeHours) ? activeHours.timezone : undefined;
    return [
      ...(typeof every === 'string' && readPace(every) === undefined
        ? [
            {
              at: [...at, 'every'],
              message: `${name}.every is "${every}", which is no span of time; there are no heartbeats. Write one such as "30m", or "0m" for none.`,
            },
          ]
        : []),
      ...(typeof timezone === 'string' && !NAMED_ZONES.includes(timezone.trim()) && !isTimezone(timezone.trim())
        ? [
            {
              at: [...at, 'activeHours', 'timezone'],
              message: `${name}.activeHours.timezone is "${timezone}", which is no time zone; that of agents.defaults.userTimezone is used. Write "user", "local" or one such as "Europe/Berlin".`,
            },
          ]
        : []),
    ];
  });
}

const NAMED_ZONES: readonly string[] = ['', 'user', 'local'];

/** Returns the milliseconds of "90s", "1h30m" or "5" (minutes), or 0 for text that is not a span of time. */
export function parsePace(value: unknown): number {
  return readPace(value) ?? 0;
}

function readPace(value: unknown): number | undefined {
  const text = typeof value === 'string' ? value.trim() : '';
  return parseDuration(/^\d+(?:\.\d+)?$/.test(text) ? `${text}m` : text);
}
