// The configuration for a page with a form: what may be set, what is set with secrets hidden, one change, and one secret
// for who asks. A change goes through the same code as `atrium config set`.
// Errors: those of `change-setting.ts`; UnreadableSettingError for a text that is no address.

import type { ConfigLocation } from '../../config/config-files.ts';
import { type ConfigPath, formatConfigPath, valueAt } from '../../config/config-path.ts';
import { loadConfig } from '../../config/load-config.ts';
import { parseConfigPath } from '../../config/parse-config-path.ts';
import type { JsonObject, JsonValue } from '../../protocol/json.ts';
import { REDACTED } from '../../recorder/redact.ts';
import { HiddenValueError, SettingNotSetError, UnreadableSettingError } from '../errors.ts';
import type { ChangedSetting } from '../settings/change-setting.ts';
import type { ConfigWatch } from '../settings/config-watch.ts';
import { showConfig } from '../settings/show-config.ts';

export interface SettingsParts {
  readonly location: ConfigLocation;
  readonly watch: Pick<ConfigWatch, 'state'>;
}

export interface ShownSettings {
  readonly files: readonly string[];
  /** What the files say, together; secrets are hidden. */
  readonly values: JsonObject;
  /** The text that stands for a hidden secret. */
  readonly hidden: string;
  readonly schema: Readonly<Record<string, unknown>>;
  /** What waits for the next start. */
  readonly waiting: readonly string[];
  readonly problem: string | null;
  /** Set when another program writes the configuration, so that nothing can be changed here. */
  readonly isManaged: boolean;
}

export interface SettingChange extends Pick<ChangedSetting, 'file' | 'remarks'> {
  readonly setting: string;
  /** Whether it is taken up at the next start only. */
  readonly needsRestart: boolean;
}

export class Settings {
  readonly #parts: SettingsParts;

  constructor(parts: SettingsParts) {
    this.#parts = parts;
  }

  async read(): Promise<ShownSettings> {
    const { location, watch } = this.#parts;
    const [{ written }, state, { configJsonSchema }] = await Promise.all([
      loadConfig(location),
      watch.state(),
      import('../../config/schema.ts'),
    ]);
    return {
      ...state,
      values: showConfig(written as JsonValue) as JsonObject,
      hidden: REDACTED,
      schema: configJsonSchema(),
      isManaged: location.environment.isConfigManaged,
    };
  }

  async set(setting: string, value: JsonValue): Promise<SettingChange> {
    const at = addressOf(setting);
    // A form that sends back what it was shown must not replace a secret with the word for it.
    if (JSON.stringify(value)?.includes(REDACTED)) throw new HiddenValueError({ setting });
    const { writeSetting } = await import('../settings/change-setting.ts');
    return this.#changed(at, await writeSetting({ location: this.#parts.location, at }, value));
  }

  async unset(setting: string): Promise<SettingChange> {
    const at = addressOf(setting);
    const { removeSetting } = await import('../settings/change-setting.ts');
    const { isRemoved, ...changed } = await removeSetting({ location: this.#parts.location, at });
    if (!isRemoved) throw new SettingNotSetError({ setting });
    return this.#changed(at, changed);
  }

  /** One value as the file has it. A reference to a variable stays one. */
  async reveal(setting: string): Promise<JsonValue> {
    const at = addressOf(setting);
    const value = valueAt((await loadConfig(this.#parts.location)).written, at) as JsonValue | undefined;
    if (value === undefined) throw new SettingNotSetError({ setting });
    return value;
  }

  async #changed(at: ConfigPath, { file, remarks }: Pick<ChangedSetting, 'file' | 'remarks'>): Promise<SettingChange> {
    const setting = formatConfigPath(at);
    const { waiting } = await this.#parts.watch.state();
    const needsRestart = waiting.some(
      (path) =>
        setting === path ||
        setting.startsWith(`${path}.`) ||
        path.startsWith(`${setting}.`) ||
        path.startsWith(`${setting}[`) ||
        setting.startsWith(`${path}[`),
    );
    return { setting, file, remarks, needsRestart };
  }
}

function addressOf(setting: string): ConfigPath {
  const at = parseConfigPath(setting.trim());
  if (at === undefined || at.length === 0) throw new UnreadableSettingError({ setting });
  return at;
}
