// What delivery needs of the hook runner, which is handed in.

import type { MessageHookContext } from '../hooks/hook-context.ts';
import type { MessageHooks } from '../hooks/message-hooks.ts';

/** The hooks that have a say in what goes out, in the order in which an answer passes them. */
export const OUTBOUND_HOOKS = [
  'reply_dispatch',
  'reply_payload_sending',
  'message_sending',
  'before_dispatch',
] as const;
export type OutboundHook = (typeof OUTBOUND_HOOKS)[number];

export interface DeliveryHooks {
  /** Cheap, so that events nobody listens to are never built. */
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
  /** A handler's no, or the failure of one that must not be passed over. */
  readonly refusal?: (HandlerName & { readonly reason: string; readonly cause: 'decision' | 'failure' }) | undefined;
}

export interface HandlerName {
  readonly id: string;
  readonly owner: string;
}
