// The files of messages, in a folder beside the store. Nothing is made there before the first file comes.

import { join } from 'node:path';
import { AttachmentStore } from '../attachments/attachment-store.ts';
import { attachmentLimitsOf } from '../config/attachment-limits.ts';
import type { Environment } from '../config/environment.ts';
import type { Config } from '../config/schema.ts';
import { makeFolder } from '../context/workspace/make-folder.ts';
import type { Store } from '../store/store.ts';

export function createAttachments(options: {
  readonly environment: Pick<Environment, 'stateDir'>;
  readonly config: Config;
  readonly store: Store;
  readonly now: () => number;
}): AttachmentStore {
  const { environment, config, store, now } = options;
  return new AttachmentStore({
    dir: join(environment.stateDir, 'atrium', 'attachments'),
    makeDir: (dir) => makeFolder(dir, 0o700),
    store,
    limits: attachmentLimitsOf(config),
    now,
  });
}
