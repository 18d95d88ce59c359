// Gives every file that the handlers left a definite place: entries without a path are dropped with a warning, relative
// paths belong to the workspace, and two entries at one path are one file.

import { isAbsolute, join, resolve } from 'node:path';
import type { Absence, CompositionState, ContextFile, Stage } from '../composition.ts';

export const settleFiles: Stage = {
  name: 'settle',
  summary: 'give every entry a definite path; two entries at one path are one file',
  run(state: CompositionState): CompositionState {
    const { workspaceDir, home } = state.input;
    const files: ContextFile[] = [];
    const absences: Absence[] = [];
    const warnings: string[] = [];
    const taken = new Set<string>();
    for (const file of state.files) {
      if (file.path.trim() === '') {
        warnings.push(missingPathWarning(file.name));
        absences.push({
          what: file.name,
          reason: 'handler-failed',
          detail: 'the entry has no path',
          text: file.content,
        });
        continue;
      }
      // A file that was loaded and not moved since is where it was.
      const path = file.realPath === undefined ? settlePath(file.path, workspaceDir, home) : file.path;
      // A dynamic path is a label, not a place: two handlers may each bring a text with the same name.
      if (taken.has(path) && !file.path.startsWith('<dynamic:')) {
        const detail = `another entry already has the path ${path}`;
        absences.push({ what: file.name, path, reason: 'removed-by-handler', detail, text: file.content });
        continue;
      }
      taken.add(path);
      files.push(path === file.path ? file : { ...file, path });
    }
    return { ...state, files, absences: [...state.absences, ...absences], warnings: [...state.warnings, ...warnings] };
  },
};

/** Hook authors know this sentence from OpenClaw's log and search for it. */
export function missingPathWarning(name: string): string {
  return `skipping bootstrap file "${name}" — missing or invalid "path" field (hook may have used "filePath" instead)`;
}

export function settlePath(path: string, workspaceDir: string, home: string): string {
  const trimmed = path.trim();
  if (trimmed === '~' || trimmed.startsWith('~/')) return join(home, trimmed.slice(1));
  return isAbsolute(trimmed) ? resolve(trimmed) : join(workspaceDir, trimmed);
}
