// Instructions for one agent on top of what its workspace says: `<state>/agents/<id>/<NAME>.md`, appended by default.

import { basename, dirname, join } from 'node:path';
import { normalizeAgentId } from '../../../protocol/agent-id.ts';
import { type InternalHookHandler, isAgentBootstrapEvent } from '../../../protocol/bootstrap-event.ts';
import {
  type EditPart,
  editBootstrapFile,
  filesIn,
  noteAbsence,
  objectionIn,
  taxonomyIn,
} from '../../bootstrap-edits.ts';
import { type FileRead, type FileSource, readNames, whyAbsent } from '../../sources/file-source.ts';
import { sharedFileNames, type Taxonomy } from '../../taxonomy.ts';

export type OverrideMode = 'append' | 'prepend' | 'replace';

export interface AgentOverridesSettings {
  /** The folder that holds one folder per agent. */
  readonly overrideDir: string;
  /** One mode for all files, or one per file name. */
  readonly mode?: OverrideMode | Readonly<Record<string, OverrideMode>> | undefined;
}

export function createAgentOverridesHandler(settings: AgentOverridesSettings): InternalHookHandler {
  const { overrideDir, mode = 'append' } = settings;
  const modeOf = (name: string) => (typeof mode === 'string' ? mode : (mode[name] ?? 'append'));
  return async (event) => {
    if (!isAgentBootstrapEvent(event) || !event.context.agentId) return;
    // The id is normalised, because the client that names the session chooses it, and it becomes part of a path.
    const agentId = normalizeAgentId(event.context.agentId);
    const taxonomy = taxonomyIn(event.context);
    const names = sharedFileNames(taxonomy);
    const reads = await readOverrides(filesIn(event.context), overrideDir, agentId, taxonomy);
    reads.forEach((read, index) => {
      const name = names[index] ?? '';
      if (read.kind === 'absent') {
        if (read.entryExists) noteAbsence(event.context, { ...whyAbsent(read), what: read.path });
        return;
      }
      if (read.text.trim() === '') {
        noteAbsence(event.context, { reason: 'empty', what: read.path, detail: 'the file says nothing' });
        return;
      }
      const objection = objectionIn(event.context, name);
      if (objection) {
        noteAbsence(event.context, { ...objection, what: read.path, text: read.text });
        return;
      }
      const text: EditPart = { text: read.text, from: { path: read.path, source: read, start: 0 } };
      const fileMode = modeOf(name);
      const parts = fileMode === 'replace' ? [text] : [{ text: `\n## Agent-Specific: ${agentId}\n\n` }, text];
      editBootstrapFile(event.context, fileMode, name, parts);
    });
  };
}

export async function readOverrides(
  files: FileSource,
  overrideDir: string,
  agentId: string,
  taxonomy: Taxonomy,
): Promise<readonly FileRead[]> {
  // Most homes have no overrides at all, and the listing of the parent folder shows that without another read. A disk
  // that ignores case may have the folder under another spelling.
  const wanted = basename(overrideDir).toLowerCase();
  const names = await files.list(dirname(overrideDir));
  const isThere = names === undefined || names.some((name) => name.toLowerCase() === wanted);
  return isThere ? readNames(files, join(overrideDir, agentId), sharedFileNames(taxonomy), [overrideDir]) : [];
}
