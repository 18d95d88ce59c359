// The situation for which a request is shown that was not sent: another agent, session type, channel, time or message.

import type { Agent } from '../client/gateway-client.ts';

export interface Situation {
  readonly message: string;
  readonly agentId: string;
  /** Empty: as the session says. */
  readonly sessionType: string;
  readonly channel: string;
  /** As a field for date and time has it; empty for now. */
  readonly at: string;
}

export const NO_CHANGE: Situation = { message: '', agentId: '', sessionType: '', channel: '', at: '' };

export interface WhatIfProps {
  readonly situation: Situation;
  readonly agents: readonly Agent[];
  readonly channels: readonly string[];
  onChange(situation: Situation): void;
}

export function WhatIf({ situation, agents, channels, onChange }: WhatIfProps) {
  const change = (told: Partial<Situation>) => onChange({ ...situation, ...told });
  return (
    <form class="what-if" aria-label="What if" onSubmit={(event) => event.preventDefault()}>
      <label class="wide">
        <span>Message</span>
        <input
          type="text"
          value={situation.message}
          placeholder="What would be said"
          onInput={({ currentTarget }) => change({ message: currentTarget.value })}
        />
      </label>
      <Choice
        label="Agent"
        value={situation.agentId}
        options={agents.map(({ agentId }) => agentId)}
        none="as it is"
        onPick={(agentId) => change({ agentId })}
      />
      <Choice
        label="Session type"
        value={situation.sessionType}
        options={['interactive', 'subagent', 'scheduled', 'ci']}
        none="as it is"
        onPick={(sessionType) => change({ sessionType })}
      />
      <Choice
        label="Channel"
        value={situation.channel}
        options={channels}
        none="as it is"
        onPick={(channel) => change({ channel })}
      />
      <label>
        <span>Time</span>
        <input
          type="datetime-local"
          value={situation.at}
          onInput={({ currentTarget }) => change({ at: currentTarget.value })}
        />
      </label>
    </form>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly string[];
  readonly none: string;
  onPick(value: string): void;
}

function Choice({ label, value, options, none, onPick }: ChoiceProps) {
  return (
    <label>
      <span>{label}</span>
      <select value={value} onChange={({ currentTarget }) => onPick(currentTarget.value)}>
        <option value="">{none}</option>
        {options.map((option) => (
          <option key={option} value={option}>
            {option}
          </option>
        ))}
      </select>
    </label>
  );
}
