// Instructions for one agent on top of what its workspace says: `<state>/agents/<id>/<NAME>.md`, appended by default.

import { join } from 'node:path';
import { normalizeAgentId } from '../../../protocol/agent-id.ts';
import { type InternalHookHandler, isAgentBootstrapEvent } from '../../../protocol/bootstrap-event.ts';
import { type EditPart, editBootstrapFile, noteAbsence, taxonomyIn } from '../../bootstrap-edits.ts';
import type { FileSource } from '../../sources/file-source.ts';

export type OverrideMode = 'append' | 'prepend' | 'replace';

export interface AgentOverridesSettings {
  readonly files: FileSource;
  /** The folder that holds one folder per agent. */
  readonly overrideDir: string;
  /** One mode for all files, or one per file name. */
  readonly mode?: OverrideMode | Readonly<Record<string, OverrideMode>> | undefined;
}

export function createAgentOverridesHandler(settings: AgentOverridesSettings): InternalHookHandler {
  const { files, overrideDir, mode = 'append' } = settings;
  const modeOf = (name: string) => (typeof mode === 'string' ? mode : (mode[name] ?? 'append'));
  const roots = [overrideDir];
  return async (event) => {
    if (!isAgentBootstrapEvent(event) || !event.context.agentId) return;
    // Normalised, because an id is chosen by whoever names the session and becomes part of a path.
    const agentId = normalizeAgentId(event.context.agentId);
    const dir = join(overrideDir, agentId);
    const names = taxonomyIn(event.context).files.map((file) => file.name);
    const reads = await Promise.all(names.map((name) => files.read(join(dir, name), roots)));
    reads.forEach((read, index) => {
      const name = names[index] ?? '';
      if (read.kind === 'absent') {
        if (read.entryExists) noteAbsence(event.context, { reason: read.reason, what: read.path, detail: read.detail });
        return;
      }
      if (read.text.trim() === '') return;
      const text: EditPart = { text: read.text, from: { path: read.path, source: read, start: 0 } };
      const fileMode = modeOf(name);
      const parts = fileMode === 'replace' ? [text] : [{ text: `\n## Agent-Specific: ${agentId}\n\n` }, text];
      editBootstrapFile(event.context, fileMode, name, parts);
    });
  };
}
