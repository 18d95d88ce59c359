// Instructions shared by every agent: `<state>/<NAME>.md` stands before the file of that name in each workspace.

import { join } from 'node:path';
import { type InternalHookHandler, isAgentBootstrapEvent } from '../../../protocol/bootstrap-event.ts';
import { editBootstrapFile, noteAbsence, taxonomyIn } from '../../bootstrap-edits.ts';
import type { FileSource } from '../../sources/file-source.ts';

export interface GlobalFilesSettings {
  readonly files: FileSource;
  readonly stateDir: string;
  /** openboa workspaces are not shared, so their agents get global files only when asked for. */
  readonly openboaToo?: boolean | undefined;
}

export function createGlobalFilesHandler({ files, stateDir, openboaToo }: GlobalFilesSettings): InternalHookHandler {
  const roots = [stateDir];
  return async (event) => {
    if (!isAgentBootstrapEvent(event)) return;
    const taxonomy = taxonomyIn(event.context);
    if (taxonomy.id === 'openboa' && !openboaToo) return;
    const reads = await Promise.all(taxonomy.files.map(({ name }) => files.read(join(stateDir, name), roots)));
    reads.forEach((read, index) => {
      const name = taxonomy.files[index]?.name ?? '';
      const { path } = read;
      if (read.kind === 'text') {
        // A global file that holds nothing must not leave a separator behind.
        if (read.text.trim() === '') return;
        editBootstrapFile(event.context, 'prepend', name, [
          { text: read.text, from: { path, source: read, start: 0 } },
        ]);
      } else if (read.entryExists) {
        noteAbsence(event.context, { reason: read.reason, what: path, detail: read.detail });
      }
    });
  };
}
