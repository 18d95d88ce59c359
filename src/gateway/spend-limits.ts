// The limits on spending of a running gateway. They are read from the configuration at the start and again when it
// changes; a run asks for them before each call, so a change holds from the next call on.

import type { EnvironmentVariables } from '../config/home-dir.ts';
import type { Config } from '../config/schema.ts';
import { listSpendOddities, spendSettingsOf } from '../config/spend-limits.ts';
import type { SpendSettings } from '../protocol/spend-limit.ts';

export class SpendLimits {
  readonly #about: { readonly timezone: string; readonly variables: EnvironmentVariables };
  #settings: SpendSettings | undefined;
  #warnings: readonly string[] = [];

  constructor(config: Config, about: { readonly timezone: string; readonly variables: EnvironmentVariables }) {
    this.#about = about;
    this.apply(config);
  }

  /** Undefined when there are no limits. */
  get settings(): SpendSettings | undefined {
    return this.#settings;
  }

  /** What keeps a limit from doing what it looks like, one sentence each. */
  get warnings(): readonly string[] {
    return this.#warnings;
  }

  /** Gives the sentences that did not hold before. */
  apply(config: Config): readonly string[] {
    const before = this.#warnings;
    this.#settings = spendSettingsOf(config, this.#about.timezone);
    this.#warnings = listSpendOddities(config, this.#about.variables).map(({ message }) => message);
    return this.#warnings.filter((sentence) => !before.includes(sentence));
  }
}
