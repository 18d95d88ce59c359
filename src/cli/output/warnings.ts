// What a person should know about a composition besides its result: on the error stream, so that output stays exact.

import type { ConfigWarning, LoadedConfig } from '../../config/load-config.ts';
import type { ContextReport } from '../../context/report/build-report.ts';
import type { CliIo } from '../cli-io.ts';
import { oneLine } from './format-table.ts';

export function writeWarnings(loaded: LoadedConfig, report: Pick<ContextReport, 'warnings'>, io: CliIo): void {
  if (loaded.merged) io.err(`note: ${oneLine(loaded.merged.explanation)}\n`);
  for (const warning of loaded.warnings) io.err(`${formatConfigWarning(warning)}\n`);
  for (const warning of report.warnings) io.err(`warning: ${oneLine(warning)}\n`);
}

/** The message already names the setting that was probably meant. */
export function formatConfigWarning({ file, line, message }: ConfigWarning): string {
  return `warning: ${file}:${line}: ${oneLine(message)}`;
}
