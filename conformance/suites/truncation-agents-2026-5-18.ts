// Suite truncation-agents-2026.5.18: the older rule for AGENTS.md, which is trimmed like any other file. It is what
// the policy digest is when it is switched off.

import {
  analyzeBootstrapBudget,
  formatBootstrapTruncationWarningLines,
} from '../../src/context/budget/budget-analysis.ts';
import type { SuiteAdapter } from '../adapter.ts';
import { type AnalysisInput, describeFile, type FitInput, fitFiles } from './truncation-budget.ts';

export const truncationAgents20260518: SuiteAdapter = {
  buildBootstrapContextFiles: (input) => {
    const { files, warnings } = fitFiles(input as FitInput, { policyDigest: false });
    return { files: files.map(describeFile), warnings };
  },
  formatBootstrapTruncationWarningLines: (input) => {
    const analysis = analyzeBootstrapBudget(input as AnalysisInput);
    return formatBootstrapTruncationWarningLines({ analysis, policyDigest: false });
  },
};
