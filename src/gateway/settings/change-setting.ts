// Changes one setting in the file where it takes effect, for a command or for a page; comments in the file survive. The
// configuration is checked as it would be afterwards; when no gateway could use it, or the setting does not exist, nothing
// is written.
// Errors: SettingRefusedError, SettingStopsStartError, UnknownSettingError, UnkeptValueError, and those of `edit-config.ts`.

import type { ConfigLocation } from '../../config/config-files.ts';
import { type ConfigPath, formatConfigPath, valueAt } from '../../config/config-path.ts';
import {
  type ConfigCheck,
  removeConfigValue,
  resolveConfigFileToEdit,
  setConfigValue,
} from '../../config/edit-config.ts';
import { ConfigInvalidError } from '../../config/errors.ts';
import { type LoadedConfig, loadConfig } from '../../config/load-config.ts';
import { listUnspokenApis } from '../../config/model-provider.ts';
import { isPlainObject } from '../../config/plain-object.ts';
import { isAtriumError } from '../../protocol/errors.ts';
import type { JsonValue } from '../../protocol/json.ts';
import { clip } from '../../protocol/one-line.ts';
import { SettingRefusedError, SettingStopsStartError, UnkeptValueError, UnknownSettingError } from '../errors.ts';
import { showConfig } from './show-config.ts';

export interface ChangeRequest {
  readonly location: ConfigLocation;
  readonly at: ConfigPath;
  /** Writes it although the configuration cannot be used with it, or the setting is not known. */
  readonly isForced?: boolean | undefined;
}

export interface ChangedSetting {
  readonly file: string;
  /** What the configuration has to say about the setting now, one sentence each. */
  readonly remarks: readonly string[];
  /** False for a setting that OpenClaw has and Atrium does not use: no gateway takes it up. */
  readonly isUsed: boolean;
}

export async function writeSetting(request: ChangeRequest, value: unknown): Promise<ChangedSetting> {
  const { location, at, isForced = false } = request;
  if (!isKept(value)) throw new UnkeptValueError({ setting: formatConfigPath(at), value: String(value) });
  const file = await resolveConfigFileToEdit(location, at);
  const replaced = await valueBefore(location, at);
  let loaded: LoadedConfig | undefined;
  const check: ConfigCheck = async (draft) => {
    loaded = await loadDraft({ ...location, draft }, isForced);
    if (!loaded || isForced) return;
    await refuseUnknown(loaded, at);
    refuseUnspoken(loaded, at, file);
    refuseStopping(loaded, at);
  };
  await setConfigValue(file, at, value, check);
  const remarks = [
    ...(isPlainObject(replaced) && !isPlainObject(value)
      ? [`It replaced ${clip(JSON.stringify(showConfig(replaced as JsonValue, String(at.at(-1)))), 300)}.`]
      : []),
    ...(loaded ? await doubtModels(loaded, at, value, location) : []),
    ...remarksOn(loaded, at),
  ];
  return { file, remarks, isUsed: isUsed(loaded, at) };
}

/** Undefined when it was not set in the file where it would take effect; then nothing is written. */
export async function removeSetting(request: ChangeRequest): Promise<ChangedSetting & { isRemoved: boolean }> {
  const { location, at, isForced = false } = request;
  const file = await resolveConfigFileToEdit(location, at);
  let loaded: LoadedConfig | undefined;
  const isRemoved = await removeConfigValue(file, at, async (draft) => {
    loaded = await loadDraft({ ...location, draft }, isForced);
  });
  return { file, isRemoved, remarks: isRemoved ? remarksOn(loaded, at) : [], isUsed: isUsed(loaded, at) };
}

/** What the configuration says there now; undefined also when it cannot be read. */
async function valueBefore(location: ConfigLocation, at: ConfigPath): Promise<unknown> {
  try {
    return valueAt((await loadConfig(location)).written, at);
  } catch (error) {
    if (!isAtriumError(error)) throw error;
    return undefined;
  }
}

