// Where a person writes. The text is kept by the page, because words that the gateway did not take come back into it.

import type { TargetedSubmitEvent } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

export interface ComposerProps {
  readonly text: string;
  /** The place that the words go to; undefined while there is none. Coming to a place puts the cursor here. */
  readonly placeId: string | undefined;
  readonly isRunning: boolean;
  onText(text: string): void;
  onSubmit(): void;
  onStop(): void;
}

export function Composer({ text, placeId, isRunning, onText, onSubmit, onStop }: ComposerProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    if (field.current) grow(field.current);
  });
  useEffect(() => field.current?.focus(), [placeId]);
  const submit = () => {
    onSubmit();
    field.current?.focus();
  };
  return (
    <form
      id="composer"
      class="composer"
      onSubmit={(event: TargetedSubmitEvent<HTMLFormElement>) => {
        event.preventDefault();
        submit();
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
          submit();
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
  field.style.height = '';
  if (field.value !== '') field.style.height = `${Math.min(field.scrollHeight + 2, window.innerHeight * 0.4)}px`;
}
