// `atrium config get`: what the configuration files say, together and in one place. Secrets are hidden unless a person
// asks for them; variables are shown by their names.

import { valueAt } from '../../config/config-path.ts';
import { loadConfigSource } from '../../config/config-source.ts';
import { resolveConfigFileOf } from '../../config/edit-config.ts';
import { loadConfig } from '../../config/load-config.ts';
import { showConfig } from '../../gateway/settings/show-config.ts';
import type { JsonValue } from '../../protocol/json.ts';
import { command } from '../command.ts';
import { CONFIG_OPTION } from '../common-options.ts';
import { oneLine } from '../output/text.ts';
import { SETTING_ARGUMENT, settingOf } from './setting.ts';

export const configGet = command({
  path: 'config get',
  summary: 'print what is set, in one place or as a whole; secrets are hidden',
  args: { '[setting]': SETTING_ARGUMENT },
  options: { ...CONFIG_OPTION, '--reveal': 'print secrets, too' },
  examples: [
    'config get                            everything that is set',
    'config get agents.defaults.model      one setting',
    'config get "agents.list[0]" --json    with the file and the line that it comes from',
  ],
  notes: 'A text is printed as it is, anything else as JSON. Exit code: 1 when the setting is not set.',
  async run({ setting, config, reveal }, { io: { environment } }) {
    const location = { environment, configPath: config };
    const { written } = await loadConfig(location);
    const at = setting === undefined ? [] : settingOf(setting);
    const found = valueAt(written, at) as JsonValue | undefined;
    if (found === undefined) {
      const sentence = `${oneLine(setting ?? '')} is not set.`;
      return { json: { setting, value: null, isSet: false }, warnings: [sentence], ok: false };
    }
    const value = reveal ? found : showConfig(found, String(at.at(-1) ?? ''));
    const file = at.length === 0 ? undefined : await resolveConfigFileOf(location, at);
    const source = file === undefined ? undefined : await loadConfigSource(file);
    const origin = source && valueAt(source.value, at) !== undefined ? { file, line: source.lineOf(at) } : {};
    return {
      json: { ...(setting !== undefined && { setting }), value, isSet: true, ...origin },
      text: typeof value === 'string' ? `${value}\n` : `${JSON.stringify(value, null, 2)}\n`,
    };
  },
});
