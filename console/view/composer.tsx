// The field in which a person writes. The page keeps the text, because words that the gateway did not accept are put
// back into it.

import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect } from 'preact/hooks';

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
  onText(text: string): void;
  onSubmit(): void;
  onStop(): void;
}

export function Composer({ field, text, placeId, isRunning, onText, onSubmit, onStop }: ComposerProps) {
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
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          onSubmit();
        }}
      />
      <button id="stop" type="button" class="stop" hidden={!isRunning} onClick={onStop}>
        Stop
      </button>
      <button id="send" type="submit" disabled={placeId === undefined}>
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
