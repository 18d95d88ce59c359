// The files of messages: blobs in a folder beside the store, or in the database of the store, where every node finds them.
// Nothing is made or opened before the first file comes.

import { join } from 'node:path';
import { AttachmentStore } from '../../attachments/attachment-store.ts';
import { attachmentLimitsOf } from '../../config/attachment-limits.ts';
import type { Environment } from '../../config/environment.ts';
import type { Config } from '../../config/schema.ts';
import { storePlaceOf } from '../../config/store-place.ts';
import { makeFolder } from '../../context/workspace/make-folder.ts';
import { FolderBlobs, type FolderBlobsParts } from '../../store/blobs/folder-blobs.ts';
import { openBlobs } from '../../store/blobs/open-blobs.ts';
import type { Store } from '../../store/store.ts';

export function createAttachments(options: {
  readonly environment: Environment;
  readonly config: Config;
  readonly store: Store;
  readonly now: () => number;
}): AttachmentStore {
  const { environment, config, store, now } = options;
  const place = storePlaceOf(environment, config);
  const folder = attachmentFolder(join(environment.stateDir, 'atrium'));
  return new AttachmentStore({
    blobs: openBlobs(place, folder),
    // Versions before this one kept files in the folder although the store was in a database.
    earlier: place.kind === 'sqlite' ? undefined : new FolderBlobs(folder),
    store,
    limits: attachmentLimitsOf(config),
    now,
  });
}

/** The folder of files beside an SQLite file. */
export function attachmentFolder(dirOfStore: string): FolderBlobsParts {
  return { dir: join(dirOfStore, 'attachments'), makeDir: (dir) => makeFolder(dir, 0o700) };
}
