// Suite truncation-budget: how long bootstrap files are made to fit, and how the cut is told. Paths in these cases are
// plain text, placeholders included: no file is read.

import { resolveBootstrapLimits } from '../../src/config/bootstrap-limits.ts';
import type { Config } from '../../src/config/schema.ts';
import * as analysis from '../../src/context/budget/budget-analysis.ts';
import { buildBootstrapContextFiles, type ContextFilesOptions } from '../../src/context/budget/context-files.ts';
import type { WorkspaceBootstrapFile } from '../../src/protocol/bootstrap-file.ts';
import type { SuiteAdapter } from '../adapter.ts';
import { type ContentSpec, expandContent } from '../content-spec.ts';
import { TextFacts } from '../text-facts.ts';

export const truncationBudget: SuiteAdapter = {
  buildBootstrapContextFiles: (input) => {
    const { files, warnings } = fitFiles(input as FitInput, { policyDigest: true });
    const total = files.reduce((sum, { content }) => sum + content.length, 0);
    return { files: files.map(describeFile), total, warnings };
  },
  resolveBootstrapLimits: (input) => {
    const { cfg, agentId } = input as { cfg?: Config; agentId?: string };
    return resolveBootstrapLimits(cfg, agentId);
  },
  analyzeBootstrapBudget: (input) => analyze(input as AnalysisInput),
  buildBootstrapInjectionStats: (input) =>
    analysis.buildBootstrapInjectionStats(input as Parameters<typeof analysis.buildBootstrapInjectionStats>[0]),
  appendBootstrapPromptWarning: (input) => {
    const args = input as Parameters<typeof analysis.appendBootstrapPromptWarning>;
    return {
      text: analysis.appendBootstrapPromptWarning(...args),
      notice: analysis.buildBootstrapPromptWarningNotice(args[1]) ?? null,
    };
  },
  resolveBootstrapWarningSignaturesSeen: (input) =>
    analysis.resolveBootstrapWarningSignaturesSeen(input as analysis.BootstrapWarningMemory | undefined),
};

export interface FitInput {
  readonly files: readonly (Omit<WorkspaceBootstrapFile, 'content'> & { readonly content?: ContentSpec })[];
  readonly opts?: Pick<ContextFilesOptions, 'maxChars' | 'totalMaxChars'>;
}

export function fitFiles({ files, opts }: FitInput, { policyDigest }: { policyDigest: boolean }) {
  const warnings: string[] = [];
  const expanded = files.map(({ content, ...file }) =>
    content === undefined ? file : { ...file, content: expandContent(content) },
  );
  const options = { ...opts, policyDigest, warn: (warning: string) => warnings.push(warning) };
  return { files: buildBootstrapContextFiles(expanded, options), warnings };
}

export function describeFile({ path, content }: { readonly path: string; readonly content: string }): TextFacts {
  return new TextFacts(content, { path });
}

export type AnalysisInput = Parameters<typeof analysis.analyzeBootstrapBudget>[0];

function analyze(input: AnalysisInput): unknown {
  const analysed = analysis.analyzeBootstrapBudget(input);
  const signature = analysis.buildBootstrapTruncationSignature(analysed);
  const warning = (options: Omit<Parameters<typeof analysis.buildBootstrapPromptWarning>[0], 'analysis'>) =>
    analysis.buildBootstrapPromptWarning({ analysis: analysed, ...options });
  return {
    analysis: analysed,
    signature: signature ?? null,
    lines: analysis.formatBootstrapTruncationWarningLines({ analysis: analysed }),
    lines1: analysis.formatBootstrapTruncationWarningLines({ analysis: analysed, maxFiles: 1 }),
    once: warning({ mode: 'once' }),
    onceSeen: warning({ mode: 'once', seenSignatures: [signature ?? 'zzz'] }),
    oncePrev: warning({ mode: 'once', previousSignature: signature ?? 'p' }),
    always: warning({ mode: 'always', seenSignatures: ['a', 'b'] }),
    off: warning({ mode: 'off', seenSignatures: ['a'] }),
  };
}
