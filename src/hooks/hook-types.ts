// Every hook by name with the types of its event, its context and its result, so that call sites and handlers are
// checked by the hook's name alone. The catalog has a row for each name; a test keeps the two lists equal.

import type { AgentBootstrapHookEvent, InternalHookEvent } from '../protocol/bootstrap-event.ts';
import type { AgentHooks } from './agent-hooks.ts';
import type { HOOK_CATALOG, HookName } from './catalog.ts';
import type { HookContext } from './hook-context.ts';
import type { LifecycleHooks } from './lifecycle-hooks.ts';
import type { MessageHooks } from './message-hooks.ts';
import type { SessionHooks } from './session-hooks.ts';
import type { ToolHooks } from './tool-hooks.ts';

export interface HookTypes extends AgentHooks, ToolHooks, MessageHooks, SessionHooks, LifecycleHooks, PackHooks {
  'agent:bootstrap': { event: AgentBootstrapHookEvent; context: HookContext; result: undefined };
}

type Rows = typeof HOOK_CATALOG;

/** Events of hook packs, which the runner announces. */
export type PackHookName = { [Hook in HookName]: Rows[Hook] extends { audience: 'packs' } ? Hook : never }[HookName];

type PackHooks = { [Hook in PackHookName]: { event: InternalHookEvent; context: object; result: undefined } };

/** Bootstrap handlers edit a draft in place instead of answering; composition drives them by `HookRunner.chain`. */
export type BootstrapHookName = 'agent:bootstrap';

/** Hooks whose handlers are told and give no answer. */
export type ObserverHookName = Exclude<
  { [Hook in HookName]: Rows[Hook]['kind'] extends 'observe' ? Hook : never }[HookName],
  PackHookName
>;

/** Hooks whose handlers answer. */
export type AskingHookName = Exclude<HookName, ObserverHookName | BootstrapHookName | PackHookName>;

/** Hooks whose handlers answer with a plain value, never a promise. */
export type SyncHookName = { [Hook in HookName]: Rows[Hook] extends { sync: true } ? Hook : never }[HookName];

// biome-ignore lint/suspicious/noConfusingVoidType: a handler may simply return nothing
type Nothing = void | undefined | null;

/**
 * The handler type of each hook. It is a table and not a conditional type, so that literals in an answer keep their
 * types.
 */
export type HookHandlers = {
  [Hook in HookName]: (event: HookTypes[Hook]['event'], context: HandlerContext<Hook>) => HandlerAnswer<Hook>;
};

/**
 * The type of a handler of this hook. The handler gets its own copies of event and context: changing them has no
 * effect.
 */
export type HookHandler<Hook extends HookName> = HookHandlers[Hook];

export type HandlerContext<Hook extends HookName> = HookTypes[Hook]['context'] & {
  /** It aborts when the handler's deadline passes, or when the run that asked is stopped. */
  readonly signal: AbortSignal;
};

export type HandlerAnswer<Hook extends HookName> = Hook extends AskingHookName
  ? Hook extends SyncHookName
    ? HookTypes[Hook]['result'] | Nothing
    : HookTypes[Hook]['result'] | Nothing | Promise<HookTypes[Hook]['result'] | Nothing>
  : unknown;
