// Questions of the page to the person, as a dialog of its own: for a text, or for a yes. While it is open the keyboard
// stays inside; Escape means no, and the focus goes back to where it was.

import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';

export interface Question {
  readonly title: string;
  readonly text?: string | undefined;
  /** Set when the person is to give a text: its name, and what it is now. */
  readonly field?: { readonly label: string; readonly value: string } | undefined;
  /** What the button says that means yes. */
  readonly action: string;
  readonly isDanger?: boolean | undefined;
}

interface OpenQuestion extends Question {
  answer(given: string | undefined): void;
}

const open = signal<OpenQuestion | undefined>(undefined);

/** Resolves with the given text, which is empty for a question without a field, or with undefined for a no. */
export function ask(question: Question): Promise<string | undefined> {
  open.value?.answer(undefined);
  return new Promise((resolve) => {
    const answer = (given: string | undefined) => {
      open.value = undefined;
      resolve(given);
    };
    open.value = { ...question, answer };
  });
}

/** The place of the questions; the page has one. */
export function AskDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const question = open.value;
  useLayoutEffect(() => {
    if (!question) {
      dialog.current?.close();
      return;
    }
    dialog.current?.showModal();
    field.current?.select();
  }, [question]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the Escape key does the same as a click beside the dialog.
    <dialog
      ref={dialog}
      class="dialog"
      aria-labelledby="ask-title"
      onCancel={() => question?.answer(undefined)}
      onClick={(event) => {
        if (event.target === dialog.current) question?.answer(undefined);
      }}
    >
      {question && (
        <form
          method="dialog"
          onSubmit={(event) => {
            event.preventDefault();
            question.answer(field.current?.value ?? '');
          }}
        >
          <h2 id="ask-title">{question.title}</h2>
          {question.text !== undefined && <p>{question.text}</p>}
          {question.field && (
            <label>
              {question.field.label}
              <input ref={field} type="text" value={question.field.value} autocomplete="off" maxLength={200} />
            </label>
          )}
          <div class="choices">
            <button type="button" class="quiet" onClick={() => question.answer(undefined)}>
              Cancel
            </button>
            <button type="submit" class={question.isDanger ? 'danger' : undefined}>
              {question.action}
            </button>
          </div>
        </form>
      )}
    </dialog>
  );
}
