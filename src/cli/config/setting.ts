// The address of a setting as commands take it.

import type { ConfigPath } from '../../config/config-path.ts';
import { parseConfigPath } from '../../config/parse-config-path.ts';
import { UnreadableSettingError } from '../../gateway/errors.ts';

export const SETTING_ARGUMENT = 'its address, such as agents.defaults.model or agents.list[0].workspace';

export function settingOf(text: string): ConfigPath {
  const path = parseConfigPath(text.trim());
  if (path === undefined) throw new UnreadableSettingError({ setting: text });
  return path;
}
