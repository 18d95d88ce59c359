// biome-ignore-all lint/suspicious/noTemplateCurlyInString: such texts are what people write into the configuration.

// `atrium config set` and `unset`: change one setting in the file where it takes effect. The configuration is checked as
// it would be afterwards; when no gateway could use it, or the setting does not exist, nothing is written.

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
import { showConfig } from '../../gateway/show-config.ts';
import { docsCommand } from '../../protocol/documents.ts';
import { isAtriumError } from '../../protocol/errors.ts';
import type { JsonValue } from '../../protocol/json.ts';
import { clip } from '../../protocol/one-line.ts';
import type { CliIo } from '../cli-io.ts';
import { type Answer, command } from '../command.ts';
import { EDITED_CONFIG_OPTION } from '../common-options.ts';
import { MissingSettingValueError, SettingRefusedError, UnkeptValueError, UnknownSettingError } from '../errors.ts';
import { oneLine } from '../output/text.ts';
import { SETTING_ARGUMENT, settingOf } from './setting.ts';
import { tellFollowing } from './tell-following.ts';

const FORCE = 'write it although the configuration cannot be used with it, or the setting is not known';

export const configSet = command({
  path: 'config set',
  summary: 'change one setting; comments in the file survive, and a running gateway takes it up where it can',
  args: { '<setting>': SETTING_ARGUMENT, '[value]': 'JSON or JSON5, else a text; asked for when it is left out' },
  options: {
    ...EDITED_CONFIG_OPTION,
    '--string': 'the value is a text, also when it looks like JSON',
    '--force': FORCE,
  },
  examples: [
    'config set agents.defaults.model anthropic/claude-sonnet-4-5',
    'config set tools.deny \'["exec"]\'',
    'config set models.providers.groq.apiKey    asks, so that the key is in no history of a shell',
    "config set gateway.auth.token '${ATRIUM_TOKEN}'    a variable, read when the gateway starts",
  ],
  notes: `It says whether a running gateway has taken the change up; "${docsCommand('config')}" lists what waits for the next start. Exit code: 2 when nothing was written.`,
  async run({ setting, value: given, config, string, force }, { io }) {
    const at = settingOf(setting);
    const text = given ?? (await io.ask(`${formatConfigPath(at)}: `, true));
    // An empty pipe would otherwise take away what is set.
    if (text === undefined || (given === undefined && text.trim() === ''))
      throw new MissingSettingValueError({ setting });
    const value = string || given === undefined ? text : await typedValue(text);
    if (!isKept(value)) throw new UnkeptValueError({ setting, value: text });
    const location: ConfigLocation = { environment: io.environment, configPath: config };
    const file = await resolveConfigFileToEdit(location, at);
    const replaced = await valueBefore(location, at);
    let loaded: LoadedConfig | undefined;
    const check: ConfigCheck = async (draft) => {
      loaded = await loadDraft({ ...location, draft }, force === true);
      if (!loaded || force === true) return;
      await refuseUnknown(loaded, at);
      refuseUnspoken(loaded, at, file);
    };
    await setConfigValue(file, at, value, check);
    const shown = JSON.stringify(showConfig(value as JsonValue, String(at.at(-1))));
    const remarks = [
      ...(isPlainObject(replaced) && !isPlainObject(value)
        ? [`It replaced ${clip(JSON.stringify(showConfig(replaced as JsonValue, String(at.at(-1)))), 300)}.`]
        : []),
      ...(loaded ? await doubtModels(loaded, at, value, io) : []),
    ];
    const did = `Wrote ${formatConfigPath(at)} = ${clip(shown, 200)} to ${file}.`;
    return answerOf(io, { at, file, loaded, did, remarks });
  },
});

