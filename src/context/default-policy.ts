// The policy that holds when the operator sets nothing else.

import { DEFAULT_BOOTSTRAP_MAX_CHARS, DEFAULT_BOOTSTRAP_TOTAL_MAX_CHARS } from '../protocol/bootstrap-file.ts';
import type { ContextPolicy } from './composition.ts';
import { OPENCLAW_TAXONOMY } from './taxonomy.ts';

export const DEFAULT_POLICY: ContextPolicy = {
  maxChars: DEFAULT_BOOTSTRAP_MAX_CHARS,
  totalMaxChars: DEFAULT_BOOTSTRAP_TOTAL_MAX_CHARS,
  priority: [],
  keep: [],
  subagentFiles: OPENCLAW_TAXONOMY.subagentFiles,
  withholdOnSharedSurfaces: OPENCLAW_TAXONOMY.privateFiles,
  allowedRoots: [],
  missingMarkers: 'required',
  policyDigest: true,
  cutNotice: true,
  heartbeatGuidance: true,
  contextMode: 'full',
};
