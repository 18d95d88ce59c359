// The bootstrap files as the prompt takes them: a path and a content that fits the budget. The name and shape are the
// contract's, for callers that need nothing else. A caller that must know what was cut uses `fitBudget`.

import type { WorkspaceBootstrapFile } from '../../protocol/bootstrap-file.ts';
import { DEFAULT_BOOTSTRAP_MAX_CHARS, DEFAULT_BOOTSTRAP_TOTAL_MAX_CHARS } from '../../protocol/bootstrap-file.ts';
import { missingPathWarning } from '../stages/settle-files.ts';
import { type BudgetEntry, fitBudget } from './fit-budget.ts';

export interface EmbeddedContextFile {
  readonly path: string;
  readonly content: string;
}

export interface ContextFilesOptions {
  readonly maxChars?: number | undefined;
  readonly totalMaxChars?: number | undefined;
  readonly warn?: ((message: string) => void) | undefined;
  /** False trims AGENTS.md like any other file. */
  readonly policyDigest?: boolean | undefined;
}

export function buildBootstrapContextFiles(
  files: readonly WorkspaceBootstrapFile[],
  options: ContextFilesOptions = {},
): EmbeddedContextFile[] {
  const { maxChars = DEFAULT_BOOTSTRAP_MAX_CHARS, warn } = options;
  const totalMaxChars = options.totalMaxChars ?? Math.max(maxChars, DEFAULT_BOOTSTRAP_TOTAL_MAX_CHARS);
  const entries = files.flatMap((file) => toEntry(file, warn));
  const fitted = fitBudget(entries, { maxChars, totalMaxChars }, { policyDigest: options.policyDigest });
  for (const warning of fitted.warnings) warn?.(warning);
  return fitted.entries.filter((entry) => entry.text !== '').map(({ path, text }) => ({ path, content: text }));
}

/** Handlers come from other authors, so a path may be any value. */
function toEntry(file: WorkspaceBootstrapFile, warn: ContextFilesOptions['warn']): readonly BudgetEntry[] {
  const path = typeof file.path === 'string' ? file.path.trim() : '';
  if (path === '') {
    warn?.(missingPathWarning(file.name));
    return [];
  }
  if (file.missing) return [{ name: file.name, path, missing: true }];
  return [{ name: file.name, path, text: file.content ?? '' }];
}
