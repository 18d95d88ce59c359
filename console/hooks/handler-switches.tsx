// Everything that could be called when a prompt is composed, each with its switch. What is not called says why.

import type { HookItem } from '../client/operator-client.ts';
import { Switch } from '../view/switch.tsx';

export interface HandlerSwitchesProps {
  readonly items: readonly HookItem[];
  readonly busy: string;
  onSwitch(id: string, isOn: boolean): void;
}

export function HandlerSwitches({ items, busy, onSwitch }: HandlerSwitchesProps) {
  return (
    <ul class="lines">
      {items.map((item) => (
        <li key={item.id}>
          {item.hasSwitch ? (
            <Switch
              isBare
              label={item.name}
              isOn={item.state !== 'off'}
              isDisabled={busy !== ''}
              onSwitch={(isOn) => onSwitch(item.id, isOn)}
            />
          ) : (
            <span class="no-switch" />
          )}
          <div class="what">
            <p>
              <b>{item.name}</b>
              <span class="tag">{item.kind}</span>
              {item.state !== 'on' && item.state !== 'off' && (
                <span class="state" data-state={item.state === 'elsewhere' ? 'armed' : item.state}>
                  {item.state === 'elsewhere' ? 'on, at other hooks' : item.state}
                </span>
              )}
            </p>
            <p class="soft">{item.description}</p>
            {item.why !== undefined && item.state !== 'elsewhere' && (
              <p class={item.state === 'failed' ? 'problem' : 'why'}>{item.why}</p>
            )}
          </div>
          <code class="source" title={item.source}>
            {item.source}
          </code>
        </li>
      ))}
    </ul>
  );
}
