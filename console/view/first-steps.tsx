// What a person does before the first real answer, as three steps. Until then the built-in mirror answers, so that
// everything else can be tried at once.

import { CopyButton } from './copy-button.tsx';

export interface FirstStepsProps {
  readonly agentId: string;
  onLookAgain(): void;
  onSubmit(text: string): void;
}

export function FirstSteps({ agentId, onLookAgain, onSubmit }: FirstStepsProps) {
  return (
    <section class="first-steps" aria-labelledby="first-steps-title">
      <h2 id="first-steps-title">Three steps to the first answer</h2>
      <ol>
        <li>
          <h3>Connect a model</h3>
          <p>Run this where the gateway runs. It asks for a provider and a key, and tries them.</p>
          <Command text="atrium onboard" />
        </li>
        <li>
          <h3>Look again</h3>
          <p>{`This page then says which model answers for ${agentId}.`}</p>
          <button type="button" class="quiet" onClick={onLookAgain}>
            Look again
          </button>
        </li>
        <li>
          <h3>Say something</h3>
          <p>Until then a built-in mirror answers by itself, so that you can see what an agent would be given.</p>
          <button type="button" onClick={() => onSubmit('Hello, who are you?')}>
            Say hello
          </button>
        </li>
      </ol>
    </section>
  );
}

function Command({ text }: { text: string }) {
  return (
    <div class="command">
      <code>{text}</code>
      <CopyButton text={text} label={`Copy ${text}`} />
    </div>
  );
}
