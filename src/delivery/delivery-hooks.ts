// What delivery needs from the hook runner, which is passed in.

import type { MessageHookContext } from '../hooks/hook-context.ts';
import type { MessageHooks } from '../hooks/message-hooks.ts';

/** The hooks that may change what is sent, in the order in which an answer passes them. */
export const OUTBOUND_HOOKS = [
  'reply_dispatch',
  'reply_payload_sending',
  'message_sending',
  'before_dispatch',
] as const;
export type OutboundHook = (typeof OUTBOUND_HOOKS)[number];

export interface DeliveryHooks {
  /** This is cheap, so that an event without a handler is never built. */
  has(hook: OutboundHook): boolean;
  run<Hook extends OutboundHook>(
    hook: Hook,
    event: MessageHooks[Hook]['event'],
    context: MessageHookContext,
  ): Promise<OutboundAnswer<Hook>>;
}

export interface OutboundAnswer<Hook extends OutboundHook> {
  readonly result: MessageHooks[Hook]['result'];
  readonly decidedBy?: HandlerName | undefined;
  /** A handler refused, or a handler failed that must not be skipped. */
  readonly refusal?: (HandlerName & { readonly reason: string; readonly cause: 'decision' | 'failure' }) | undefined;
}

export interface HandlerName {
  readonly id: string;
  readonly owner: string;
}
