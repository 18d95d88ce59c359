// `atrium config check`: which files make up the configuration, and what is odd or wrong in them.

import { withConfigVariables } from '../../config/config-variables.ts';
import { loadConfig } from '../../config/load-config.ts';
import { CHANNEL_EXTENSIONS } from '../../gateway/channels/channel-extensions.ts';
import { countOf } from '../../protocol/count-of.ts';
import { isAtriumError } from '../../protocol/errors.ts';
import type { UnusedSetting } from '../../protocol/unused-setting.ts';
import { command } from '../command.ts';
import { CONFIG_OPTION } from '../common-options.ts';
import { EXIT } from '../exit-code.ts';
import { keyLines } from '../output/key-sources.ts';
import { line } from '../output/text.ts';
import { countUnused, unusedLines } from '../output/unused-settings.ts';
import { formatConfigWarning } from '../output/warnings.ts';

export const configCheck = command({
  path: 'config check',
  summary: 'say which files make up the configuration, and what is odd or wrong in them',
  options: CONFIG_OPTION,
  examples: [
    'config check                          the configuration of this home',
    'config check --config ./draft.yaml    another file',
  ],
  notes: 'Exit code: 0 when the configuration can be used (warnings are allowed), 2 when no gateway starts with it.',
  async run({ config: configPath, json }, { io: { environment } }) {
    try {
      const loaded = await loadConfig({ environment, configPath, runsCommands: true });
      const { files, merged } = loaded;
      const { listToolProblems } = await import('../../gateway/list-tool-problems.ts');
      const { listParamsNotTaken } = await import('../../gateway/models/list-params-not-taken.ts');
      const { surveyHomePlugins } = await import('../../gateway/survey-home-plugins.ts');
      const survey = await surveyHomePlugins(loaded.config, environment);
      const unusable = survey.plugins.filter(({ state }) => state === 'failed');
      const channels = withConfigVariables(environment, loaded);
      const platforms = await Promise.all(CHANNEL_EXTENSIONS.map((row) => row.find(loaded.config, channels)));
      const problems = [
        ...listToolProblems(environment, loaded),
        ...platforms.flatMap((platform) => platform.problems),
        ...(await listParamsNotTaken(loaded.config, channels)),
        ...survey.problems,
        ...unusable.map(({ id, reason }) => `The plugin "${id}" cannot be loaded: ${reason}`),
      ];
      const warnings = [...loaded.warnings, ...problems.map((message) => ({ message }))];
      const lines = [
        ...(files.length === 0
          ? [`There is no configuration file, and none is needed. To write one: ${environment.configPath}`]
          : []),
        ...files.map(({ path, format }) => `${path} (${format === 'yaml' ? 'YAML' : 'JSON5'})`),
        ...(merged ? [merged.explanation] : []),
        ...loaded.warnings.map(formatConfigWarning),
        ...problems.map((problem) => `warning: ${problem}`),
      ];
      const { unused } = loaded;
      const block = [...keyLines(loaded.keys), ...unusedLines(unused)].map((each) => `${each}\n`);
      const text = [...lines.map(line), ...block, line(verdictOn(warnings.length, unused))].join('');
      const ok = !keepsFromStarting(unused);
      return {
        json: { ok, files, merged, warnings, unused, keys: loaded.keys },
        text,
        exit: ok ? EXIT.ok : EXIT.failure,
      };
    } catch (error) {
      if (!json || !isAtriumError(error)) throw error;
      const { code, message } = error;
      const issues = 'issues' in error ? error.issues : undefined;
      return { json: { ok: false, error: { code, message, issues } }, exit: EXIT.failure };
    }
  },
});

function verdictOn(warnings: number, unused: readonly UnusedSetting[]): string {
  const counted = countUnused(unused);
  if (keepsFromStarting(unused)) return 'A gateway does not start with it.';
  if (warnings === 0 && counted === '') return 'Nothing to complain about.';
  const found = [warnings === 0 ? '' : countOf(warnings, 'warning'), counted].filter((part) => part !== '');
  return `Usable, with ${found.join(counted.includes(' and ') ? ', ' : ' and ')}.`;
}

function keepsFromStarting(unused: readonly UnusedSetting[]): boolean {
  return unused.some(({ refuses }) => refuses === 'start');
}
