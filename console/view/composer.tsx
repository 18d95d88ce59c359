// The field in which a person writes. The page keeps the text, because words that the gateway did not accept are put
// back into it.

import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { type ChosenFile, ChosenFiles } from './chosen-files.tsx';

export interface ComposerProps {
  /** The page sets the focus back to the field after every message, also one that a button sent. */
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly text: string;
  /**
   * The place that the message goes to; undefined while there is none. When the place changes, the field gets the
   * focus.
   */
  readonly placeId: string | undefined;
  readonly isRunning: boolean;
  /** The files of the next message. It is sent when all of them are uploaded. */
  readonly files: readonly ChosenFile[];
  onText(text: string): void;
  onFiles(files: readonly File[]): void;
  onRemoveFile(key: number): void;
  onSubmit(): void;
  onStop(): void;
}

export function Composer(props: ComposerProps) {
  const { field, text, placeId, isRunning, files, onText, onFiles, onRemoveFile, onSubmit, onStop } = props;
  const picker = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (field.current) grow(field.current);
  }, [text]);
  useEffect(() => field.current?.focus(), [placeId]);
  return (
    <form
      id="composer"
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      <ChosenFiles files={files} onRemove={onRemoveFile} />
      <label class="hidden" for="text">
        Message
      </label>
      <textarea
        ref={field}
        id="text"
        rows={1}
        placeholder="Write a message"
        autocomplete="off"
        disabled={placeId === undefined}
        value={text}
        onInput={({ currentTarget }) => onText(currentTarget.value)}
        onPaste={(event) => {
          const pasted = [...(event.clipboardData?.files ?? [])];
          if (pasted.length === 0) return;
          event.preventDefault();
          onFiles(pasted);
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          onSubmit();
        }}
      />
      <input
        ref={picker}
        id="pick-files"
        type="file"
        multiple
        hidden
        onChange={({ currentTarget }) => {
          onFiles([...(currentTarget.files ?? [])]);
          // The same file can be chosen again.
          currentTarget.value = '';
        }}
      />
      <button
        id="attach"
        type="button"
        class="quiet"
        aria-label="Attach files"
        title="Attach files"
        disabled={placeId === undefined}
        onClick={() => picker.current?.click()}
      >
        +
      </button>
      <button id="stop" type="button" class="stop" hidden={!isRunning} onClick={onStop}>
        Stop
      </button>
      <button id="send" type="submit" disabled={placeId === undefined || files.some(isUploading)}>
        Send
      </button>
    </form>
  );
}

/** The field grows with its text, up to a part of the window. */
function grow(field: HTMLTextAreaElement): void {
  if (field.value === '' && field.style.height === '') return;
  field.style.height = 'auto';
  field.style.height = `${Math.min(field.scrollHeight + 2, window.innerHeight * 0.4)}px`;
}

/** Until the gateway has the file or has refused it. */
export function isUploading({ sent, problem }: ChosenFile): boolean {
  return !sent && !problem;
}
