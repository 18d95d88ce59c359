// What the budget did to the files, in the words of the contract: sizes, causes, which files are near a limit, the
// signature by which a warning is recognised the next time, and the lines that tell a model that its context is
// partial. It works from sizes that any caller can report, and trims nothing itself.

import type { WorkspaceBootstrapFile } from '../../protocol/bootstrap-file.ts';
import type { EmbeddedContextFile } from './context-files.ts';
import { isPolicyFile } from './policy-digest.ts';

export interface BootstrapInjectionStat {
  readonly name: string;
  readonly path: string;
  readonly missing: boolean;
  readonly rawChars: number;
  readonly injectedChars: number;
  readonly truncated: boolean;
}

export type BootstrapTruncationCause = 'per-file-limit' | 'total-limit';

export interface AnalyzedBootstrapFile extends BootstrapInjectionStat {
  readonly nearLimit: boolean;
  readonly causes: readonly BootstrapTruncationCause[];
}

export interface BootstrapBudgetAnalysis {
  readonly files: readonly AnalyzedBootstrapFile[];
  readonly truncatedFiles: readonly AnalyzedBootstrapFile[];
  readonly nearLimitFiles: readonly AnalyzedBootstrapFile[];
  readonly totalNearLimit: boolean;
  readonly hasTruncation: boolean;
  readonly totals: {
    readonly rawChars: number;
    readonly injectedChars: number;
    readonly truncatedChars: number;
    readonly bootstrapMaxChars: number;
    readonly bootstrapTotalMaxChars: number;
    readonly nearLimitRatio: number;
  };
}

export type BootstrapWarningMode = 'off' | 'once' | 'always';

const NEAR_LIMIT_RATIO = 0.85;
const LISTED_FILES = 3;
const REMEMBERED_SIGNATURES = 32;

/** An injected file is found by its path, else by the file's name, else by the last part of its path: sandboxes move files. */
export function buildBootstrapInjectionStats(input: {
  readonly bootstrapFiles: readonly WorkspaceBootstrapFile[];
  readonly injectedFiles: readonly EmbeddedContextFile[];
}): BootstrapInjectionStat[] {
  const byPath = new Map<string, string>();
  const byBaseName = new Map<string, string>();
  for (const { path, content } of input.injectedFiles) {
    const trimmed = trimmedText(path);
    if (trimmed === '') continue;
    if (!byPath.has(trimmed)) byPath.set(trimmed, content);
    const name = baseName(trimmed);
    if (!byBaseName.has(name)) byBaseName.set(name, content);
  }
  return input.bootstrapFiles.map((file) => {
    const path = trimmedText(file.path);
    const rawChars = file.missing ? 0 : (file.content ?? '').trimEnd().length;
    const injected = (path === '' ? undefined : byPath.get(path)) ?? byPath.get(file.name) ?? byBaseName.get(file.name);
    const injectedChars = injected?.length ?? 0;
    return {
      name: file.name,
      path: path || file.name,
      missing: file.missing,
      rawChars,
      injectedChars,
      truncated: !file.missing && injectedChars < rawChars,
    };
  });
}

export function analyzeBootstrapBudget(input: {
  readonly files: readonly BootstrapInjectionStat[];
  readonly bootstrapMaxChars: number;
  readonly bootstrapTotalMaxChars: number;
  readonly nearLimitRatio?: number | undefined;
}): BootstrapBudgetAnalysis {
  const bootstrapMaxChars = wholeLimit(input.bootstrapMaxChars);
  const bootstrapTotalMaxChars = wholeLimit(input.bootstrapTotalMaxChars);
  const nearLimitRatio = isShare(input.nearLimitRatio) ? input.nearLimitRatio : NEAR_LIMIT_RATIO;
  const present = input.files.filter((file) => !file.missing);
  const rawChars = present.reduce((sum, file) => sum + file.rawChars, 0);
  const injectedChars = present.reduce((sum, file) => sum + file.injectedChars, 0);

  const files = input.files.map((file): AnalyzedBootstrapFile => {
    const causes: BootstrapTruncationCause[] = [];
    if (!file.missing && file.truncated) {
      if (file.rawChars > bootstrapMaxChars) causes.push('per-file-limit');
      if (injectedChars >= bootstrapTotalMaxChars) causes.push('total-limit');
    }
    const nearLimit = !file.missing && file.rawChars >= Math.ceil(bootstrapMaxChars * nearLimitRatio);
    return { ...file, nearLimit, causes };
  });
  const truncatedFiles = files.filter((file) => file.truncated);
  return {
    files,
    truncatedFiles,
    nearLimitFiles: files.filter((file) => file.nearLimit),
    totalNearLimit: injectedChars >= Math.ceil(bootstrapTotalMaxChars * nearLimitRatio),
    hasTruncation: truncatedFiles.length > 0,
    totals: {
      rawChars,
      injectedChars,
      truncatedChars: Math.max(0, rawChars - injectedChars),
      bootstrapMaxChars,
      bootstrapTotalMaxChars,
      nearLimitRatio,
    },
  };
}

