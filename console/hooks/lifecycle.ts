// The stations of a message's life, with the hooks that stand at each, in the order of docs/lifecycle.md.

export interface Station {
  readonly title: string;
  readonly hooks: readonly string[];
}

export const LIFECYCLE: readonly Station[] = [
  { title: 'Inbound', hooks: ['inbound_claim', 'message_received', 'message:received', 'message:preprocessed'] },
  { title: 'Session', hooks: ['before_reset', 'session_end', 'session:end', 'session_start', 'session:start'] },
  {
    title: 'Prepare',
    hooks: [
      'before_model_resolve',
      'before_agent_start',
      'agent_turn_prepare',
      'heartbeat_prompt_contribution',
      'agent:bootstrap',
      'before_prompt_build',
    ],
  },
  { title: 'Gate', hooks: ['before_agent_run', 'before_agent_reply'] },
  { title: 'Model', hooks: ['llm_input', 'model_call_started', 'model_call_ended', 'llm_output'] },
  { title: 'Tools', hooks: ['before_tool_call', 'after_tool_call', 'tool_result_persist', 'before_message_write'] },
  { title: 'Finish', hooks: ['before_agent_finalize', 'agent_end'] },
  {
    title: 'Delivery',
    hooks: ['before_dispatch', 'reply_dispatch', 'message_sending', 'message_sent', 'message:sent'],
  },
];

export interface StationHandlers<Handler> {
  readonly title: string;
  readonly hooks: readonly { readonly hook: string; readonly handlers: readonly Handler[] }[];
}

/** The handlers at their stations, hooks without handlers left out; those of other hooks stand in a last one. */
export function placeHandlers<Handler extends { readonly hook: string }>(
  handlers: readonly Handler[],
): readonly StationHandlers<Handler>[] {
  const known = new Set(LIFECYCLE.flatMap(({ hooks }) => hooks));
  const others = [...new Set(handlers.map(({ hook }) => hook))].filter((hook) => !known.has(hook));
  return [...LIFECYCLE, ...(others.length > 0 ? [{ title: 'Elsewhere', hooks: others }] : [])].map(
    ({ title, hooks }) => ({
      title,
      hooks: hooks
        .map((hook) => ({ hook, handlers: handlers.filter((each) => each.hook === hook) }))
        .filter(({ handlers: own }) => own.length > 0),
    }),
  );
}
