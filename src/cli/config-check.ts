// `atrium config check`: which files make up the configuration, and what is odd or wrong in them.

import { loadConfig } from '../config/load-config.ts';
import { isAtriumError } from '../protocol/errors.ts';
import type { AddCommand } from './commands.ts';
import { configGroup } from './config-group.ts';
import { EXIT } from './exit-code.ts';
import { oneLine } from './output/format-table.ts';
import { formatConfigWarning } from './output/warnings.ts';

interface ConfigCheckFlags {
  readonly config?: string;
  readonly json?: boolean;
}

export const addConfigCheck: AddCommand = (program, io, exit) => {
  configGroup(program)
    .command('check')
    .description('say which files make up the configuration, and what is odd or wrong in them')
    .option('--config <file>', 'read this configuration file only')
    .option('--json', 'print JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  $ atrium config check                          the configuration of this home
  $ atrium config check --config ./draft.yaml    another file

Exit code: 0 when the configuration can be used (warnings are allowed), 2 when it cannot.`,
    )
    .action(async (flags: ConfigCheckFlags) => {
      const { environment } = io;
      try {
        const loaded = await loadConfig({ environment, configPath: flags.config });
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
        if (flags.json) {
          io.out(`${JSON.stringify({ ok: true, files, merged, warnings }, null, 2)}\n`);
          return;
        }
        if (files.length === 0) {
          io.out(`There is no configuration file, and none is needed. To write one: ${environment.configPath}\n`);
        }
        for (const { path, format } of files) io.out(`${path} (${format === 'yaml' ? 'YAML' : 'JSON5'})\n`);
        if (merged) io.out(`${oneLine(merged.explanation)}\n`);
        for (const warning of loaded.warnings) io.out(`${formatConfigWarning(warning)}\n`);
        for (const problem of problems) io.out(`warning: ${oneLine(problem)}\n`);
        io.out(
          warnings.length === 0 ? 'Nothing to complain about.\n' : `Usable, with ${countWarnings(warnings.length)}.\n`,
        );
      } catch (error) {
        if (!flags.json || !isAtriumError(error)) throw error;
        const { code, message } = error;
        const issues = 'issues' in error ? error.issues : undefined;
        io.out(`${JSON.stringify({ ok: false, error: { code, message, issues } }, null, 2)}\n`);
        exit(EXIT.failure);
      }
    });
};

function countWarnings(number: number): string {
  return number === 1 ? '1 warning' : `${number} warnings`;
}