export const configUnset = command({
  path: 'config unset',
  summary: 'take one setting out of the configuration, so that its default holds again',
  args: { '<setting>': SETTING_ARGUMENT },
  options: { ...EDITED_CONFIG_OPTION, '--force': 'write it although the configuration cannot be used without it' },
  examples: ['config unset agents.defaults.model', 'config unset "agents.list[1]"'],
  notes: 'Exit code: 1 when it was not set, 2 when nothing could be written.',
  async run({ setting, config, force }, { io }) {
    const at = settingOf(setting);
    const location: ConfigLocation = { environment: io.environment, configPath: config };
    const file = await resolveConfigFileToEdit(location, at);
    let loaded: LoadedConfig | undefined;
    const isRemoved = await removeConfigValue(file, at, async (draft) => {
      loaded = await loadDraft({ ...location, draft }, force === true);
    });
    if (!isRemoved) {
      const sentence = `${formatConfigPath(at)} is not set in ${file}; nothing was written.`;
      return { json: { setting, isWritten: false }, text: `${oneLine(sentence)}\n`, ok: false };
    }
    return answerOf(io, { at, file, loaded, did: `Took ${formatConfigPath(at)} out of ${file}.` });
  },
});

async function answerOf(
  io: CliIo,
  change: {
    readonly at: ConfigPath;
    readonly file: string;
    readonly loaded: LoadedConfig | undefined;
    readonly did: string;
    readonly remarks?: readonly string[];
  },
): Promise<Answer> {
  const { at, file, loaded, did } = change;
  const remarks = [...(change.remarks ?? []), ...remarksOn(loaded, at), ...(await tellFollowing(io, file, at))];
  const lines = [did, ...remarks].map((sentence) => `${oneLine(sentence)}\n`);
  return { json: { setting: formatConfigPath(at), file, isWritten: true, remarks }, text: lines.join('') };
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
  { environment }: CliIo,
): Promise<readonly string[]> {
  if (!/^agents\.(?:defaults|list\[\d+\])\.model(?:\.primary|\.fallbacks(?:\[\d+\])?)?$/.test(formatConfigPath(at)))
    return [];
  const { checkModelName } = await import('../../gateway/models/check-model-name.ts');
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

/** A value that is no JSON5 is a text, so that words and addresses need no quotes. */
async function typedValue(text: string): Promise<unknown> {
  const { default: JSON5 } = await import('json5');
  try {
    return JSON5.parse(text);
  } catch {
    return text;
  }
}

/** JSON has no such number, and a setting without a value is one that is not set. */
function isKept(value: unknown): boolean {
  return value !== null && (typeof value !== 'number' || Number.isFinite(value));
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

/** OpenClaw has protocols that are not spoken here. A home may hold one, and nobody sets one anew. */
function refuseUnspoken({ config }: LoadedConfig, at: ConfigPath, file: string): void {
  const issues = listUnspokenApis(config)
    .filter((each) => isOn(each.at, at))
    .map((each) => ({ ...each, file, line: 1, path: formatConfigPath(each.at) }));
  if (issues.length > 0) throw new SettingRefusedError({ issues });
}

/** True when one of the two addresses lies on the way to the other. */
function isOn(one: ConfigPath, other: ConfigPath): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  return short.every((part, index) => part === long[index]);
}

/** What the configuration has to say about this setting now. */
function remarksOn(loaded: LoadedConfig | undefined, at: ConfigPath): readonly string[] {
  if (!loaded) return ['No gateway starts with this configuration; "atrium config check" says why.'];
  const place = formatConfigPath(at);
  const isHere = (path: string) => path === place || path.startsWith(`${place}.`) || path.startsWith(`${place}[`);
  const isAbove = (path: string) => place.startsWith(`${path}.`) || place.startsWith(`${path}[`);
  return [
    ...loaded.warnings.filter(({ path }) => isHere(path)).map(({ message }) => message),
    ...loaded.unused
      .filter(({ path }) => isHere(path) || isAbove(path))
      .map(({ path, sentence }) => `${path} is not used: ${sentence}`),
  ];
}
