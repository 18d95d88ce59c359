// `session.sendPolicy` as a handler of the hook that decides about answers. So it holds on every surface, drafts are held
// back while it is set, and an answer that was kept names it as the one that decided.

import type { Config } from '../config/schema.ts';
import { isSendDenied } from '../config/send-policy.ts';
import type { HookRunner } from '../hooks/runner.ts';

const NAME = 'session.sendPolicy';

/** Returns the undo; a policy that denies nothing is not registered. */
export function registerSendPolicy(hooks: HookRunner, { session }: Config): () => void {
  const policy = session?.sendPolicy;
  if (!policy || (policy.default !== 'deny' && !policy.rules?.some(({ action }) => action === 'deny'))) return () => {};
  return hooks.register({
    hook: 'message_sending',
    id: NAME,
    owner: NAME,
    description: 'Keeps answers from being sent where session.sendPolicy denies it.',
    priority: Number.MAX_SAFE_INTEGER,
    policy: true,
    handler: (_, { sessionKey = '', messageProvider }) =>
      isSendDenied(policy, { sessionKey, channel: messageProvider })
        ? { cancel: true, cancelReason: `${NAME} denies it` }
        : undefined,
  });
}
