// `atrium config`: the configuration of this home, and what can be set in it.

import type { UnusedSetting } from '../config/list-unused-settings.ts';
import { loadConfig } from '../config/load-config.ts';
import { countOf } from '../protocol/count-of.ts';
import { isAtriumError } from '../protocol/errors.ts';
import { type CliCommand, command } from './command.ts';
import { CONFIG_OPTION } from './common-options.ts';
import { EXIT } from './exit-code.ts';
import { line } from './output/text.ts';
import { unusedLines } from './output/unused-settings.ts';
import { formatConfigWarning } from './output/warnings.ts';

export const CONFIG_COMMANDS: readonly CliCommand[] = [
  command({
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
        const loaded = await loadConfig({ environment, configPath });
        const { files, merged } = loaded;
        const { listToolProblems } = await import('../gateway/list-tool-problems.ts');
        const { surveyHomePlugins } = await import('../gateway/survey-home-plugins.ts');
        const survey = await surveyHomePlugins(loaded.config, environment);
        const unusable = survey.plugins.filter(({ state }) => state === 'failed');
        const problems = [
          ...listToolProblems(environment, loaded),
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
        const block = unusedLines(unused).map((each) => `${each}\n`);
        const text = [...lines.map(line), ...block, line(verdictOn(warnings.length, unused))].join('');
        const ok = !keepsFromStarting(unused);
        return { json: { ok, files, merged, warnings, unused }, text, exit: ok ? EXIT.ok : EXIT.failure };
      } catch (error) {
        if (!json || !isAtriumError(error)) throw error;
        const { code, message } = error;
        const issues = 'issues' in error ? error.issues : undefined;
        return { json: { ok: false, error: { code, message, issues } }, exit: EXIT.failure };
      }
    },
  }),
  command({
    path: 'config schema',
    summary: 'print the JSON Schema of the configuration, for editors and forms',
    examples: ['config schema > openclaw.schema.json'],
    json: false,
    async run() {
      const { configJsonSchema } = await import('../config/schema.ts');
      return { text: `${JSON.stringify(configJsonSchema(), null, 2)}\n` };
    },
  }),
];

function verdictOn(warnings: number, unused: readonly UnusedSetting[]): string {
  const open = unused.filter(({ isAccepted, danger }) => !isAccepted && danger !== 'harmless');
  if (keepsFromStarting(unused)) return 'A gateway does not start with it.';
  if (warnings === 0 && open.length === 0) return 'Nothing to complain about.';
  const found = [
    ...(warnings === 0 ? [] : [countOf(warnings, 'warning')]),
    ...(open.length === 0
      ? []
      : [`${countOf(open.length, 'setting')} that ${open.length === 1 ? 'is' : 'are'} not used`]),
  ];
  return `Usable, with ${found.join(' and ')}.`;
}

function keepsFromStarting(unused: readonly UnusedSetting[]): boolean {
  return unused.some(({ refuses }) => refuses === 'start');
}
