// The settings as a form that is made from the schema. Each change is one setting, written by the code of `atrium config
// set`; comments in the file stay. Secrets are hidden, and shown once to who asks.

import { useState } from 'preact/hooks';
import type { ConsoleState } from '../console-state.ts';
import { currentRoute } from '../router.ts';
import { formatCount, formatPlural } from '../view/format.ts';
import { GatewayNotes } from '../view/gateway-notes.tsx';
import { useLive, useOperatorClient } from '../view/use-live.ts';
import { OtherSetting } from './other-setting.tsx';
import { readSections, type SettingField } from './read-schema.ts';
import { SettingFieldView } from './setting-field.tsx';

export function SettingsForm({ state }: { state: ConsoleState }) {
  const client = useOperatorClient(state);
  const route = currentRoute.value;
  const asked = route.page === 'operations' ? (route.setting ?? '') : '';
  const [search, setSearch] = useState(asked);
  const [chosen, setChosen] = useState(asked.split('.')[0] ?? '');
  const settings = useLive(state, ['config'], (from) => from.settings());
  const status = useLive(state, ['config'], (from) => from.status());
  if (!client || !settings.value)
    return settings.problem === '' ? null : <p class="page-problem problem">{settings.problem}</p>;
  const { schema, values, files, waiting, problem, isManaged, hidden } = settings.value;
  const sections = readSections(schema, values);
  const current = sections.find(({ name }) => name === chosen) ?? sections.find(({ set }) => set > 0) ?? sections[0];
  const words = search.trim().toLowerCase();
  const isMeant = ({ setting, description }: SettingField) =>
    setting.toLowerCase().includes(words) || description.toLowerCase().includes(words);
  const found = words === '' ? (current?.fields ?? []) : sections.flatMap(({ fields }) => fields.filter(isMeant));
  const shown = found.toSorted((one, other) => Number(isUnset(one)) - Number(isUnset(other))).slice(0, MOST_FIELDS);
  // What is set comes first; in a search, and in a section where nothing is set, everything is shown.
  const set = words === '' ? shown.filter((field) => !isUnset(field)) : [];
  const [first, rest] = set.length === 0 ? [shown, []] : [set, shown.filter(isUnset)];
  const more = found.length > MOST_FIELDS && (
    <p class="soft">{`${formatCount(found.length - MOST_FIELDS)} more; search for what you mean.`}</p>
  );
  const view = (field: SettingField) => (
    <SettingFieldView
      key={field.setting}
      field={field}
      client={client}
      hidden={hidden}
      isManaged={isManaged}
      isFull={words !== ''}
      onChanged={settings.readAgain}
    />
  );
  return (
    <>
      {status.value && <GatewayNotes warnings={[]} unused={status.value.unused} isOpen />}
      <section class="block settings" aria-label="Settings">
        <header class="block-head">
          <h2>Settings</h2>
          <p class="soft">{files.length === 0 ? 'No file yet; the first change makes one.' : files.join(', ')}</p>
        </header>
        {isManaged && <p class="why">Another program writes this configuration, so it cannot be changed here.</p>}
        {problem !== null && <p class="problem">{problem}</p>}
        {waiting.length > 0 && <p class="why">{`Waits for the next start: ${waiting.join(', ')}.`}</p>}
        <div class="two-parts">
          <div class="sections">
            <label>
              <span class="hidden">Find a setting</span>
              <input
                type="search"
                placeholder="Find a setting"
                value={search}
                onInput={(event) => setSearch(event.currentTarget.value)}
              />
            </label>
            <ul>
              {sections.map(({ name, set }) => (
                <li key={name}>
                  <button
                    type="button"
                    class="plain"
                    aria-current={words === '' && name === current?.name ? 'true' : undefined}
                    onClick={() => {
                      setSearch('');
                      setChosen(name);
                    }}
                  >
                    <span>{name}</span>
                    {set > 0 && <span class="soft">{formatCount(set)}</span>}
                  </button>
                </li>
              ))}
            </ul>
          </div>
          <div class="fields">
            <h3>{words === '' ? current?.name : formatPlural(found.length, 'setting')}</h3>
            {words !== '' && found.length === 0 && (
              <p class="none">No setting has these words in its name or its sentence.</p>
            )}
            {first.map(view)}
            {rest.length > 0 && (
              <details class="more">
                <summary>{`${formatCount(found.length - first.length)} more that are not set`}</summary>
                {rest.map(view)}
                {more}
              </details>
            )}
            {rest.length === 0 && more}
            {!isManaged && <OtherSetting client={client} onChanged={() => void settings.readAgain()} />}
          </div>
        </div>
      </section>
    </>
  );
}

const MOST_FIELDS = 120;

function isUnset({ value }: SettingField): boolean {
  return value === undefined;
}
