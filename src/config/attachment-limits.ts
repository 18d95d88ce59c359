// How large the files of a message may be.

import type { AttachmentLimits } from '../protocol/attachment.ts';
import { resolveAgentDefaults } from './agents.ts';
import type { Config } from './schema.ts';

const DEFAULT_MEGABYTES = 10;
const MAX_FILES = 16;

export function attachmentLimitsOf(config: Config): AttachmentLimits {
  const maxBytes = Math.floor((resolveAgentDefaults(config).mediaMaxMb ?? DEFAULT_MEGABYTES) * 1_048_576);
  return { maxBytes, maxFiles: MAX_FILES, maxTotalBytes: 2 * maxBytes };
}
