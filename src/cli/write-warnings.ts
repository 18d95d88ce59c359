// What a person should know about a composition besides its result: on the error stream, so that output stays exact.

import type { LoadedConfig } from '../config/load-config.ts';
import type { ContextReport } from '../context/report/build-report.ts';
import type { CliIo } from './cli-io.ts';
import { oneLine } from './format-table.ts';

export function writeWarnings(loaded: LoadedConfig, report: ContextReport, io: CliIo): void {
  if (loaded.merged) io.err(`note: ${oneLine(loaded.merged.explanation)}\n`);
  for (const warning of loaded.warnings) {
    const hint = warning.suggestion ? ` Did you mean "${warning.suggestion}"?` : '';
    io.err(`warning: ${warning.file}:${warning.line}: ${oneLine(warning.message)}${hint}\n`);
  }
  for (const warning of report.warnings) io.err(`warning: ${oneLine(warning)}\n`);
}
