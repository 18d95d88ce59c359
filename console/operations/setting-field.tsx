// One setting: its value, what it means, and a button that writes it. A secret stands as dots until somebody asks for it,
// and is hidden again after half a minute.

import type { TargetedInputEvent } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import type { OperatorClient } from '../client/operator-client.ts';
import { useAction } from '../view/use-action.ts';
import { formatField, parseField, type SettingField } from './read-schema.ts';

export interface SettingFieldProps {
  readonly field: SettingField;
  readonly client: OperatorClient;
  /** The text that stands for a hidden secret. */
  readonly hidden: string;
  readonly isManaged: boolean;
  /** Whether the whole address is shown, and not only what comes after its section. */
  readonly isFull: boolean;
  /** Resolves when the settings were read again. */
  onChanged(): Promise<void>;
}

export function SettingFieldView({ field, client, hidden, isManaged, isFull, onChanged }: SettingFieldProps) {
  const { setting, name, kind, description, value } = field;
  const id = useId();
  const { act, busy, problem, clear } = useAction();
  const isHidden = typeof value === 'string' && value.includes(hidden);
  const stored = isHidden ? '' : formatField(kind, value);
  /** What the person has typed and not written yet. It stays when the setting is changed elsewhere meanwhile. */
  const [draft, setDraft] = useState<string | undefined>(undefined);
  const [wrong, setWrong] = useState('');
  const [told, setTold] = useState('');
  const [revealed, setRevealed] = useState<string | undefined>(undefined);
  useEffect(() => {
    if (revealed === undefined) return;
    const timer = setTimeout(() => setRevealed(undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [revealed]);
  const text = draft ?? stored;
  const isChanged = text !== stored;
  const say = (needsRestart: boolean, remarks: readonly string[]) =>
    setTold(
      [needsRestart ? 'Written. It is taken up at the next start.' : 'Written, and taken up.', ...remarks].join(' '),
    );
  const save = () => {
    const parsed = parseField(kind, text);
    setWrong('problem' in parsed ? parsed.problem : '');
    setTold('');
    if ('problem' in parsed) return;
    void act('save', async () => {
      const { needsRestart, remarks } = await client.setSetting(setting, parsed.value);
      say(needsRestart, remarks);
      setRevealed(undefined);
      await onChanged();
      // What was typed since then is not written yet.
      setDraft((typed) => (typed === text ? undefined : typed));
    });
  };
  const unset = () =>
    act('unset', async () => {
      const { needsRestart, remarks } = await client.unsetSetting(setting);
      say(needsRestart, remarks);
      await onChanged();
    });
  const reveal = () =>
    act('reveal', async () => {
      const secret = await client.revealSetting(setting);
      setRevealed(typeof secret === 'string' ? secret : JSON.stringify(secret));
    });
  const write = (next: string) => {
    setDraft(next === stored ? undefined : next);
    setWrong('');
    setTold('');
    clear();
  };
  return (
    <form
      class={value === undefined ? 'field' : 'field set'}
      onSubmit={(event) => {
        event.preventDefault();
        if (isChanged && busy === '') save();
      }}
    >
      <label for={id}>
        <code>
          {(isFull ? setting : name).split(/(?<=\.)/).map((part) => (
            <>
              {part}
              <wbr />
            </>
          ))}
        </code>
      </label>
      <div class="control">
        <Control id={id} field={field} text={text} isHidden={isHidden} isDisabled={isManaged} onWrite={write} />
        {isChanged && (
          <button type="submit" class="small" disabled={busy !== ''}>
            {busy === 'save' ? 'Writing…' : 'Write'}
          </button>
        )}
        {isChanged && (
          <button type="button" class="ghost" onClick={() => write(stored)}>
            Leave it
          </button>
        )}
        {!isChanged && isHidden && revealed === undefined && (
          <button type="button" class="quiet small" disabled={busy !== ''} onClick={() => void reveal()}>
            Show once
          </button>
        )}
        {!isChanged && value !== undefined && !isManaged && (
          <button type="button" class="ghost" disabled={busy !== ''} onClick={() => void unset()}>
            Take out
          </button>
        )}
      </div>
      {revealed !== undefined && (
        <p class="revealed">
          <code>{revealed}</code>
          <button type="button" class="ghost" onClick={() => setRevealed(undefined)}>
            Hide
          </button>
        </p>
      )}
      {description !== '' && <p class="soft">{description}</p>}
      <p role="status" class={wrong || problem ? 'problem' : 'good'}>
        {wrong || problem || told}
      </p>
    </form>
  );
}

interface ControlProps {
  readonly id: string;
  readonly field: SettingField;
  readonly text: string;
  readonly isHidden: boolean;
  readonly isDisabled: boolean;
  onWrite(text: string): void;
}

function Control({ id, field: { kind, choices = [] }, text, isHidden, isDisabled, onWrite }: ControlProps) {
  const shared = { id, disabled: isDisabled };
  if (kind === 'flag' || kind === 'choice') {
    return (
      <select {...shared} value={text} onChange={(event) => onWrite(event.currentTarget.value)}>
        <option value="">not set</option>
        {(kind === 'flag' ? ['true', 'false'] : choices).map((choice) => (
          <option key={choice} value={choice}>
            {choice}
          </option>
        ))}
      </select>
    );
  }
  if (kind === 'texts' || kind === 'json') {
    const rows = Math.min(14, Math.max(kind === 'json' ? 2 : 1, text.split('\n').length));
    return (
      <textarea
        {...shared}
        rows={rows}
        value={text}
        spellcheck={false}
        placeholder={kind === 'json' ? 'not set; JSON' : 'not set; one a line'}
        onInput={(event) => onWrite(event.currentTarget.value)}
      />
    );
  }
  const typed = {
    ...shared,
    value: text,
    placeholder: isHidden ? '••••••••' : 'not set',
    spellcheck: false,
    onInput: (event: TargetedInputEvent<HTMLInputElement>) => onWrite(event.currentTarget.value),
  };
  if (kind === 'secret' || isHidden) return <input {...typed} type="password" autocomplete="new-password" />;
  return <input {...typed} type="text" autocomplete="off" inputMode={kind === 'number' ? 'decimal' : 'text'} />;
}

/** Long enough to copy it. */
const SHOWN_MS = 30_000;
