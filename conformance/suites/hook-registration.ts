// Suite hook-registration: which handlers of a plugin are registered, with what deadline, and what is said about the
// others. Our notes say the same in other words; here they are told in the recorded ones.

import { HOOK_CATALOG, type HookName, type HookRow } from '../../src/hooks/catalog.ts';
import { HookRunner } from '../../src/hooks/runner.ts';
import { admitHook, type HookRequest, PLUGIN_HOOK_NAMES, PROMPT_FIELDS } from '../../src/plugins/admit-hook.ts';
import { armHooks } from '../../src/plugins/arm-hooks.ts';
import type { PluginOrigin } from '../../src/plugins/plugin-setup.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { PluginHookSettings } from '../../src/protocol/plugin-settings.ts';
import type { SuiteAdapter } from '../adapter.ts';

export const hookRegistration: SuiteAdapter = {
  registerTypedHook: (input) => registerTypedHook(input as RegistrationInput),
  typedHookEventContext: (input) => eventContext(input as { pluginConfig: JsonObject }),
  constrainedBeforeAgentStart: (input) => constrainedAnswer(input as { returns: object }),
  hookNameLists: () => ({
    all: [...PLUGIN_HOOK_NAMES, 'deactivate'],
    conversation: namesWith('conversation'),
    promptInjection: namesWith('prompt-injection'),
    promptMutationFields: PROMPT_FIELDS,
  }),
};

interface RegistrationInput {
  /** A plugin may write anything here. */
  readonly hookName: unknown;
  readonly origin: PluginOrigin;
  readonly opts?: HookRequest;
  readonly policy?: PluginHookSettings;
}

const ID = 'plug';
const SETTING = `plugins.entries.${ID}.hooks`;

function registerTypedHook({ hookName, origin, opts = {}, policy = {} }: RegistrationInput): unknown {
  const admission = admitHook({ id: ID, origin, hooks: policy }, hookName, opts);
  if (admission.kind === 'refused') return notRegistered(`unknown typed hook "${String(hookName)}" ignored`);
  const { hook } = admission;
  if (admission.kind === 'blocked') return notRegistered(`typed hook "${hook}" blocked ${blockedBy(hook, origin)}`);
  const { priority = null, timeoutMs = null, losesPromptFields } = admission;
  const constrained = `typed hook "${hook}" prompt fields constrained by ${SETTING}.allowPromptInjection=false`;
  const diagnostics = [...olderName(hookName, hook), ...(losesPromptFields ? [warned(constrained)] : [])];
  return { registered: [{ hookName: hook, priority, timeoutMs }], diagnostics, error: null };
}

function notRegistered(message: string): unknown {
  return { registered: [], diagnostics: [warned(message)], error: null };
}

function warned(message: string) {
  return { level: 'warn', message };
}

function blockedBy(hook: HookName, origin: PluginOrigin): string {
  if (HOOK_CATALOG[hook].permission === 'prompt-injection') return `by ${SETTING}.allowPromptInjection=false`;
  return origin === 'bundled'
    ? `by ${SETTING}.allowConversationAccess=false`
    : `because non-bundled plugins must set ${SETTING}.allowConversationAccess=true`;
}

function olderName(hookName: unknown, hook: string): unknown[] {
  if (hookName === hook) return [];
  const message = `typed hook "${String(hookName)}" is deprecated (legacy-deactivate-hook-alias); use "${hook}". This compatibility alias will be removed after 2026-08-16.`;
  return [warned(message)];
}

async function eventContext({ pluginConfig }: { readonly pluginConfig: JsonObject }): Promise<unknown> {
  let seen: unknown;
  await asked('before_tool_call', { pluginConfig }, (event, context) => {
    seen = {
      eventKeys: Object.keys(event).sort(),
      ctxKeys: Object.keys(context).sort(),
      hasEventContext: 'context' in event,
    };
  });
  return seen;
}

async function constrainedAnswer({ returns }: { readonly returns: object }): Promise<unknown> {
  return asked('before_agent_start', { hooks: { allowPromptInjection: false } }, () => returns);
}

/** One handler of a plugin, registered and asked as in a run. */
async function asked(
  hook: 'before_tool_call' | 'before_agent_start',
  seat: { readonly pluginConfig?: JsonObject; readonly hooks?: PluginHookSettings },
  handler: (event: object, context: object) => unknown,
): Promise<unknown> {
  const runner = new HookRunner();
  const registration = { kind: 'hook', hook, id: ID, handler } as const;
  armHooks(runner, { id: ID, origin: 'config', hooks: {}, pluginConfig: {}, ...seat }, [registration]);
  const event = hook === 'before_tool_call' ? { toolName: 'exec', params: {} } : { prompt: 'hi' };
  const { result } = await runner.run(hook, event as never, { toolName: 'exec' } as never);
  return result;
}

function namesWith(permission: HookRow['permission']): readonly string[] {
  return PLUGIN_HOOK_NAMES.filter((name) => HOOK_CATALOG[name].permission === permission);
}
