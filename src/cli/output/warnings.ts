// Warnings about the configuration or a composition. They go to the error stream, so that the output itself stays
// exact.

import type { ConfigWarning, LoadedConfig } from '../../config/load-config.ts';
import type { CliIo } from '../cli-io.ts';
import { oneLine } from './text.ts';

export function writeWarnings(loaded: LoadedConfig, io: CliIo, warnings: readonly string[] = []): void {
  for (const warning of warningLines(loaded, warnings)) io.err(`${warning}\n`);
}

export function warningLines(loaded: LoadedConfig, warnings: readonly string[] = []): readonly string[] {
  return [
    ...(loaded.merged ? [`note: ${oneLine(loaded.merged.explanation)}`] : []),
    ...loaded.warnings.map(formatConfigWarning),
    ...warnings.map((warning) => `warning: ${oneLine(warning)}`),
  ];
}

/** The message already names the setting that was probably meant. */
export function formatConfigWarning({ file, line, message }: ConfigWarning): string {
  return `warning: ${file}:${line}: ${oneLine(message)}`;
}
