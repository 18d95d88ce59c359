// A setting that has no field yet, such as one more provider or agent: its address, and its value as JSON.

import { useState } from 'preact/hooks';
import type { OperatorClient } from '../client/operator-client.ts';
import { useAction } from '../view/use-action.ts';
import { parseField } from './read-schema.ts';

export interface OtherSettingProps {
  readonly client: OperatorClient;
  onChanged(): void;
}

export function OtherSetting({ client, onChanged }: OtherSettingProps) {
  const { act, busy, problem } = useAction();
  const [setting, setSetting] = useState('');
  const [text, setText] = useState('');
  const [told, setTold] = useState('');
  const write = () => {
    const parsed = parseField('json', text);
    setTold('');
    void act('write', async () => {
      if ('problem' in parsed) throw new Error(`${parsed.problem} A text stands in quotes.`);
      const { needsRestart, setting: written } = await client.setSetting(setting.trim(), parsed.value);
      setTold(`Wrote ${written}. It is taken up ${needsRestart ? 'at the next start' : 'already'}.`);
      setSetting('');
      setText('');
      onChanged();
    });
  };
  return (
    <form
      class="field other"
      aria-label="Another setting"
      onSubmit={(event) => {
        event.preventDefault();
        if (setting.trim() !== '' && text.trim() !== '' && busy === '') write();
      }}
    >
      <label>
        Another setting
        <input
          type="text"
          value={setting}
          placeholder="agents.list[1]"
          spellcheck={false}
          autocomplete="off"
          onInput={(event) => setSetting(event.currentTarget.value)}
        />
      </label>
      <div class="control">
        <textarea
          rows={2}
          value={text}
          aria-label="Its value, as JSON"
          placeholder={'{ "id": "coder" }'}
          spellcheck={false}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <button type="submit" class="small" disabled={setting.trim() === '' || text.trim() === '' || busy !== ''}>
          Write
        </button>
      </div>
      <p role="status" class={problem ? 'problem' : 'good'}>
        {problem || told}
      </p>
    </form>
  );
}
