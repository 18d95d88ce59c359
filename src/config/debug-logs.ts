// What the environment and the configuration say about records of runs: the trajectory, and the logs for people who
// look for a fault. The environment wins over the configuration. The functions are pure and create no file.

import path from 'node:path';
import type { Environment } from './environment.ts';
import { isPlainObject, type PlainObject } from './plain-object.ts';
import type { Config } from './schema.ts';
import { resolveUserPath } from './user-path.ts';

export interface DebugLogSettings {
  /** Logs requests and usage of Anthropic's protocol. */
  readonly payloadLog: { readonly file: string } | undefined;
  /** Logs what the model wrote, delta by delta. */
  readonly rawStream: { readonly file: string } | undefined;
  /** Logs the parts of each request that a prompt cache depends on. */
  readonly cacheTrace:
    | { readonly file: string; readonly messages: boolean; readonly prompt: boolean; readonly system: boolean }
    | undefined;
}

export interface TrajectoryPlace {
  readonly enabled: boolean;
  readonly dir: string;
  readonly maxBytes: number | undefined;
}

type Variables = Pick<Environment, 'variables' | 'stateDir' | 'home' | 'cwd'>;

/**
 * Every log is off unless the operator switched it on. The configuration has a setting for one of them,
 * `diagnostics.cacheTrace`.
 */
export function debugLogSettingsOf(environment: Variables, config: PlainObject = {}): DebugLogSettings {
  const { variables } = environment;
  const trace = objectOf(objectOf(config.diagnostics).cacheTrace);
  const on = (name: string) => flagOf(variables[name], false);
  const file = (name: string, standard: string) => pathOf(environment, variables[name], standard);
  return {
    payloadLog: on('OPENCLAW_ANTHROPIC_PAYLOAD_LOG')
      ? { file: file('OPENCLAW_ANTHROPIC_PAYLOAD_LOG_FILE', 'anthropic-payload.jsonl') }
      : undefined,
    rawStream: on('OPENCLAW_RAW_STREAM') ? { file: file('OPENCLAW_RAW_STREAM_PATH', 'raw-stream.jsonl') } : undefined,
    cacheTrace: flagOf(variables.OPENCLAW_CACHE_TRACE, trace.enabled === true)
      ? {
          file: pathOf(
            environment,
            variables.OPENCLAW_CACHE_TRACE_FILE?.trim() || textOf(trace.filePath),
            'cache-trace.jsonl',
          ),
          messages: flagOf(variables.OPENCLAW_CACHE_TRACE_MESSAGES, trace.includeMessages !== false),
          prompt: flagOf(variables.OPENCLAW_CACHE_TRACE_PROMPT, trace.includePrompt !== false),
          system: flagOf(variables.OPENCLAW_CACHE_TRACE_SYSTEM, trace.includeSystem !== false),
        }
      : undefined,
  };
}

/** The trajectory is on unless the operator switched it off. */
export function trajectoryPlaceOf(environment: Variables, config: Pick<Config, 'recorder'> = {}): TrajectoryPlace {
  const { variables } = environment;
  const { enabled = true, dir, maxBytes } = config.recorder?.trajectory ?? {};
  return {
    enabled: flagOf(variables.OPENCLAW_TRAJECTORY, enabled),
    dir: pathOf(environment, variables.OPENCLAW_TRAJECTORY_DIR?.trim() || dir, 'trajectory'),
    maxBytes,
  };
}

/** Text that means neither yes nor no leaves the default. */
function flagOf(text: string | undefined, standard: boolean): boolean {
  const word = text?.trim().toLowerCase() ?? '';
  if (['1', 'true', 'yes', 'on'].includes(word)) return true;
  if (['0', 'false', 'no', 'off'].includes(word)) return false;
  return standard;
}

function pathOf({ stateDir, home, cwd }: Variables, given: string | undefined, standard: string): string {
  const chosen = given?.trim();
  return chosen ? resolveUserPath(chosen, home, cwd) : path.join(stateDir, 'logs', standard);
}

function objectOf(value: unknown): PlainObject {
  return isPlainObject(value) ? value : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