/** A model is chosen under `agents.defaults.model` and `agents.list[].model`, as a text or with fallbacks. */
async function doubtModels(
  { config }: LoadedConfig,
  at: ConfigPath,
  value: unknown,
  { environment }: ConfigLocation,
): Promise<readonly string[]> {
  if (!/^agents\.(?:defaults|list\[\d+\])\.model(?:\.primary|\.fallbacks(?:\[\d+\])?)?$/.test(formatConfigPath(at)))
    return [];
  const { checkModelName } = await import('../models/check-model-name.ts');
  const given = isPlainObject(value) ? [value.primary, value.fallbacks] : [value];
  const doubts: string[] = [];
  for (const name of given.flat().filter((each) => typeof each === 'string')) {
    try {
      await checkModelName(name, config, environment.stateDir);
    } catch (error) {
      if (!isAtriumError(error)) throw error;
      doubts.push(`warning: ${error.message}`);
    }
  }
  return doubts;
}

/** JSON has no such number, and a setting without a value is one that is not set. */
function isKept(value: unknown): boolean {
  return value !== null && value !== undefined && (typeof value !== 'number' || Number.isFinite(value));
}

/** Undefined when it cannot be used and is to be written all the same. */
async function loadDraft(location: ConfigLocation, isForced: boolean): Promise<LoadedConfig | undefined> {
  try {
    return await loadConfig(location);
  } catch (error) {
    if (!isAtriumError(error)) throw error;
    if (isForced) return undefined;
    if (error instanceof ConfigInvalidError) throw new SettingRefusedError({ issues: error.issues });
    throw error;
  }
}

async function refuseUnknown({ config }: LoadedConfig, at: ConfigPath): Promise<void> {
  const { listUnknownKeys } = await import('../../config/validate-config.ts');
  const unknown = listUnknownKeys(config).find(({ path }) => isOn(path, at));
  if (!unknown) return;
  const { path, suggestion } = unknown;
  throw new UnknownSettingError({
    setting: formatConfigPath(path),
    suggestion: suggestion && formatConfigPath([...path.slice(0, -1), suggestion]),
  });
}

/** OpenClaw has protocols that are not spoken here. A home may hold one already, but no command writes one. */
function refuseUnspoken({ config }: LoadedConfig, at: ConfigPath, file: string): void {
  const issues = listUnspokenApis(config)
    .filter((each) => isOn(each.at, at))
    .map((each) => ({ ...each, file, line: 1, path: formatConfigPath(each.at) }));
  if (issues.length > 0) throw new SettingRefusedError({ issues });
}

/** A home of OpenClaw may ask for a protection that is not there. A command does not bring a gateway into that state. */
function refuseStopping({ unused }: LoadedConfig, at: ConfigPath): void {
  const stopping = unused.find(({ path, refuses }) => refuses === 'start' && isAround(path, at));
  if (stopping) throw new SettingStopsStartError({ path: stopping.path, sentence: stopping.sentence });
}

/** True when one of the two addresses lies on the way to the other. */
function isOn(one: ConfigPath, other: ConfigPath): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  return short.every((part, index) => part === long[index]);
}

/** What the configuration has to say about this setting now. */
function remarksOn(loaded: LoadedConfig | undefined, at: ConfigPath): readonly string[] {
  if (!loaded) return ['No gateway starts with this configuration; "atrium config check" says why.'];
  return [
    ...loaded.warnings.filter(({ path }) => isBelow(path, formatConfigPath(at))).map(({ message }) => message),
    ...loaded.unused
      .filter(({ path }) => isAround(path, at))
      .map(({ path, danger, sentence }) =>
        danger === 'differs'
          ? `${path} is used, but not as in OpenClaw: ${sentence}`
          : `${path} is not used: ${sentence}`,
      ),
  ];
}

/** Whether a running gateway can make anything of the setting. */
function isUsed(loaded: LoadedConfig | undefined, at: ConfigPath): boolean {
  const place = formatConfigPath(at);
  return !loaded?.unused.some(({ path, danger }) => danger !== 'differs' && isBelow(place, path));
}

/** True when the setting at `path` is this one, a part of it, or what it is a part of. */
function isAround(path: string, at: ConfigPath): boolean {
  const place = formatConfigPath(at);
  return isBelow(path, place) || isBelow(place, path);
}

function isBelow(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}.`) || path.startsWith(`${place}[`);
}
