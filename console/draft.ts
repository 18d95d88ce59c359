// What is being written at a place and was not sent yet: its words, and the files that the gateway has already. It stays in
// this browser, also over a reload. The gateway keeps a file that no message names for an hour.

import type { Upload } from '../src/protocol/attachment.ts';
import { browserMemory } from './browser-memory.ts';

export const draft = {
  text(surface: string): string {
    return browserMemory.get(`draft.${surface}`) ?? '';
  },

  keepText(surface: string, text: string): void {
    // A draft that is longer than this would fill the browser's storage.
    if (text === '' || text.length > LONGEST_DRAFT) browserMemory.remove(`draft.${surface}`);
    else browserMemory.set(`draft.${surface}`, text);
  },

  /** The files that the gateway still has. */
  files(surface: string): readonly Upload[] {
    return browserMemory
      .getList<KeptFile>(`files.${surface}`)
      .filter(({ at }) => Date.now() - at < KEPT_MS)
      .map(({ file }) => file);
  },

  keepFiles(surface: string, files: readonly Upload[]): void {
    if (files.length === 0) {
      browserMemory.remove(`files.${surface}`);
      return;
    }
    const known = browserMemory.getList<KeptFile>(`files.${surface}`);
    const kept = files.map((file) => ({ file, at: known.find((each) => each.file.id === file.id)?.at ?? Date.now() }));
    browserMemory.set(`files.${surface}`, JSON.stringify(kept));
  },

  isEmpty(surface: string): boolean {
    return draft.text(surface) === '' && draft.files(surface).length === 0;
  },
};

interface KeptFile {
  readonly file: Upload;
  readonly at: number;
}

const LONGEST_DRAFT = 200_000;
/** A little less than the gateway keeps it. */
const KEPT_MS = 55 * 60_000;
