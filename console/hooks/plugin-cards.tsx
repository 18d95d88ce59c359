// The plugins, one card each: what it is, whether it is loaded and why, what it brought, what it may do. Names, texts and
// notes are the plugin's own, so they are shown as plain text.

import type { PluginDecision, PluginStatus } from '../client/operator-client.ts';
import { formatPlural } from '../view/format.ts';
import { Switch } from '../view/switch.tsx';

export interface PluginCardsProps {
  readonly plugins: readonly PluginStatus[];
  readonly absent: readonly { readonly owner: string; readonly state: string; readonly reason: string }[];
  readonly busy: string;
  onReload(id: string): void;
  onDecide(id: string, decision: PluginDecision): void;
}

export function PluginCards({ plugins, busy, onReload, onDecide }: PluginCardsProps) {
  if (plugins.length === 0)
    return (
      <p class="none">No plugin is there yet. Install one below: a package of npm, or a folder on this machine.</p>
    );
  return (
    <ul class="plugins">
      {plugins.map((plugin) => (
        <li key={plugin.id} class="card plugin" data-state={plugin.state} aria-label={plugin.name}>
          <header>
            <b>{plugin.name}</b>
            {plugin.version !== undefined && <span class="soft">{plugin.version}</span>}
            <span class="grow" />
            <span class="state" data-state={plugin.state}>
              {plugin.state}
            </span>
            <button type="button" class="ghost" disabled={busy !== ''} onClick={() => onReload(plugin.id)}>
              {busy === `reload ${plugin.id}` ? 'Reloading…' : 'Reload'}
            </button>
          </header>
          {plugin.description !== undefined && <p>{plugin.description}</p>}
          <p class="soft">
            {[plugin.id, plugin.origin, placeOf(plugin), broughtBy(plugin)].filter(Boolean).join(' · ')}
          </p>
          {plugin.state !== 'loaded' && <p class={plugin.state === 'failed' ? 'problem' : 'why'}>{plugin.reason}</p>}
          {plugin.install?.changed && <p class="why">Its files were changed since it was installed.</p>}
          {plugin.notes
            .filter(({ level, message }) => level !== 'info' && message !== plugin.reason)
            .map(({ code, level, message }) => (
              <p key={`${code} ${message}`} class={level === 'error' ? 'problem' : 'why'}>
                {message}
              </p>
            ))}
          <div class="switches">
            <Switch
              label="On"
              isOn={plugin.state !== 'disabled'}
              isDisabled={busy !== ''}
              onSwitch={(enabled) => onDecide(plugin.id, { enabled })}
            />
            <Switch
              label="May read conversations"
              isOn={plugin.permissions.conversation}
              isDisabled={busy !== ''}
              onSwitch={(allowConversationAccess) => onDecide(plugin.id, { allowConversationAccess })}
            />
            <Switch
              label="May add to prompts"
              isOn={plugin.permissions.promptInjection}
              isDisabled={busy !== ''}
              onSwitch={(allowPromptInjection) => onDecide(plugin.id, { allowPromptInjection })}
            />
          </div>
        </li>
      ))}
    </ul>
  );
}

function placeOf({ where }: PluginStatus): string {
  if (where === null) return '';
  return where === 'worker' ? 'in the worker' : 'inline';
}

function broughtBy(plugin: PluginStatus): string {
  const counted: readonly (readonly [readonly unknown[], string])[] = [
    [[...plugin.hooks, ...plugin.internalHooks], 'handler'],
    [plugin.tools, 'tool'],
    [plugin.commands, 'command'],
    [plugin.services, 'service'],
    [plugin.routes, 'route'],
    [plugin.methods, 'method'],
    [plugin.skills, 'skill'],
  ];
  return counted
    .filter(([list]) => list.length > 0)
    .map(([list, noun]) => formatPlural(list.length, noun))
    .join(', ');
}
