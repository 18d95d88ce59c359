// A conversation that has not begun: what can be said first, or, where no model is configured yet, the steps to one.

import type { Agent } from '../client/gateway-client.ts';
import { FirstSteps, type FirstStepsProps } from './first-steps.tsx';

export interface WelcomeProps extends Omit<FirstStepsProps, 'agentId'> {
  readonly agent: Agent;
}

export function Welcome({ agent: { agentId, name, emoji, model }, onSubmit, onLookAgain }: WelcomeProps) {
  if (model?.startsWith('mirror/'))
    return <FirstSteps agentId={agentId} onSubmit={onSubmit} onLookAgain={onLookAgain} />;
  return (
    <div class="welcome">
      <h2>{`Talk to ${[emoji, name ?? agentId].filter(Boolean).join(' ')}`}</h2>
      <p>
        Everything that the agent is given for an answer can be seen: each word with its author, its size and its place.
      </p>
      <ul>
        {['Hello, who are you?', 'What can you do?', '/status', '/help'].map((text) => (
          <li key={text}>
            <button type="button" class="quiet" onClick={() => onSubmit(text)}>
              {text}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
