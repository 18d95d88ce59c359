// Registers the admitted hook handlers of one loaded plugin with the runner, and gives a status for each. They are added
// and removed together: the undo removes exactly what this call added.

import { HOOK_CATALOG, type HookName } from '../hooks/catalog.ts';
import { isPromiseLike } from '../hooks/deadline.ts';
import type { HandlerRegistration, HookRunner } from '../hooks/runner.ts';
import { admitHook, notesOnTimeouts, withoutPromptFields } from './admit-hook.ts';
import type { PluginNote } from './loaded-plugin.ts';
import type { PluginSetup } from './plugin-setup.ts';
import type { PluginHookStatus } from './plugin-status.ts';
import type { HookHandlerRegistration, InternalHandlerRegistration, PluginRegistration } from './registration.ts';

export interface ArmedHooks {
  readonly statuses: readonly PluginHookStatus[];
  readonly notes: readonly PluginNote[];
  /** It can be called again without effect. */
  readonly undo: () => void;
}

export function armHooks(
  runner: HookRunner,
  setup: Pick<PluginSetup, 'id' | 'origin' | 'hooks' | 'pluginConfig' | 'isRequired'>,
  registrations: readonly PluginRegistration[],
  where: 'worker' | 'inline' = 'inline',
): ArmedHooks {
  const statuses: PluginHookStatus[] = [];
  const notes: PluginNote[] = [...notesOnTimeouts(setup)];
  const undos: (() => void)[] = [];
  for (const registration of registrations) {
    if (registration.kind === 'internal-hook') notes.push(...notesOfInternal(setup, registration));
    if (registration.kind !== 'hook') continue;
    const admission = admitHook(setup, registration.hook, registration);
    if (admission.note) notes.push(admission.note);
    if (admission.kind === 'refused') continue;
    const { hook } = admission;
    const status = statusOf(registration, hook);
    if (admission.kind === 'blocked') {
      statuses.push({ ...status, state: 'blocked', reason: admission.note.message });
      continue;
    }
    const { timeoutMs, timeoutFrom, losesPromptFields } = admission;
    const { id, handler, priority, pure, ephemeral, policy, remote, isHeldUp } = registration;
    const armed: HandlerRegistration<unknown> = {
      hook,
      id,
      owner: setup.id,
      handler: losesPromptFields ? saying(handler, withoutPromptFields) : handler,
      priority: Number.isFinite(priority) ? priority : undefined,
      timeoutMs,
      timeoutFrom,
      pure,
      ephemeral,
      policy: (policy || setup.isRequired) && HOOK_CATALOG[hook].onFailure !== 'skip',
      pluginConfig: setup.pluginConfig,
      isRemote: where === 'worker',
      isHeldUp,
      keepsPlace: true,
      // A handler whose answers are changed here has to be asked alone.
      remote: losesPromptFields ? undefined : remote,
    };
    try {
      undos.push(runner.register(armed as Parameters<HookRunner['register']>[0]));
    } catch (error) {
      const message = `Its handler for ${hook} is not registered: ${(error as Error).message}`;
      notes.push({ level: 'warn', code: 'refused-hook', message });
      continue;
    }
    statuses.push({
      ...status,
      timeoutMs: timeoutMs ?? status.timeoutMs,
      state: 'armed',
      reason: admission.note?.message,
    });
  }
  const undo = () => {
    for (const each of undos.splice(0)) each();
  };
  return { statuses, notes: withoutRepeats(notes), undo };
}

/** The composer of prompts leaves such a handler out; this note tells the operator. */
function notesOfInternal(
  { id, hooks }: Pick<PluginSetup, 'id' | 'hooks'>,
  { events }: InternalHandlerRegistration,
): readonly PluginNote[] {
  const changesPrompt = events.some((event) => event === 'agent' || event === 'agent:bootstrap');
  if (!changesPrompt || hooks.allowPromptInjection !== false) return [];
  const how = `it adds to prompts, and the operator set plugins.entries.${id}.hooks.allowPromptInjection to false`;
  return [{ level: 'warn', code: 'blocked-hook', message: `Its handler for agent:bootstrap is blocked: ${how}.` }];
}

function statusOf({ id, priority, timeoutMs }: HookHandlerRegistration, hook: HookName) {
  const row = HOOK_CATALOG[hook];
  return { hook, id, priority: priority ?? row.defaultPriority, timeoutMs: timeoutMs ?? row.deadlineMs };
}

function saying(handler: HookHandlerRegistration['handler'], change: (answer: unknown) => unknown) {
  return (event: object, context: object): unknown => {
    const answer = handler(event, context);
    return isPromiseLike(answer) ? Promise.resolve(answer).then(change) : change(answer);
  };
}

/** Several handlers of one hook are normal, and one sentence about them is enough. */
function withoutRepeats(notes: readonly PluginNote[]): readonly PluginNote[] {
  return notes.filter((note, index) => notes.findIndex(({ message }) => message === note.message) === index);
}
