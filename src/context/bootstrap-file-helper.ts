// What handler authors use to edit the bootstrap files of their draft. Each call is recorded exactly, so a report can
// name the handler for every character that it wrote.

import type { AgentBootstrapHookContext } from '../protocol/bootstrap-event.ts';
import type { WorkspaceBootstrapFileName } from '../protocol/bootstrap-file.ts';
import { editBootstrapFile, fileNameIn } from './bootstrap-edits.ts';

export class BootstrapFileHelper {
  readonly #context: AgentBootstrapHookContext;

  constructor(context: AgentBootstrapHookContext) {
    this.#context = context;
  }

  /** Adds a new bootstrap file. */
  addFile(name: WorkspaceBootstrapFileName, content: string, source?: string): void {
    editBootstrapFile(this.#context, 'add', name, [{ text: content }], source);
  }

  /** Removes every file of this name. */
  removeFile(name: WorkspaceBootstrapFileName): void {
    const known = fileNameIn(this.#context, name);
    this.#context.bootstrapFiles = this.#context.bootstrapFiles.filter((file) => file.name !== known);
  }

  /** Puts content before an existing file, or creates the file. */
  prependToFile(name: WorkspaceBootstrapFileName, content: string): void {
    editBootstrapFile(this.#context, 'prepend', name, [{ text: content }]);
  }

  /** Puts content after an existing file, or creates the file. */
  appendToFile(name: WorkspaceBootstrapFileName, content: string): void {
    editBootstrapFile(this.#context, 'append', name, [{ text: content }]);
  }

  /** Replaces the whole content of a file, also of a missing one, or creates the file. */
  replaceFileContent(name: WorkspaceBootstrapFileName, content: string): void {
    editBootstrapFile(this.#context, 'replace', name, [{ text: content }]);
  }

  /** True when a file of this name is there and not missing. */
  hasFile(name: WorkspaceBootstrapFileName): boolean {
    const known = fileNameIn(this.#context, name);
    return this.#context.bootstrapFiles.some((file) => file.name === known && !file.missing);
  }

  getFileContent(name: WorkspaceBootstrapFileName): string | undefined {
    const known = fileNameIn(this.#context, name);
    return this.#context.bootstrapFiles.find((file) => file.name === known && !file.missing)?.content;
  }
}
