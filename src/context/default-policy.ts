// What holds when nobody decided otherwise.

import type { ContextPolicy } from './composition.ts';
import { OPENCLAW_TAXONOMY } from './taxonomy.ts';

export const DEFAULT_POLICY: ContextPolicy = {
  maxChars: 12_000,
  totalMaxChars: 60_000,
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
