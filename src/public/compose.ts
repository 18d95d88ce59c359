// Composition for programs: the same engine that the commands use, with defaults filled in.

import { checkConfigObject } from '../config/check-config-object.ts';
import { readEnvironment } from '../config/environment.ts';
import { loadConfig } from '../config/load-config.ts';
import type { Config } from '../config/schema.ts';
import type { Composition } from '../context/compose.ts';
import { ContextEngine, type ContextRequest } from '../gateway/composer/context-engine.ts';
import { defaultRunner } from './bootstrap-handlers.ts';
import { checkOptions } from './check-options.ts';
import { UnknownOptionError } from './errors.ts';
import { ownHandlers } from './own-handlers.ts';

export interface ComposeOptions extends Omit<ContextRequest, 'at' | 'runId' | 'record' | 'texts'> {
  /** The default is now. */
  readonly at?: Date | undefined;
  /** A configuration as an object. Without one, the file at `configPath` or the home's own file is read. */
  readonly config?: Config | undefined;
  readonly configPath?: string | undefined;
  /** The composition of the run before, to find out what changed. */
  readonly previous?: Composition | undefined;
  /** The name of `config` in the event of a handler. */
  readonly cfg?: Config | undefined;
  /** The name of `channel` in the event of a handler. */
  readonly channelContext?: ContextRequest['channel'];
}

const OPTIONS: Readonly<Record<keyof ComposeOptions, true>> = {
  agentId: true,
  workspaceDir: true,
  taxonomy: true,
  sessionKey: true,
  sessionId: true,
  sessionType: true,
  trigger: true,
  channel: true,
  channelName: true,
  isForSeveralPeople: true,
  channelContext: true,
  at: true,
  timezone: true,
  config: true,
  cfg: true,
  configPath: true,
  previous: true,
};

/** Composes what an agent would read, with the handlers that are registered at this moment. */
export async function compose(options: ComposeOptions = {}): Promise<Composition> {
  checkOptions('compose', options, Object.keys(OPTIONS));
  const { config, cfg, configPath, previous, at = new Date(), channel, channelContext, ...request } = options;
  const environment = readEnvironment();
  const given = oneOf({ config, cfg });
  const used = given ? await checkConfigObject(given) : (await loadConfig({ environment, configPath })).config;
  const engine = new ContextEngine({
    environment,
    config: used,
    configPath,
    runner: defaultRunner,
    handlers: ownHandlers(used, environment),
  });
  return engine.compose({ ...request, channel: oneOf({ channel, channelContext }), at }, previous);
}

/** Two names for one thing may not both be used, because one of the values would be ignored. */
function oneOf<Value>(named: Readonly<Record<string, Value | undefined>>): Value | undefined {
  const [first, second] = Object.entries(named).filter(([, value]) => value !== undefined);
  if (!second) return first?.[1];
  const detail = `it is another name for "${first?.[0]}", which is given as well`;
  throw new UnknownOptionError({ call: 'compose', option: second[0], detail });
}
