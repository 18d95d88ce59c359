// Registers every bootstrap handler that applies to one agent: the bundled ones, the operator's rules, modules named in
// the configuration, and hook packs. A handler that cannot be registered is not ignored: it becomes an absence with a
// reason, which every report of that agent contains.

import type { Absence } from '../../context/composition.ts';
import { resolveHookKey } from '../../hooks/packs/hook-pack.ts';
import type { HookPackFate } from '../../hooks/packs/load-internal-hooks.ts';
import { type InternalHookRegistration, type PackHandler, packHandlers } from '../../hooks/packs/pack-registration.ts';
import type { HandlerRegistration, HookRunner } from '../../hooks/runner.ts';
import type { InternalHookHandler } from '../../protocol/bootstrap-event.ts';
import {
  BUNDLED_OWNER,
  type BundledHandlerSettings,
  bundledHandlers,
  refuseBundledId,
  sharesBundledSettings,
} from './bundled-handlers.ts';
import { closedHandler } from './closed-handler.ts';
import { type RuleHandlerSettings, ruleHandlers } from './rule-handlers.ts';
import { loadUserHandlers, type UserHandlerSettings } from './user-handlers.ts';

export type BootstrapRunner = HookRunner<InternalHookHandler>;

export type BootstrapRegistration = Omit<HandlerRegistration<InternalHookHandler>, 'hook'>;

/** A handler that comes with the product or the configuration, and whether the operator wants it. */
export interface SwitchableHandler {
  readonly registration: BootstrapRegistration;
  readonly enabled: boolean;
  /** Says why the handler is off, and how to switch it on. */
  readonly whyNot: string;
  /** The text that it would contribute, where that is known without calling it. */
  readonly text?: string | undefined;
}

export interface BootstrapRegistrySettings extends BundledHandlerSettings, RuleHandlerSettings, UserHandlerSettings {
  readonly runner: BootstrapRunner;
  /** Additional context fields for handlers of hook packs. */
  readonly packContext?: ((registration: InternalHookRegistration) => object) | undefined;
}

/** The outcome for every handler that was found. */
export interface BootstrapRegistry {
  readonly absences: readonly Absence[];
  readonly packs: readonly HookPackFate[];
  readonly problems: readonly string[];
}

export async function registerBootstrapHandlers(settings: BootstrapRegistrySettings): Promise<BootstrapRegistry> {
  const { runner } = settings;
  const absences: Absence[] = [];
  const problems: string[] = [];
  const register = (registration: BootstrapRegistration | PackHandler) => {
    try {
      if (registration.owner !== BUNDLED_OWNER) refuseBundledId(registration.id);
      runner.register({ hook: 'agent:bootstrap', ...registration });
    } catch (error) {
      const detail = (error as Error).message;
      problems.push(detail);
      absences.push({ what: `handler ${registration.id}`, reason: 'handler-failed', detail });
      if (registration.onError === 'abort') {
        runner.register({
          hook: 'agent:bootstrap',
          ...closedHandler(`closed:${registration.id}:${problems.length}`, detail),
        });
      }
    }
  };

  for (const { registration, enabled, whyNot, text } of [...bundledHandlers(settings), ...ruleHandlers(settings)]) {
    if (enabled) register(registration);
    else absences.push({ what: `handler ${registration.id}`, reason: 'disabled', detail: whyNot, text });
  }

  const loaded = await loadUserHandlers(settings);
  for (const registration of loaded.registrations) register(registration);
  for (const handler of packHandlers(loaded.listeners, settings.packContext)) register(handler);
  return {
    absences: [...absences, ...loaded.absences],
    packs: loaded.packs,
    problems: [...problems, ...loaded.packs.flatMap(sharedSettings), ...loaded.problems],
  };
}

function sharedSettings({ pack }: HookPackFate): readonly string[] {
  if (!sharesBundledSettings(pack)) return [];
  const entry = `hooks.internal.entries.${resolveHookKey(pack)}`;
  return [
    `The hook "${pack.name}" (${pack.dir}) shares ${entry} with a handler that comes with Atrium. Give it another name.`,
  ];
}