/** The signature is equal for equal truncation in any order of the files, and undefined when nothing is truncated. */
export function buildBootstrapTruncationSignature(analysis: BootstrapBudgetAnalysis): string | undefined {
  if (!analysis.hasTruncation) return undefined;
  const { bootstrapMaxChars, bootstrapTotalMaxChars } = analysis.totals;
  const files = analysis.truncatedFiles
    .map(({ name, path, rawChars, injectedChars, causes }) => {
      return { path: path || name, rawChars, injectedChars, causes: causes.toSorted() };
    })
    .sort(
      (a, b) =>
        PATH_ORDER.compare(a.path, b.path) ||
        a.rawChars - b.rawChars ||
        a.injectedChars - b.injectedChars ||
        a.causes.length - b.causes.length,
    );
  return JSON.stringify({ bootstrapMaxChars, bootstrapTotalMaxChars, files });
}

/** The locale is fixed, so that the signature does not depend on the machine's locale. */
const PATH_ORDER = new Intl.Collator('en');

export function formatBootstrapTruncationWarningLines(input: {
  readonly analysis: BootstrapBudgetAnalysis;
  readonly maxFiles?: number | undefined;
  /** False where AGENTS.md is trimmed like any other file, so that it needs no line of its own. */
  readonly policyDigest?: boolean | undefined;
}): string[] {
  const { truncatedFiles } = input.analysis;
  if (truncatedFiles.length === 0) return [];
  const listed = truncatedFiles.slice(0, isPositive(input.maxFiles) ? Math.floor(input.maxFiles) : LISTED_FILES);
  const lines = listed.map((file) => {
    const isAmbiguous = truncatedFiles.some((other) => other !== file && other.name === file.name);
    const label = isAmbiguous && file.path.trim() !== '' ? `${file.name} (${file.path})` : file.name;
    return `${label}: ${file.rawChars} raw -> ${file.injectedChars} injected (${removedPart(file)}).`;
  });
  if (truncatedFiles.length > listed.length) {
    lines.push(`+${truncatedFiles.length - listed.length} more truncated file(s).`);
  }
  if (input.policyDigest !== false && truncatedFiles.some((file) => isPolicyFile(file.name))) {
    lines.push('AGENTS.md was truncated; read the full AGENTS.md before relying on scoped policy.');
  }
  lines.push(
    'If unintentional, raise agents.defaults.bootstrapMaxChars and/or agents.defaults.bootstrapTotalMaxChars.',
  );
  return lines;
}

export interface BootstrapPromptWarning {
  readonly signature?: string;
  readonly warningShown: boolean;
  readonly lines: readonly string[];
  readonly warningSignaturesSeen: readonly string[];
}

/** `once` warns about a signature that has not been seen; `off` neither warns nor remembers. */
export function buildBootstrapPromptWarning(input: {
  readonly analysis: BootstrapBudgetAnalysis;
  readonly mode: BootstrapWarningMode;
  readonly previousSignature?: string | undefined;
  readonly seenSignatures?: readonly string[] | undefined;
  readonly maxFiles?: number | undefined;
  readonly policyDigest?: boolean | undefined;
}): BootstrapPromptWarning {
  const { analysis, mode, maxFiles, policyDigest } = input;
  const signature = buildBootstrapTruncationSignature(analysis);
  const seen = rememberSignature(distinctSignatures(input.seenSignatures), input.previousSignature);
  const isNews = signature !== undefined && (mode === 'always' || (mode === 'once' && !seen.includes(signature)));
  return {
    ...(signature === undefined ? {} : { signature }),
    warningShown: isNews,
    lines: isNews ? formatBootstrapTruncationWarningLines({ analysis, maxFiles, policyDigest }) : [],
    warningSignaturesSeen: mode === 'off' ? seen : rememberSignature(seen, signature),
  };
}

