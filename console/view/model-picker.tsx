// The model that answers in this conversation, as a button, and behind it the models that can be used, which are searched
// while a person types.

import { useEffect, useRef, useState } from 'preact/hooks';
import type { ListedModel, ModelChoice } from '../client/gateway-client.ts';
import { formatCount } from './format.ts';
import { Icon } from './icon.tsx';

export interface ModelPickerProps {
  /** Undefined until it is known. */
  readonly choice: ModelChoice | undefined;
  load(): Promise<readonly ListedModel[]>;
  /** Null goes back to the model of the agent. */
  onPick(name: string | null): void;
}

export function ModelPicker({ choice, load, onPick }: ModelPickerProps) {
  const [isOpen, setOpen] = useState(false);
  const [models, setModels] = useState<readonly ListedModel[] | undefined>(undefined);
  const [words, setWords] = useState('');
  const [pointedAt, pointAt] = useState(0);
  const box = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const read = () => void load().then(setModels, () => setModels([]));
  useEffect(() => {
    if (!isOpen) return;
    field.current?.focus();
    read();
    const press = (event: Event) => {
      if (!box.current?.contains(event.target as Node)) setOpen(false);
    };
    document.addEventListener('pointerdown', press);
    return () => document.removeEventListener('pointerdown', press);
  }, [isOpen]);
  useEffect(() => {
    document.getElementById(`model-${pointedAt}`)?.scrollIntoView({ block: 'nearest' });
  }, [pointedAt]);
  if (!choice) return null;
  const found = matching(models ?? [], words, choice);
  const close = () => {
    setOpen(false);
    setWords('');
    pointAt(0);
    button.current?.focus();
  };
  const pick = (name: string | undefined) => {
    close();
    if (name !== undefined && name !== choice.model) onPick(name === choice.own ? null : name);
  };
  const pressKey = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0 && found.length > 0) pointAt((pointedAt + step + found.length) % found.length);
    else if (event.key === 'Enter') pick(found[pointedAt]?.name);
    else if (event.key === 'Escape') close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div ref={box} class="model-picker">
      <button
        ref={button}
        id="model"
        type="button"
        class="ghost"
        aria-haspopup="listbox"
        aria-expanded={isOpen}
        title={`The model that answers: ${choice.model}`}
        // Who comes near will open it, and then the models are there.
        onPointerEnter={() => models ?? read()}
        onFocus={() => models ?? read()}
        onClick={() => (isOpen ? close() : setOpen(true))}
      >
        <span class="label">{shortName(choice.model)}</span>
        <Icon name="down" size={14} />
      </button>
      {isOpen && (
        <div class="model-list">
          <input
            ref={field}
            type="search"
            placeholder="Search models"
            aria-label="Search models"
            aria-controls="models"
            aria-activedescendant={found.length > 0 ? `model-${pointedAt}` : undefined}
            value={words}
            onInput={({ currentTarget }) => {
              setWords(currentTarget.value);
              pointAt(0);
            }}
            onKeyDown={pressKey}
          />
          <div id="models" role="listbox" aria-label="Models">
            {found.map(({ name, contextWindow, takesImages }, index) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field, which has the focus.
              <div
                key={name}
                id={`model-${index}`}
                role="option"
                tabIndex={-1}
                aria-selected={index === pointedAt}
                class={name === choice.model ? 'current' : undefined}
                onMouseMove={() => pointAt(index)}
                onClick={() => pick(name)}
              >
                <span class="name">{name}</span>
                {name === choice.own && <span class="tag">agent</span>}
                <span class="help">
                  {[
                    ...(contextWindow === null ? [] : [`${formatCount(Math.round(contextWindow / 1_000))}k`]),
                    ...(takesImages ? ['images'] : []),
                  ].join(' · ')}
                </span>
                {name === choice.model && <Icon name="check" size={14} />}
              </div>
            ))}
          </div>
          {!models && <p class="none">Asking which models there are…</p>}
          {models && found.length === 0 && <p class="none">No model has these words in its name.</p>}
          {models && models.length <= 1 && (
            <p class="none">
              A key for a provider brings its models: <code>atrium onboard</code>
            </p>
          )}
        </div>
      )}
    </div>
  );
}

/** The current one and the agent's own first; then as the gateway lists them. */
function matching(models: readonly ListedModel[], words: string, { model, own }: ModelChoice): readonly ListedModel[] {
  const parts = words.toLowerCase().split(/\s+/).filter(Boolean);
  const rank = ({ name }: ListedModel) => (name === model ? 0 : name === own ? 1 : 2);
  return models
    .filter(({ name }) => parts.every((part) => name.toLowerCase().includes(part)))
    .toSorted((one, other) => rank(one) - rank(other))
    .slice(0, MOST_SHOWN);
}

/** Providers have hundreds of models; the rest is found by typing. */
const MOST_SHOWN = 100;

function shortName(name: string): string {
  return name.slice(name.indexOf('/') + 1);
}
