// What the environment and the configuration say about records of runs: the trajectory, and the logs for people who
// look for a fault. The environment wins over the configuration. The functions are pure and create no file.

import path from 'node:path';
import { MODEL_PAYLOAD_LEVELS, type ModelPayloadLevel } from '../protocol/debug-log.ts';
import type { Environment } from './environment.ts';
import type { Config } from './schema.ts';
import { resolveUserPath } from './user-path.ts';

/** A log that is off has a place too, because it can be switched on while the gateway runs. */
export interface DebugLogSettings {
  /** Logs requests, answers and usage. */
  readonly payloadLog: DebugLogPlace;
  /** Logs what the model wrote, delta by delta. */
  readonly rawStream: DebugLogPlace;
  /** Logs the parts of each request that a prompt cache depends on. */
  readonly cacheTrace: DebugLogPlace & {
    readonly messages: boolean;
    readonly prompt: boolean;
    readonly system: boolean;
  };
  /** Describes each model call in the log of the gateway. */
  readonly modelPayload: { readonly isOn: boolean; readonly level: ModelPayloadLevel };
}

export interface DebugLogPlace {
  readonly isOn: boolean;
  readonly file: string;
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
export function debugLogSettingsOf(environment: Variables, config: Pick<Config, 'diagnostics'> = {}): DebugLogSettings {
  const { variables } = environment;
  const trace = config.diagnostics?.cacheTrace ?? {};
  const place = (name: string, fileName: string, standard: string): DebugLogPlace => ({
    isOn: flagOf(variables[name], false),
    file: pathOf(environment, variables[fileName], standard),
  });
  return {
    payloadLog: place(
      'OPENCLAW_ANTHROPIC_PAYLOAD_LOG',
      'OPENCLAW_ANTHROPIC_PAYLOAD_LOG_FILE',
      'anthropic-payload.jsonl',
    ),
    rawStream: place('OPENCLAW_RAW_STREAM', 'OPENCLAW_RAW_STREAM_PATH', 'raw-stream.jsonl'),
    cacheTrace: {
      isOn: flagOf(variables.OPENCLAW_CACHE_TRACE, trace.enabled === true),
      file: pathOf(environment, variables.OPENCLAW_CACHE_TRACE_FILE?.trim() || trace.filePath, 'cache-trace.jsonl'),
      messages: flagOf(variables.OPENCLAW_CACHE_TRACE_MESSAGES, trace.includeMessages !== false),
      prompt: flagOf(variables.OPENCLAW_CACHE_TRACE_PROMPT, trace.includePrompt !== false),
      system: flagOf(variables.OPENCLAW_CACHE_TRACE_SYSTEM, trace.includeSystem !== false),
    },
    modelPayload: modelPayloadOf(variables.OPENCLAW_DEBUG_MODEL_PAYLOAD),
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

const SWITCHES = [
  'OPENCLAW_ANTHROPIC_PAYLOAD_LOG',
  'OPENCLAW_RAW_STREAM',
  'OPENCLAW_CACHE_TRACE',
  'OPENCLAW_CACHE_TRACE_MESSAGES',
  'OPENCLAW_CACHE_TRACE_PROMPT',
  'OPENCLAW_CACHE_TRACE_SYSTEM',
  'OPENCLAW_TRAJECTORY',
] as const;

/** One sentence for each variable that was set to something that it cannot mean. */
export function listSwitchOddities({ variables }: Pick<Environment, 'variables'>): readonly string[] {
  const odd = SWITCHES.filter((name) => flagOf(variables[name], false) !== flagOf(variables[name], true)).filter(
    (name) => (variables[name] ?? '').trim() !== '',
  );
  const payload = variables.OPENCLAW_DEBUG_MODEL_PAYLOAD?.trim() ?? '';
  const isOff = payload === '' || !flagOf(payload, true);
  return [
    ...odd.map(
      (name) =>
        `${name} is ${JSON.stringify(variables[name])}, which means neither on nor off, so it changes nothing. Set it to 1 or 0.`,
    ),
    ...(isOff || modelPayloadOf(payload).isOn
      ? []
      : [
          `OPENCLAW_DEBUG_MODEL_PAYLOAD is ${JSON.stringify(payload)}, so nothing is logged by it. Set it to ${MODEL_PAYLOAD_LEVELS.join(', ')}.`,
        ]),
  ];
}

/** Text that names no level switches nothing on. */
function modelPayloadOf(text: string | undefined): DebugLogSettings['modelPayload'] {
  const word = text?.trim().toLowerCase();
  const level = MODEL_PAYLOAD_LEVELS.find((each) => each === word);
  return { isOn: level !== undefined, level: level ?? 'summary' };
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
