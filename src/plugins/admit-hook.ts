// Whether a plugin's handler may listen to a hook, and with what deadline: a pure decision from the catalog, from where
// the plugin comes and from what the operator allowed. For a handler that is not admitted, a note
// says why and what would change it.

import { HOOK_CATALOG, type HookName, type HookRow } from '../hooks/catalog.ts';
import { docsCommand } from '../protocol/documents.ts';
import { nearMatch } from '../protocol/near-match.ts';
import { oneLine } from '../protocol/one-line.ts';
import type { PluginHookSettings } from '../protocol/plugin-settings.ts';
import type { PluginNote } from './loaded-plugin.ts';
import type { PluginSetup } from './plugin-setup.ts';
import type { HookHandlerRegistration } from './registration.ts';

export type HookApplicant = Pick<PluginSetup, 'id' | 'origin' | 'hooks'>;

export type HookRequest = Pick<HookHandlerRegistration, 'priority' | 'timeoutMs'>;

export type HookAdmission =
  | {
      readonly kind: 'registered';
      readonly hook: HookName;
      readonly priority?: number | undefined;
      /** Undefined leaves it to the catalog. */
      readonly timeoutMs?: number | undefined;
      readonly timeoutFrom?: 'plugin' | 'operator' | undefined;
      /** The fields for the prompt are left out of its answers. */
      readonly losesPromptFields: boolean;
      readonly note?: PluginNote | undefined;
    }
  | { readonly kind: 'blocked'; readonly hook: HookName; readonly note: PluginNote }
  | { readonly kind: 'refused'; readonly note: PluginNote };

/** Fields of answers that become part of the prompt. */
export const PROMPT_FIELDS = [
  'systemPrompt',
  'prependContext',
  'appendContext',
  'prependSystemContext',
  'appendSystemContext',
] as const;

/** Hooks that plugins may listen to. Bootstrap handlers and events of hook packs are registered as internal hooks. */
export const PLUGIN_HOOK_NAMES = (Object.keys(HOOK_CATALOG) as HookName[]).filter((name) => {
  const { audience }: HookRow = HOOK_CATALOG[name];
  return name !== 'agent:bootstrap' && audience === undefined;
});

/** What a plugin gives as the name of a hook may be anything. */
export function admitHook(applicant: HookApplicant, given: unknown, request: HookRequest = {}): HookAdmission {
  const hookName = typeof given === 'string' ? given : '';
  const hook = PLUGIN_HOOK_NAMES.find((name) => name === (OLDER_NAMES.get(hookName) ?? hookName));
  if (hook === undefined) return { kind: 'refused', note: unknownHook(given) };
  const row: HookRow = HOOK_CATALOG[hook];
  const { id, origin, hooks } = applicant;
  const setting = (name: string) => `plugins.entries.${id}.hooks.${name}`;

  if (row.permission === 'conversation' && !mayReadConversations(applicant)) {
    const how =
      origin === 'bundled'
        ? `the operator set ${setting('allowConversationAccess')} to false`
        : `it sees conversations; set ${setting('allowConversationAccess')} to true if this plugin may`;
    return { kind: 'blocked', hook, note: blockedHook(hook, how) };
  }
  const losesPromptFields = row.permission === 'prompt-injection' && hooks.allowPromptInjection === false;
  const keepsOtherFields = Object.keys(row.combine).some((field) => !PROMPT_FIELDS.some((name) => name === field));
  if (losesPromptFields && !keepsOtherFields) {
    const how = `it adds to prompts, and the operator set ${setting('allowPromptInjection')} to false`;
    return { kind: 'blocked', hook, note: blockedHook(hook, how) };
  }

  const { priority } = request;
  const deadline = deadlineOf(hooks, hook, request.timeoutMs);
  const note = noteFor(hookName, hook, losesPromptFields);
  return { kind: 'registered', hook, priority, ...deadline, losesPromptFields, note };
}

/** Notes about deadlines that the operator set for unknown hooks, and that have no effect. */
export function notesOnTimeouts({ id, hooks }: HookApplicant): readonly PluginNote[] {
  const unknown = Object.keys(hooks.timeouts ?? {}).filter((name) => !PLUGIN_HOOK_NAMES.some((hook) => hook === name));
  return unknown.map((name) => {
    const meant = nearMatch(name, PLUGIN_HOOK_NAMES);
    const next =
      meant === undefined ? `"${docsCommand('hooks')}" lists those that there are.` : `Did you mean "${meant}"?`;
    const setting = `plugins.entries.${id}.hooks.timeouts.${name.slice(0, 100)}`;
    return { level: 'warn', code: 'settings', message: `${setting} limits nothing: there is no such hook. ${next}` };
  });
}

/** The answer of a handler that may not change the prompt. */
export function withoutPromptFields(answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null) return answer;
  return Object.fromEntries(Object.entries(answer).filter(([field]) => !PROMPT_FIELDS.some((name) => name === field)));
}

const OLDER_NAMES: ReadonlyMap<string, HookName> = new Map([['deactivate', 'gateway_stop']]);

function mayReadConversations({ origin, hooks }: HookApplicant): boolean {
  return origin === 'bundled' ? hooks.allowConversationAccess !== false : hooks.allowConversationAccess === true;
}

/** The operator's deadline for this hook, else for the plugin, else the plugin's own. */
function deadlineOf({ timeouts, timeoutMs }: PluginHookSettings, hook: HookName, own: number | undefined) {
  const byOperator = [timeouts && Object.hasOwn(timeouts, hook) ? timeouts[hook] : undefined, timeoutMs].find(
    isDeadline,
  );
  if (byOperator !== undefined) return { timeoutMs: Math.floor(byOperator), timeoutFrom: 'operator' } as const;
  // The limit of ten minutes is the configuration's; a run's own budget and time limit bound what a plugin asks for.
  if (isDeadline(own)) return { timeoutMs: Math.floor(own), timeoutFrom: 'plugin' } as const;
  return {};
}

function isDeadline(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 1;
}

function unknownHook(given: unknown): PluginNote {
  const shown = oneLine(given, 100);
  const meant = nearMatch(shown, PLUGIN_HOOK_NAMES);
  const next =
    meant === undefined ? `"${docsCommand('hooks')}" lists those that there are.` : `Did it mean "${meant}"?`;
  return {
    level: 'warn',
    code: 'refused-hook',
    message: `Its handler for "${shown}" is not registered: there is no such hook, so it would never fire. ${next}`,
  };
}

function blockedHook(hook: HookName, how: string): PluginNote {
  return { level: 'warn', code: 'blocked-hook', message: `Its handler for ${hook} is blocked: ${how}.` };
}

function noteFor(hookName: string, hook: HookName, losesPromptFields: boolean): PluginNote | undefined {
  if (hookName !== hook) {
    const message = `It registers for "${hookName}", the older name of ${hook}, and is called for ${hook}.`;
    return { level: 'info', code: 'legacy', message };
  }
  if (losesPromptFields) {
    const message = `What its handler for ${hook} adds to the prompt is left out: allowPromptInjection is false.`;
    return { level: 'warn', code: 'permission', message };
  }
  if (hook === 'before_agent_start') {
    const message = 'It uses before_agent_start; before_model_resolve and before_prompt_build have replaced it.';
    return { level: 'info', code: 'legacy', message };
  }
  return undefined;
}