/** What an earlier report remembers, in the part of it that matters here. */
export interface BootstrapWarningMemory {
  readonly bootstrapTruncation?: {
    readonly warningMode?: string;
    readonly warningSignaturesSeen?: readonly string[];
    readonly promptWarningSignature?: string;
  };
}

/** A report that was written while warnings were off names the signature of its run, but no agent saw that warning. */
export function resolveBootstrapWarningSignaturesSeen(report?: BootstrapWarningMemory | null): string[] {
  const memory = report?.bootstrapTruncation;
  const seen = distinctSignatures(memory?.warningSignaturesSeen);
  if (seen.length > 0 || memory?.warningMode === 'off') return seen;
  return distinctSignatures([memory?.promptWarningSignature]);
}

const WARNING_TITLE = '[Bootstrap truncation warning]';
const WARNING_ADVICE = 'Treat Project Context as partial and read the relevant files directly if details seem missing.';

/** For prompts that carry the lines themselves. A prompt that must stay exactly as it is gets none. */
export function appendBootstrapPromptWarning(
  prompt: string,
  warningLines?: readonly string[],
  options: { readonly preserveExactPrompt?: string | undefined } = {},
): string {
  const lines = nonBlankLines(warningLines);
  if (lines.length === 0) return prompt;
  if (options.preserveExactPrompt && prompt === options.preserveExactPrompt) return prompt;
  const warning = [
    WARNING_TITLE,
    'Some workspace bootstrap files were truncated before injection.',
    WARNING_ADVICE,
    ...lines.map((line) => `- ${line}`),
  ].join('\n');
  return prompt === '' ? warning : `${prompt}\n\n${warning}`;
}

/** For system prompts, which say only that something is missing: sizes would change the prompt with every edit. */
export function buildBootstrapPromptWarningNotice(warningLines?: readonly string[]): string | undefined {
  if (nonBlankLines(warningLines).length === 0) return undefined;
  return [
    WARNING_TITLE,
    'Some workspace bootstrap files were truncated before Project Context injection.',
    WARNING_ADVICE,
  ].join('\n');
}

function nonBlankLines(lines: readonly string[] = []): readonly string[] {
  return lines.map((line) => line.trim()).filter((line) => line !== '');
}

function removedPart({ rawChars, injectedChars, causes }: AnalyzedBootstrapFile): string {
  const percent = rawChars > 0 ? Math.max(0, Math.round(((rawChars - injectedChars) / rawChars) * 100)) : 0;
  const limits = causes.map((cause) => (cause === 'per-file-limit' ? 'max/file' : 'max/total'));
  return `~${percent}% removed${limits.length > 0 ? `; ${limits.join(', ')}` : ''}`;
}

function rememberSignature(seen: readonly string[], signature: string | undefined): readonly string[] {
  if (!signature?.trim() || seen.includes(signature)) return seen;
  return [...seen, signature].slice(-REMEMBERED_SIGNATURES);
}

/** Reports are read back from disk, so their entries are not trusted to be strings. */
function distinctSignatures(signatures: readonly unknown[] | undefined): string[] {
  if (!Array.isArray(signatures)) return [];
  return [...new Set(signatures.map(trimmedText))].filter((signature) => signature !== '');
}

function trimmedText(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}

function baseName(path: string): string {
  const parts = path.split(/[\\/]/).filter((part) => part !== '');
  return parts.at(-1) ?? '';
}

function wholeLimit(limit: number): number {
  return Number.isFinite(limit) && limit > 0 ? Math.floor(limit) : 1;
}

function isShare(value: number | undefined): value is number {
  return value !== undefined && value > 0 && value < 1;
}

function isPositive(value: number | undefined): value is number {
  return value !== undefined && Number.isFinite(value) && value > 0;
}
