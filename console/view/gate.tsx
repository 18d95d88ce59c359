// Asks for the token until the gateway accepts it.

import { useLayoutEffect, useRef } from 'preact/hooks';

export interface GateProps {
  readonly isOpen: boolean;
  /** Why the last token was not accepted; empty when no token was tried. */
  readonly problem: string;
  onToken(token: string): void;
}

export function Gate({ isOpen, problem, onToken }: GateProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (isOpen) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen]);
  return (
    <dialog
      ref={dialog}
      id="gate"
      class="gate"
      aria-labelledby="gate-title"
      onCancel={(event) => event.preventDefault()}
    >
      <form
        id="gate-form"
        method="dialog"
        onSubmit={(event) => {
          event.preventDefault();
          onToken(field.current?.value.trim() ?? '');
        }}
      >
        <h2 id="gate-title">This gateway asks for its token</h2>
        <p>
          Open the link that <code>atrium start</code> printed, or paste the token. It stands in{' '}
          <code>atrium/token</code> in the state directory.
        </p>
        <label for="gate-token">Token</label>
        <input ref={field} id="gate-token" type="password" autocomplete="off" spellcheck={false} required />
        <p id="gate-problem" class="problem" role="alert" hidden={problem === ''}>
          {problem}
        </p>
        <button type="submit">Continue</button>
      </form>
    </dialog>
  );
}
