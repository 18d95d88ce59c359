// biome-ignore-all lint/suspicious/noTemplateCurlyInString: such texts are what people write into the configuration.

// `atrium config set` and `unset`: change one setting in the file where it takes effect. The configuration is checked as
// it would be afterwards; when no gateway could use it, or the setting does not exist, nothing is written.

import type { ConfigLocation } from '../../config/config-files.ts';
import { type ConfigPath, formatConfigPath } from '../../config/config-path.ts';
import { removeSetting, writeSetting } from '../../gateway/settings/change-setting.ts';
import { showConfig } from '../../gateway/settings/show-config.ts';
import { docsCommand } from '../../protocol/documents.ts';
import type { JsonValue } from '../../protocol/json.ts';
import { clip } from '../../protocol/one-line.ts';
import type { CliIo } from '../cli-io.ts';
import { type Answer, command } from '../command.ts';
import { EDITED_CONFIG_OPTION } from '../common-options.ts';
import { MissingSettingValueError } from '../errors.ts';
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
    const location: ConfigLocation = { environment: io.environment, configPath: config };
    const { file, remarks, isUsed } = await writeSetting({ location, at, isForced: force }, value);
    const shown = JSON.stringify(showConfig(value as JsonValue, String(at.at(-1))));
    const did = `Wrote ${formatConfigPath(at)} = ${clip(shown, 200)} to ${file}.`;
    return answerOf(io, { at, file, did, remarks, isUsed });
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
    const { file, isRemoved, remarks, isUsed } = await removeSetting({ location, at, isForced: force });
    if (!isRemoved) {
      const sentence = `${formatConfigPath(at)} is not set in ${file}; nothing was written.`;
      return { json: { setting, isWritten: false }, text: `${oneLine(sentence)}\n`, ok: false };
    }
    return answerOf(io, { at, file, did: `Took ${formatConfigPath(at)} out of ${file}.`, remarks, isUsed });
  },
});

async function answerOf(
  io: CliIo,
  change: {
    readonly at: ConfigPath;
    readonly file: string;
    readonly did: string;
    readonly remarks: readonly string[];
    readonly isUsed: boolean;
  },
): Promise<Answer> {
  const { at, file, did } = change;
  const remarks = [...change.remarks, ...(change.isUsed ? await tellFollowing(io, file, at) : [])];
  const lines = [did, ...remarks].map((sentence) => `${oneLine(sentence)}\n`);
  return { json: { setting: formatConfigPath(at), file, isWritten: true, remarks }, text: lines.join('') };
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
