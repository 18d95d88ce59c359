// Instructions that all agents share: `<state>/<NAME>.md` stands before the file of that name in each workspace.

import { type InternalHookHandler, isAgentBootstrapEvent } from '../../../protocol/bootstrap-event.ts';
import { editBootstrapFile, filesIn, noteAbsence, objectionIn, taxonomyIn } from '../../bootstrap-edits.ts';
import { type FileRead, type FileSource, readNames, whyAbsent } from '../../sources/file-source.ts';
import { sharedFileNames, type Taxonomy } from '../../taxonomy.ts';

export interface GlobalFilesSettings {
  readonly stateDir: string;
  /** openboa workspaces are not shared, so their agents get global files only when asked for. */
  readonly openboaToo?: boolean | undefined;
}

export function createGlobalFilesHandler({ stateDir, openboaToo }: GlobalFilesSettings): InternalHookHandler {
  return async (event) => {
    if (!isAgentBootstrapEvent(event)) return;
    const taxonomy = taxonomyIn(event.context);
    if (taxonomy.id === 'openboa' && !openboaToo) return;
    const names = sharedFileNames(taxonomy);
    const reads = await readGlobalFiles(filesIn(event.context), stateDir, taxonomy);
    reads.forEach((read, index) => {
      const name = names[index] ?? '';
      const { path } = read;
      // A workspace may be the state directory itself; then its files are already there.
      if (event.context.bootstrapFiles.some((file) => file.path === path)) return;
      if (read.kind === 'absent') {
        if (read.entryExists) noteAbsence(event.context, { ...whyAbsent(read), what: path });
        return;
      }
      // An empty global file must not leave a separator behind.
      if (read.text.trim() === '') {
        noteAbsence(event.context, { reason: 'empty', what: path, detail: 'the file says nothing' });
        return;
      }
      const objection = objectionIn(event.context, name);
      if (objection) {
        noteAbsence(event.context, { ...objection, what: path, text: read.text });
        return;
      }
      editBootstrapFile(event.context, 'prepend', name, [{ text: read.text, from: { path, source: read, start: 0 } }]);
    });
  };
}

export function readGlobalFiles(files: FileSource, stateDir: string, taxonomy: Taxonomy): Promise<readonly FileRead[]> {
  return readNames(files, stateDir, sharedFileNames(taxonomy), [stateDir]);
}
