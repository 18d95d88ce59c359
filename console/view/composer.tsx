// The field in which a person writes, with the files of the message and the menu of commands. The page keeps the text,
// because words that the gateway did not accept are put back into it.

import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ListedCommand } from '../../src/commands/list-commands.ts';
import { type ChosenFile, ChosenFiles, isUploading } from './chosen-files.tsx';
import { directionOf } from './direction-of.ts';
import { Icon } from './icon.tsx';
import { matchCommands, SlashMenu } from './slash-menu.tsx';

export interface ComposerProps {
  /** The page sets the focus back to the field after every message, also one that a button sent. */
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly text: string;
  /**
   * The place that the message goes to; undefined while there is none. When the place changes, the field gets the
   * focus.
   */
  readonly placeId: string | undefined;
  readonly agentId: string | undefined;
  readonly isRunning: boolean;
  readonly commands: readonly ListedCommand[];
  /** The files of the next message. It is sent when all of them are uploaded. */
  readonly files: readonly ChosenFile[];
  onText(text: string): void;
  onFiles(files: readonly File[]): void;
  onRemoveFile(key: number): void;
  onSubmit(): void;
  onStop(): void;
  /** What else stands in the row below the words. */
  readonly children?: ComponentChildren;
}

export function Composer(props: ComposerProps) {
  const { field, text, placeId, agentId, isRunning, commands, files } = props;
  const { onText, onFiles, onRemoveFile, onSubmit, onStop } = props;
  const picker = useRef<HTMLInputElement>(null);
  const [pointedAt, pointAt] = useState(0);
  /** The text for which the person closed the menu. */
  const [closedFor, closeFor] = useState<string | undefined>(undefined);
  useLayoutEffect(() => {
    if (field.current) grow(field.current);
    pointAt(0);
  }, [text]);
  // On a telephone the focus would open the keyboard over what is to be read.
  useEffect(() => {
    if (matchMedia('(min-width: 720px)').matches) field.current?.focus();
  }, [placeId]);
  const matching = closedFor === text ? [] : matchCommands(commands, text);
  const complete = (command: ListedCommand) => {
    onText(`/${command.name}${command.arguments === null ? '' : ' '}`);
    field.current?.focus();
  };
  const pressKey = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    const chosen = matching[pointedAt];
    if (matching.length > 0 && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
      event.preventDefault();
      const step = event.key === 'ArrowDown' ? 1 : -1;
      pointAt((pointedAt + step + matching.length) % matching.length);
    } else if (matching.length > 0 && event.key === 'Escape') {
      event.preventDefault();
      event.stopPropagation();
      closeFor(text);
    } else if (chosen && (event.key === 'Tab' || (event.key === 'Enter' && text !== `/${chosen.name}`))) {
      event.preventDefault();
      complete(chosen);
    } else if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      onSubmit();
    }
  };
  const hasWords = text.trim() !== '' || files.length > 0;
  return (
    <form
      id="composer"
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      <SlashMenu commands={matching} pointedAt={pointedAt} onPoint={pointAt} onPick={complete} />
      <ChosenFiles files={files} onRemove={onRemoveFile} />
      <label class="hidden" for="text">
        Message
      </label>
      <textarea
        ref={field}
        id="text"
        dir={directionOf(text)}
        rows={1}
        placeholder={agentId ? `Write to ${agentId}, or / for commands` : 'Write a message'}
        autocomplete="off"
        disabled={placeId === undefined}
        value={text}
        aria-controls={matching.length > 0 ? 'slash-menu' : undefined}
        aria-activedescendant={matching.length > 0 ? `slash-${pointedAt}` : undefined}
        onInput={({ currentTarget }) => onText(currentTarget.value)}
        onPaste={(event) => {
          const pasted = [...(event.clipboardData?.files ?? [])];
          if (pasted.length === 0) return;
          event.preventDefault();
          onFiles(pasted);
        }}
        onKeyDown={pressKey}
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
      <div class="composer-row">
        <button
          id="attach"
          type="button"
          class="ghost round"
          aria-label="Attach files"
          title="Attach files"
          disabled={placeId === undefined}
          onClick={() => picker.current?.click()}
        >
          <Icon name="clip" />
        </button>
        {props.children}
        <span class="hint">Enter sends · Shift+Enter new line · Esc stops</span>
        <button
          id="stop"
          type="button"
          class="round stop"
          hidden={!isRunning}
          aria-label="Stop"
          title="Stop (Esc)"
          onClick={onStop}
        >
          <Icon name="stop" />
        </button>
        <button
          id="send"
          type="submit"
          class="round"
          aria-label="Send"
          title="Send (Enter)"
          disabled={placeId === undefined || files.some(isUploading) || !hasWords}
        >
          <Icon name="send" />
        </button>
      </div>
    </form>
  );
}

/** The field grows with its text, up to a part of the window. */
function grow(field: HTMLTextAreaElement): void {
  if (field.value === '' && field.style.height === '') return;
  field.style.height = 'auto';
  field.style.height = `${Math.min(field.scrollHeight + 2, window.innerHeight * 0.4)}px`;
}
