// The life of a message as stations, with the hooks that stand at each, in the order of docs/lifecycle.md. A test compares
// the list with the hook catalog, so that no hook is missing and none is invented.

export interface Station {
  readonly title: string;
  /** What happens here. */
  readonly text: string;
  readonly hooks: readonly string[];
  /** Set for a station that is not on the path of every message. */
  readonly isBeside?: true | undefined;
}

export const LIFECYCLE: readonly Station[] = [
  {
    title: 'Inbound',
    text: 'A person writes. The message is routed, kept in the inbox, and only then acknowledged.',
    hooks: ['inbound_claim', 'message_received', 'message:received', 'message:preprocessed'],
  },
  {
    title: 'Session',
    text: 'The session goes on, or is reset and begins anew.',
    hooks: [
      'before_reset',
      'command:new',
      'command:reset',
      'command:stop',
      'session_end',
      'session:end',
      'session_start',
      'session:start',
      'session:patch',
    ],
  },
  {
    title: 'Prepare',
    text: 'Model, injections, bootstrap files and prompt: what the agent will read.',
    hooks: [
      'before_model_resolve',
      'before_agent_start',
      'agent_turn_prepare',
      'heartbeat_prompt_contribution',
      'agent:bootstrap',
      'before_prompt_build',
    ],
  },
  {
    title: 'Gate',
    text: 'The request stands. It passes, is blocked, or a plugin answers instead.',
    hooks: ['before_agent_run', 'before_agent_reply'],
  },
  {
    title: 'Model',
    text: 'Once for each call.',
    hooks: ['llm_input', 'model_call_started', 'model_call_ended', 'llm_output'],
  },
  {
    title: 'Tools',
    text: 'Once for each tool call, then back to the model.',
    hooks: ['before_tool_call', 'after_tool_call', 'tool_result_persist', 'before_message_write'],
  },
  {
    title: 'Finish',
    text: 'The answer is accepted, or the model is asked once more.',
    hooks: ['before_agent_finalize', 'agent_end'],
  },
  {
    title: 'Delivery',
    text: 'Rewritten, split, committed to the outbox and sent.',
    hooks: [
      'reply_dispatch',
      'reply_payload_sending',
      'message_sending',
      'before_dispatch',
      'message_sent',
      'message:sent',
    ],
  },
  {
    title: 'Compaction',
    text: 'When a session has grown too long.',
    hooks: ['before_compaction', 'session:compact:before', 'after_compaction', 'session:compact:after'],
    isBeside: true,
  },
  {
    title: 'Subagents',
    text: 'When a tool call spawns a child.',
    hooks: ['subagent_spawning', 'subagent_spawned', 'subagent_delivery_target', 'subagent_ended'],
    isBeside: true,
  },
  {
    title: 'Gateway',
    text: 'Around everything.',
    hooks: [
      'gateway_start',
      'gateway:startup',
      'gateway:pre-restart',
      'gateway:shutdown',
      'gateway_stop',
      'cron_changed',
      'before_install',
    ],
    isBeside: true,
  },
];

export interface StationHandlers<Handler> extends Station {
  /** The hooks that have handlers, in the order of the station; the handlers in calling order. */
  readonly armed: readonly { readonly hook: string; readonly handlers: readonly Handler[] }[];
  /** The hooks that no handler listens to. */
  readonly free: readonly string[];
}

/** The handlers at their stations. A hook that this page does not know yet stands at a last station of its own. */
export function placeHandlers<Handler extends { readonly hook: string }>(
  handlers: readonly Handler[],
): readonly StationHandlers<Handler>[] {
  const known = new Set(LIFECYCLE.flatMap(({ hooks }) => hooks));
  const others = [...new Set(handlers.map(({ hook }) => hook))].filter((hook) => !known.has(hook));
  const elsewhere: readonly Station[] =
    others.length > 0 ? [{ title: 'Elsewhere', text: 'Hooks of a newer gateway.', hooks: others, isBeside: true }] : [];
  return [...LIFECYCLE, ...elsewhere].map((station) => {
    const all = station.hooks.map((hook) => ({ hook, handlers: handlers.filter((each) => each.hook === hook) }));
    return {
      ...station,
      armed: all.filter(({ handlers: own }) => own.length > 0),
      free: all.filter(({ handlers: own }) => own.length === 0).map(({ hook }) => hook),
    };
  });
}
