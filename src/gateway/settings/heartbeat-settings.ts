// Which agents have a heartbeat, and the settings of each: its interval, its hours, its target and its prompt.

import { HEARTBEAT_TOKEN } from '../../agent/spoken-reply.ts';
import { listAgentIds } from '../../config/agents.ts';
import type { Environment } from '../../config/environment.ts';
import { beatsByPolicy, DEFAULT_HEARTBEAT_EVERY, heartbeatOf, parsePace } from '../../config/heartbeat-guidance.ts';
import type { Config } from '../../config/schema.ts';
import { resolveTimezone } from '../../config/timezone.ts';
import { isTimezone } from '../../protocol/timezone.ts';
import { type ActiveHours, parseTimeOfDay } from '../../schedule/active-hours.ts';
import type { HeartbeatAgent } from '../../schedule/heartbeats.ts';
import { SHORTEST_PACE_MS } from '../../schedule/job-schedule.ts';

export interface HeartbeatSettings extends HeartbeatAgent {
  /** `last`, `none`, or a surface such as `web:<name>`. */
  readonly target: string;
  /** With `block`, an answer is never sent to a direct conversation. */
  readonly directPolicy: 'allow' | 'block';
}

const DEFAULT_PROMPT =
  'This is a heartbeat: nobody has written. Follow HEARTBEAT.md in your workspace as it stands now, and nothing from earlier ' +
  `conversations. When something needs a person, say so in a few words. When nothing does, answer ${HEARTBEAT_TOKEN} and nothing else.`;

const DEFAULT_ACK_MAX_CHARS = 300;

export function heartbeatSettingsOf(
  config: Config,
  environment: Pick<Environment, 'timezone'>,
  mainSessionKeyOf: (agentId: string) => string,
): readonly HeartbeatSettings[] {
  return listAgentIds(config).flatMap((agentId): readonly HeartbeatSettings[] => {
    const heartbeat = heartbeatOf(config, agentId);
    const everyMs = parsePace(heartbeat.every ?? DEFAULT_HEARTBEAT_EVERY);
    if (everyMs <= 0 || !beatsByPolicy(config, agentId)) return [];
    const { prompt, ackMaxChars } = heartbeat;
    return [
      {
        agentId,
        sessionKey: mainSessionKeyOf(agentId),
        everyMs: Math.max(everyMs, SHORTEST_PACE_MS),
        activeHours: activeHoursOf(heartbeat.activeHours, config, environment),
        target: targetOf(heartbeat),
        directPolicy: heartbeat.directPolicy === 'block' ? 'block' : 'allow',
        prompt: typeof prompt === 'string' && prompt.trim() !== '' ? prompt : DEFAULT_PROMPT,
        ackMaxChars: typeof ackMaxChars === 'number' ? ackMaxChars : DEFAULT_ACK_MAX_CHARS,
      },
    ];
  });
}

/** OpenClaw names the channel and the person apart: `target: "telegram", to: "123"`. */
function targetOf({ target, to, accountId }: Readonly<Record<string, unknown>>): string {
  const named = typeof target === 'string' ? target.trim() : '';
  if (named === '') return 'last';
  if (typeof to !== 'string' || to.trim() === '' || !/^[a-z][a-z0-9-]*$/i.test(named)) return named;
  if (named === 'last' || named === 'none') return named;
  const account = typeof accountId === 'string' && accountId.trim() !== '' ? `/${accountId.trim()}` : '';
  return `${named}${account}:${to.trim()}`;
}

function activeHoursOf(
  given: unknown,
  config: Config,
  environment: Pick<Environment, 'timezone'>,
): ActiveHours | undefined {
  if (typeof given !== 'object' || given === null) return undefined;
  const { start = '00:00', end = '24:00', timezone = 'user' } = given as Readonly<Record<string, unknown>>;
  const [from, to] = [parseTimeOfDay(String(start)), parseTimeOfDay(String(end))];
  if (from === undefined || to === undefined) return undefined;
  const named = String(timezone).trim();
  const zone =
    named === 'local' ? environment.timezone : isTimezone(named) ? named : resolveTimezone(config, environment);
  return { start: from, end: to, timezone: zone };
}
