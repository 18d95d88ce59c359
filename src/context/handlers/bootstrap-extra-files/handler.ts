// Adds bootstrap files from folders below the workspace, such as `packages/*/AGENTS.md`.

import { type InternalHookHandler, isAgentBootstrapEvent } from '../../../protocol/bootstrap-event.ts';
import { type EditNote, editBootstrapFile, filesIn, noteAbsence, taxonomyIn } from '../../bootstrap-edits.ts';
import { type ExtraFileDiagnostic, loadExtraBootstrapFiles } from './load-extra-files.ts';

export interface ExtraFilesSettings {
  readonly patterns: readonly string[];
}

export function createExtraFilesHandler({ patterns }: ExtraFilesSettings): InternalHookHandler {
  return async (event) => {
    if (!isAgentBootstrapEvent(event)) return;
    const extra = await loadExtraBootstrapFiles(
      filesIn(event.context),
      event.context.workspaceDir,
      patterns,
      taxonomyIn(event.context),
    );
    const listed = new Set(event.context.bootstrapFiles.map((file) => file.path));
    for (const { name, path, read } of extra.files) {
      // A root file that a pattern matches again is already there.
      if (!listed.has(path))
        editBootstrapFile(
          event.context,
          'add',
          name,
          [{ text: read.text, from: { path, source: read, start: 0 } }],
          path,
        );
    }
    for (const diagnostic of extra.diagnostics) noteAbsence(event.context, toNote(diagnostic));
  };
}

const NOTE_REASONS: Readonly<Record<ExtraFileDiagnostic['reason'], EditNote['reason']>> = {
  'invalid-bootstrap-filename': 'disabled',
  missing: 'missing',
  security: 'outside-workspace',
  io: 'unreadable',
  'too-many': 'over-budget',
};

function toNote({ path, reason, detail }: ExtraFileDiagnostic): EditNote {
  return { reason: NOTE_REASONS[reason], what: path, detail };
}
