// The situation for which a request is shown that was not sent: another agent, session type, channel, time, message or
// settings. A file that is edited in place belongs to it too; its editor is beside the document.

import { useId } from 'preact/hooks';
import type { Agent } from '../client/gateway-client.ts';

export interface Situation {
  readonly message: string;
  readonly agentId: string;
  /** When it is empty, the session decides. */
  readonly sessionType: string;
  readonly channel: string;
  /** As a field for date and time has it; empty for now. */
  readonly at: string;
  /** Settings that are merged over the configuration, as JSON; empty for none. */
  readonly settings: string;
}

export const NO_CHANGE: Situation = { message: '', agentId: '', sessionType: '', channel: '', at: '', settings: '' };

export function isChanged(situation: Situation): boolean {
  return Object.values(situation).some((value) => value.trim() !== '');
}

export type ReadSettings =
  | { readonly value: Readonly<Record<string, unknown>> | undefined }
  | { readonly problem: string };

/** Settings are asked about only when they can be read. */
export function readSettings(text: string): ReadSettings {
  if (text.trim() === '') return { value: undefined };
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return { value: value as Readonly<Record<string, unknown>> };
    return { problem: 'Settings are an object, such as {"agents": {"defaults": {"bootstrapMaxChars": 4000}}}.' };
  } catch (error) {
    return { problem: `This is not JSON yet: ${(error as Error).message}` };
  }
}

export interface WhatIfProps {
  readonly situation: Situation;
  readonly agents: readonly Agent[];
  readonly channels: readonly string[];
  onChange(situation: Situation): void;
}

export function WhatIf({ situation, agents, channels, onChange }: WhatIfProps) {
  const change = (told: Partial<Situation>) => onChange({ ...situation, ...told });
  const settings = readSettings(situation.settings);
  const problemId = useId();
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
      <details class="settings" open={situation.settings !== ''}>
        <summary>Other settings</summary>
        <label>
          <span>Merged over the configuration, as JSON; nothing is saved</span>
          <textarea
            rows={4}
            spellcheck={false}
            value={situation.settings}
            placeholder={'{"agents": {"defaults": {"bootstrapMaxChars": 4000}}}'}
            aria-describedby={problemId}
            onInput={({ currentTarget }) => change({ settings: currentTarget.value })}
          />
        </label>
        <p id={problemId} class="problem">
          {'problem' in settings ? settings.problem : ''}
        </p>
      </details>
      {isChanged(situation) && (
        <button type="button" class="ghost" onClick={() => onChange(NO_CHANGE)}>
          As it is
        </button>
      )}
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
