// The bundled bootstrap handlers with the operator's settings, in calling order. Settings are read from both places
// that existing homes use: `bootstrap.hooks` and `hooks.internal.entries`.

import { join } from 'node:path';
import type { Environment } from '../../config/environment.ts';
import type { Config } from '../../config/schema.ts';
import { resolveUserPath } from '../../config/user-path.ts';
import { createAgentOverridesHandler } from '../../context/handlers/agent-overrides/handler.ts';
import { createExtraFilesHandler } from '../../context/handlers/bootstrap-extra-files/handler.ts';
import { createCiModeHandler } from '../../context/handlers/ci-mode/handler.ts';
import { createGlobalFilesHandler } from '../../context/handlers/global-files/handler.ts';
import { createTimeContextHandler } from '../../context/handlers/time-context/handler.ts';
import { DuplicateHandlerError } from '../../hooks/errors.ts';
import { type HookPack, resolveHookKey } from '../../hooks/packs/hook-pack.ts';
import type { BootstrapRegistration, SwitchableHandler } from './bootstrap-registry.ts';

export interface BundledHandlerSettings {
  readonly config: Config;
  readonly environment: Environment;
  /** True when this process runs in a pipeline. */
  readonly ci: boolean;
}

/** A handler that is off says how to switch it on. */
export function bundledHandlers(settings: BundledHandlerSettings): readonly SwitchableHandler[] {
  const { config, environment, ci } = settings;
  const options = bundledOptions(config);
  const overrides = options('agent-overrides');
  const time = options('time-context');
  const extra = options('bootstrap-extra-files');
  const ciMode = options('ci-mode');
  const patterns = [extra.paths, extra.patterns, extra.files].map(filledTexts).find((list) => list.length > 0) ?? [];

  return [
    bundle('global-files', 10, 'Prepends <state>/<NAME>.md to the files of every agent.', options('global-files'), {
      handler: createGlobalFilesHandler({ stateDir: environment.stateDir, openboaToo: config.openboa?.globalFiles }),
      stability: 'static',
    }),
    bundle('agent-overrides', 50, 'Adds <state>/agents/<id>/<NAME>.md to the files of one agent.', overrides, {
      handler: createAgentOverridesHandler({ overrideDir: overrideDirOf(config, environment), mode: overrides.mode }),
      stability: 'static',
    }),
    bundle(
      'time-context',
      100,
      'Says what the hour asks of the agent.',
      { enabled: false, ...time },
      {
        handler: createTimeContextHandler({
          overnightStart: time.overnight_start,
          overnightEnd: time.overnight_end,
          morningEnd: time.morning_end,
          texts: time.texts,
          file: time.file,
        }),
        stability: time.inline ? undefined : 'run',
      },
    ),
    {
      ...bundle('bootstrap-extra-files', 150, 'Adds bootstrap files from folders below the workspace.', extra, {
        handler: createExtraFilesHandler({ patterns }),
        stability: 'static',
      }),
      ...(patterns.length === 0 && {
        enabled: false,
        whyNot: 'no paths are set; name some in bootstrap.hooks.bootstrap-extra-files.paths',
      }),
    },
    bundle('ci-mode', 200, 'Prepares the agent for a pipeline, where no person answers.', ciMode, {
      handler: createCiModeHandler({ ci, force: ciMode.force, text: ciMode.text }),
      stability: 'static',
    }),
  ];
}

/** The folder that holds a folder per agent, with that agent's own files. */
export function overrideDirOf(config: Config, environment: Environment): string {
  const given = bundledOptions(config)('agent-overrides').override_dir;
  return given ? resolveUserPath(given, environment.home, environment.stateDir) : join(environment.stateDir, 'agents');
}

type BundledSettings = NonNullable<NonNullable<Config['bootstrap']>['hooks']>;

export const BUNDLED_IDS = [
  'global-files',
  'agent-overrides',
  'time-context',
  'bootstrap-extra-files',
  'ci-mode',
] as const;

type BundledId = (typeof BUNDLED_IDS)[number];

/** Throws DuplicateHandlerError. The id is taken even where the bundled handler is off, since its settings have that name. */
export function refuseBundledId(id: string): void {
  if ((BUNDLED_IDS as readonly string[]).includes(id)) {
    throw new DuplicateHandlerError({ hook: 'agent:bootstrap', id, owner: BUNDLED_OWNER });
  }
}

/** Entries of `hooks.internal.entries` are read for bundled handlers too, so a pack may have the same entry. */
export function sharesBundledSettings(pack: Pick<HookPack, 'name' | 'metadata' | 'source'>): boolean {
  return pack.source !== 'openclaw-bundled' && (BUNDLED_IDS as readonly string[]).includes(resolveHookKey(pack));
}

export const BUNDLED_OWNER = 'atrium';

/** Both places are read; a value in `bootstrap.hooks` wins. */
function bundledOptions(config: Config) {
  const entries = config.hooks?.internal?.entries;
  const hooks = config.bootstrap?.hooks;
  return <Id extends BundledId>(id: Id) => ({ ...entries?.[id], ...hooks?.[id] }) as NonNullable<BundledSettings[Id]>;
}

/** A configuration that nothing has checked may have anything here; what is no list of texts counts as not given. */
function filledTexts(texts: unknown): string[] {
  if (!Array.isArray(texts)) return [];
  return texts.flatMap((text) => (typeof text === 'string' && text.trim() !== '' ? [text.trim()] : []));
}

interface CommonSettings {
  readonly enabled?: boolean | undefined;
  readonly priority?: number | undefined;
  readonly onError?: 'skip' | 'abort' | undefined;
  readonly timeoutMs?: number | undefined;
}

function bundle(
  id: BundledId,
  priority: number,
  description: string,
  options: CommonSettings,
  rest: Pick<BootstrapRegistration, 'handler' | 'stability'>,
): SwitchableHandler {
  return {
    registration: {
      id,
      owner: BUNDLED_OWNER,
      description,
      priority: options.priority ?? priority,
      onError: options.onError,
      timeoutMs: options.timeoutMs,
      ...rest,
    },
    enabled: options.enabled ?? true,
    whyNot: `switched off; set bootstrap.hooks.${id}.enabled to true to use it`,
  };
}
