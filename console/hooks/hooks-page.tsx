// The life of a message with the handlers at their places, what can be switched on and off, and the plugins: called or not
// and why, how often, how long, with which errors. It follows the gateway while it is open.

import type { ConsoleState } from '../console-state.ts';
import { formatPlural } from '../view/format.ts';
import { useAction } from '../view/use-action.ts';
import { useLive, useOperatorClient } from '../view/use-live.ts';
import { HandlerSwitches } from './handler-switches.tsx';
import { InstallForm } from './install-form.tsx';
import { LifecyclePicture } from './lifecycle-picture.tsx';
import { PluginCards } from './plugin-cards.tsx';
import '../style/operator.css';

export default function HooksPage({ state }: { state: ConsoleState }) {
  const client = useOperatorClient(state);
  const { act, busy, problem } = useAction();
  const hooks = useLive(state, ['handlers', 'plugins', 'runs', 'config'], (asked) => asked.hooks());
  const items = useLive(state, ['handlers', 'plugins', 'config'], (asked) => asked.handlers());
  const plugins = useLive(state, ['plugins', 'config'], (asked) => asked.plugins());
  const readAll = () => Promise.all([hooks.readAgain(), items.readAgain(), plugins.readAgain()]);
  const change = (name: string, work: () => Promise<unknown>) => void act(name, () => work().then(readAll));
  const trouble = problem || hooks.problem || items.problem || plugins.problem;
  if (!client || !hooks.value || !items.value || !plugins.value)
    return trouble === '' ? null : <p class="page-problem problem">{trouble}</p>;
  const { handlers, absent } = hooks.value;
  const broken = handlers.filter(({ state: now, lastFailure }) => now !== 'armed' || lastFailure !== null).length;
  return (
    <div class="plain-page operator">
      {trouble !== '' && (
        <p class="page-problem problem" role="alert">
          {trouble}
        </p>
      )}
      <section class="block" aria-label="The life of a message">
        <header class="block-head">
          <h2>The life of a message, and who steps in</h2>
          <p class="soft">
            {formatPlural(handlers.length, 'handler')}
            {broken > 0 && <span class="problem">{`, ${broken} with something to look at`}</span>}
          </p>
        </header>
        <LifecyclePicture
          handlers={handlers}
          busy={busy}
          onRearm={(handler) => change(handler.id, () => client.rearm(handler.id))}
        />
      </section>
      <section class="block" aria-label="Plugins">
        <header class="block-head">
          <h2>Plugins</h2>
          <p class="soft">{formatPlural(plugins.value.length, 'plugin')}</p>
        </header>
        <PluginCards
          plugins={plugins.value}
          absent={absent}
          busy={busy}
          onReload={(id) => change(`reload ${id}`, () => client.reloadPlugin(id))}
          onDecide={(id, decision) => change(`decide ${id}`, () => client.decidePlugin(id, decision))}
        />
        <InstallForm client={client} onInstalled={() => void readAll()} />
      </section>
      <section class="block" aria-label="Handlers, rules and hook packs">
        <header class="block-head">
          <h2>Handlers, rules and hook packs</h2>
          <p class="soft">What shapes the prompt of the default agent, in the order in which it is called.</p>
        </header>
        <HandlerSwitches
          items={items.value}
          busy={busy}
          onSwitch={(id, isOn) => change(`switch ${id}`, () => client.switchHandler(id, isOn))}
        />
      </section>
    </div>
  );
}
