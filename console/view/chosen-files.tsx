// The files that a person has chosen for the next message: a small picture or the name, how far the upload is, and a
// button that takes the file back.

import type { Upload } from '../../src/protocol/attachment.ts';
import { formatSize, isPicture } from '../talk/sent-file.ts';

export interface ChosenFile {
  readonly key: number;
  readonly name: string;
  readonly size: number;
  /** The address of a picture in the browser's memory. */
  readonly picture?: string | undefined;
  /** Set when the gateway has the file. */
  readonly sent?: Upload | undefined;
  /** Why the gateway did not take it. */
  readonly problem?: string | undefined;
}

export function ChosenFiles({ files, onRemove }: { files: readonly ChosenFile[]; onRemove(key: number): void }) {
  if (files.length === 0) return null;
  return (
    <ul id="files" class="files" aria-label="Files of this message">
      {files.map(({ key, name, size, picture, sent, problem }) => (
        <li key={key} class={problem ? 'file failed' : sent ? 'file' : 'file waiting'} title={problem ?? name}>
          {picture && (!sent || isPicture(sent)) && <img src={picture} alt="" />}
          <span class="name">{name}</span>
          <span class="state">{problem ? 'not taken' : sent ? formatSize(size) : 'uploading…'}</span>
          <button type="button" class="plain" aria-label={`Remove ${name}`} onClick={() => onRemove(key)}>
            ×
          </button>
        </li>
      ))}
    </ul>
  );
}

/** Until the gateway has the file or has refused it. */
export function isUploading({ sent, problem }: ChosenFile): boolean {
  return !sent && !problem;
}
