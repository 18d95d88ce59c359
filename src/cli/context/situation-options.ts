// The flags that name the agent, the session and the time. Every command that composes uses them, and they are read
// here.

import { type LoadedConfig, loadConfig } from '../../config/load-config.ts';
import type { Config } from '../../config/schema.ts';
import { resolveTimezone } from '../../config/timezone.ts';
import { resolveUserPath } from '../../config/user-path.ts';
import { ContextEngine, type ContextRequest } from '../../gateway/composer/context-engine.ts';
import { BadFlagError } from '../../gateway/errors.ts';
import type { LookRequest } from '../../gateway/services/preview-message.ts';
import { parseLocalTime } from '../../protocol/parse-local-time.ts';
import { SESSION_TYPES } from '../../protocol/session-type.ts';
import { isTimezone } from '../../protocol/timezone.ts';
import { ownHandlers } from '../../public/own-handlers.ts';
import type { CliIo } from '../cli-io.ts';
import type { FlagsOf } from '../command.ts';
import { CONFIG_OPTION } from '../common-options.ts';
import { warningLog } from '../gateway/gateway-log.ts';

export const SITUATION_OPTIONS = {
  '--agent <id>': 'the agent to compose for (default: the configured default agent)',
  '--workspace <dir>': "compose for this folder instead of the agent's workspace",
  '--session <key>': 'the session key, such as agent:main:discord:channel:42',
  '--type <type>': { text: 'the kind of session', choices: SESSION_TYPES },
  '--channel <name[:id]>': 'the channel that the message comes from, such as slack or slack:C042',
  '--at <time>': 'the moment: 23:30, 2026-05-01T08:00, or a full ISO time (default: now)',
  '--tz <zone>': 'the time zone, such as Europe/Berlin',
  ...CONFIG_OPTION,
} as const;

/** The flags of commands that speak of the whole request. */
export const LOOK_OPTIONS = {
  '--message <text>': 'the message that the request is about; without one, it is shown up to the message',
  '--run-hooks': 'also call prompt hooks that may have effects',
  '--strict': 'exit with 1 when something that a run would have could not be shown',
  ...SITUATION_OPTIONS,
} as const;

export type SituationFlags = Partial<FlagsOf<typeof SITUATION_OPTIONS>>;

export interface OpenedContext {
  readonly engine: ContextEngine;
  readonly request: ContextRequest;
  readonly loaded: LoadedConfig;
}

export async function openContext(flags: SituationFlags, io: CliIo): Promise<OpenedContext> {
  const loaded = await loadConfig({ environment: io.environment, configPath: flags.config });
  const engine = new ContextEngine({
    environment: io.environment,
    config: loaded.config,
    configPath: flags.config ?? loaded.files.at(-1)?.path,
    handlers: ownHandlers(loaded.config, io.environment, warningLog(io)),
  });
  return { engine, request: toRequest(flags, io, loaded), loaded };
}

function toRequest(flags: SituationFlags, io: CliIo, { config }: LoadedConfig): ContextRequest {
  const { at, timezone } = timeOf(flags, io, config);
  const [provider, ...rest] = (flags.channel ?? '').split(':');
  const channelId = rest.join(':');
  return {
    agentId: flags.agent,
    workspaceDir: flags.workspace,
    sessionKey: flags.session,
    sessionType: flags.type,
    channel: provider ? { provider, ...(channelId ? { channelId } : {}) } : undefined,
    at,
    timezone,
  };
}

/** The situation as a gateway is asked for it; what is not said is for the gateway to know. */
export function toLookRequest(flags: SituationFlags, io: CliIo, config: Config): LookRequest {
  const { home, cwd } = io.environment;
  return {
    agentId: flags.agent,
    workspaceDir: flags.workspace === undefined ? undefined : resolveUserPath(flags.workspace, home, cwd),
    sessionKey: flags.session,
    sessionType: flags.type,
    channel: flags.channel,
    at: timeOf(flags, io, config).at,
    timezone: flags.tz,
  };
}

function timeOf(flags: SituationFlags, io: CliIo, config: Config): { readonly at: Date; readonly timezone: string } {
  if (flags.tz !== undefined && !isTimezone(flags.tz)) {
    throw new BadFlagError({ flag: '--tz', value: flags.tz, expected: 'a time zone such as Europe/Berlin or UTC' });
  }
  const timezone = flags.tz ?? resolveTimezone(config, io.environment);
  const at = flags.at === undefined ? io.now() : parseLocalTime(flags.at, io.now(), timezone);
  if (!at)
    throw new BadFlagError({
      flag: '--at',
      value: flags.at ?? '',
      expected: 'a time such as 23:30, 2026-05-01T08:00 or 2026-05-01T08:00:00Z',
    });
  return { at, timezone };
}
