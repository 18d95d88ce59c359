// The hook catalog: one row per hook, in the order in which a message meets them. Reading it downward is reading every
// point at which code from outside may step in, how several answers combine, how long a handler may take, and what
// happens when it fails. Types stand in hook-types.ts; the docs, the runner and the tests read the rows.

export type HookKind = 'observe' | 'contribute' | 'transform' | 'decide' | 'claim';

/** How the answers of several handlers become one, per field of the result. */
export type Combinator = 'collect' | 'first' | 'chain' | 'strictest' | 'claim';

/** Where in the life of a message a hook fires. docs/lifecycle.md draws them in this order. */
export const HOOK_PLACES = [
  'inbound',
  'session',
  'prepare',
  'gate',
  'model',
  'tools',
  'finish',
  'delivery',
  'compaction',
  'subagents',
  'gateway',
] as const;

export type HookPlace = (typeof HOOK_PLACES)[number];

export interface HookRow {
  readonly place: HookPlace;
  readonly kind: HookKind;
  /** The type of the event that a handler receives. */
  readonly event: string;
  /** Empty for hooks whose handlers give no answer. */
  readonly combine: Readonly<Record<string, Combinator>>;
  /** Bootstrap handlers run lowest number first, as their design says; every other hook runs highest first. */
  readonly order: 'lowest-first' | 'highest-first';
  readonly defaultPriority: number;
  readonly deadlineMs: number;
  /**
   * `skip` drops a failing handler's change and goes on; `refuse` is for gates, which fail closed; `refuse-if-policy`
   * fails closed for a handler that declared itself a policy, or whose plugin the operator requires, and skips any other.
   */
  readonly onFailure: 'skip' | 'refuse' | 'refuse-if-policy';
  readonly permission: 'none' | 'conversation' | 'prompt-injection';
  /** The caller waits for these observers, up to their deadline. */
  readonly awaited?: true;
  /**
   * The meaning of `channelId` in the context. The plugin contract uses one word for two things: around runs and
   * sessions it is the conversation, around messages the platform. The types of the contexts differ accordingly.
   */
  readonly channelId: 'conversation' | 'platform' | 'none';
  /**
   * The row is an event of hook packs, and plugins register for it in the same way as packs. The texts that its
   * handlers push become `messages`.
   */
  readonly audience?: 'packs';
  /** A handler must answer with a plain value; a promise does not count as an answer. */
  readonly sync?: true;
  readonly summary: string;
}

/** Defaults that rows share unless they say otherwise. */
const ASKED = {
  order: 'highest-first',
  defaultPriority: 0,
  onFailure: 'skip',
  permission: 'none',
  channelId: 'conversation',
} as const;
const TOLD = { ...ASKED, kind: 'observe', combine: {}, deadlineMs: 30_000 } as const;
/**
 * Events of hook packs. Handlers of the whole event type are called first, and each handler gets an event object of its
 * own, to which it may push messages.
 */
const HEARD = { ...TOLD, event: 'InternalHookEvent', deadlineMs: 5_000, audience: 'packs', channelId: 'none' } as const;
/** The same for events whose pushed messages are shown to people. */
const SAID = { ...HEARD, kind: 'contribute', combine: { messages: 'collect' } } as const;

const CONTEXT = { prependContext: 'collect', appendContext: 'collect' } as const;
const PROMPT = {
  systemPrompt: 'first',
  prependSystemContext: 'collect',
  appendSystemContext: 'collect',
  ...CONTEXT,
} as const;
const MODEL = { modelOverride: 'first', providerOverride: 'first' } as const;

export const HOOK_CATALOG = {
  inbound_claim: {
    ...ASKED,
    place: 'inbound',
    channelId: 'platform',
    kind: 'claim',
    event: 'InboundClaimEvent',
    combine: { handled: 'claim', reply: 'claim' },
    deadlineMs: 10_000,
    summary: 'Takes an inbound message before it is routed, with an answer of its own or in silence.',
  },
  message_received: {
    ...TOLD,
    place: 'inbound',
    channelId: 'platform',
    event: 'MessageReceivedEvent',
    summary: 'Sees what came in: content, sender, thread and metadata.',
  },
  'message:received': { ...HEARD, place: 'inbound', channelId: 'platform', summary: 'Hook packs see what came in.' },
  'message:preprocessed': {
    ...HEARD,
    place: 'inbound',
    channelId: 'platform',
    summary: 'Hook packs see what an agent will be asked.',
  },
  before_reset: {
    ...TOLD,
    place: 'session',
    event: 'BeforeResetEvent',
    deadlineMs: 10_000,
    awaited: true,
    summary: 'Sees a session before it is reset, while its messages are still there.',
  },
  'command:new': { ...SAID, place: 'session', awaited: true, summary: 'Hook packs see that a person said /new.' },
  'command:reset': { ...SAID, place: 'session', awaited: true, summary: 'Hook packs see that a person said /reset.' },
  'command:stop': { ...HEARD, place: 'session', summary: 'Hook packs see that a person said /stop.' },
  session_end: {
    ...TOLD,
    place: 'session',
    event: 'SessionEndEvent',
    deadlineMs: 10_000,
    awaited: true,
    summary: 'Sees a session end, with the reason.',
  },
  'session:end': { ...SAID, place: 'session', summary: 'Hook packs see a session end.' },
  session_start: {
    ...TOLD,
    place: 'session',
    event: 'SessionStartEvent',
    summary: 'Sees a session begin, or go on in a new process.',
  },
  'session:start': { ...SAID, place: 'session', summary: 'Hook packs see a session begin.' },
  'session:patch': {
    ...SAID,
    place: 'session',
    summary: 'Hook packs see that a client changed what a plugin keeps for a session.',
  },
  before_model_resolve: {
    ...ASKED,
    place: 'prepare',
    kind: 'decide',
    event: 'BeforeModelResolveEvent',
    combine: MODEL,
    deadlineMs: 10_000,
    permission: 'conversation',
    summary: 'Chooses another provider or model before the session is loaded.',
  },
  before_agent_start: {
    ...ASKED,
    place: 'prepare',
    kind: 'contribute',
    event: 'BeforeAgentStartEvent',
    combine: { ...MODEL, ...PROMPT },
    deadlineMs: 15_000,
    permission: 'prompt-injection',
    summary:
      'Does what before_model_resolve and before_prompt_build do, in one call, for plugins that were written before those two.',
  },
  agent_turn_prepare: {
    ...ASKED,
    place: 'prepare',
    kind: 'contribute',
    event: 'AgentTurnPrepareEvent',
    combine: CONTEXT,
    deadlineMs: 15_000,
    permission: 'prompt-injection',
    summary: 'Adds text around the message, knowing the injections that were queued for this run.',
  },
  heartbeat_prompt_contribution: {
    ...ASKED,
    place: 'prepare',
    kind: 'contribute',
    event: 'HeartbeatPromptEvent',
    combine: CONTEXT,
    deadlineMs: 15_000,
    permission: 'prompt-injection',
    summary: 'Adds text around the message of a heartbeat, and of nothing else.',
  },
  'agent:bootstrap': {
    place: 'prepare',
    kind: 'transform',
    event: 'AgentBootstrapHookEvent',
    combine: { bootstrapFiles: 'chain' },
    order: 'lowest-first',
    defaultPriority: 100,
    deadlineMs: 5_000,
    onFailure: 'skip',
    permission: 'none',
    channelId: 'none',
    summary: 'Edits the bootstrap files of one composition, each handler on a draft of its own.',
  },
  before_prompt_build: {
    ...ASKED,
    place: 'prepare',
    kind: 'contribute',
    event: 'BeforePromptBuildEvent',
    combine: PROMPT,
    deadlineMs: 15_000,
    permission: 'prompt-injection',
    summary: 'Adds text around the message or the system prompt, or replaces the system prompt.',
  },
  before_agent_run: {
    ...ASKED,
    place: 'gate',
    kind: 'decide',
    event: 'BeforeAgentRunEvent',
    combine: {
      outcome: 'strictest',
      reason: 'strictest',
      message: 'strictest',
      category: 'strictest',
      metadata: 'strictest',
    },
    deadlineMs: 15_000,
    onFailure: 'refuse',
    permission: 'conversation',
    summary: 'Passes or blocks the run, knowing everything that the model would read.',
  },
  before_agent_reply: {
    ...ASKED,
    place: 'gate',
    kind: 'claim',
    event: 'BeforeAgentReplyEvent',
    combine: { handled: 'claim', reply: 'claim', reason: 'claim' },
    deadlineMs: 60_000,
    permission: 'conversation',
    summary: 'Answers in place of the model, or keeps silent.',
  },
  llm_input: {
    ...TOLD,
    place: 'model',
    event: 'LlmInputEvent',
    permission: 'conversation',
    summary: 'Sees what the model is sent: system prompt, message, history, tools.',
  },
  model_call_started: {
    ...TOLD,
    place: 'model',
    event: 'ModelCallStartedEvent',
    summary: 'Sees that a model is called: names and limits, no content.',
  },
  model_call_ended: {
    ...TOLD,
    place: 'model',
    event: 'ModelCallEndedEvent',
    summary: 'Sees how the call went: time, outcome, sizes, no content.',
  },
  llm_output: {
    ...TOLD,
    place: 'model',
    event: 'LlmOutputEvent',
    permission: 'conversation',
    summary: 'Sees what the model answered, and its usage.',
  },
  before_tool_call: {
    ...ASKED,
    place: 'tools',
    kind: 'decide',
    event: 'BeforeToolCallEvent',
    combine: { params: 'chain', block: 'strictest', blockReason: 'strictest', requireApproval: 'strictest' },
    deadlineMs: 15_000,
    onFailure: 'refuse',
    summary: 'Rewrites the parameters of a tool call, blocks it, or has a person asked.',
  },
  after_tool_call: {
    ...TOLD,
    place: 'tools',
    event: 'AfterToolCallEvent',
    summary: 'Sees the outcome of a tool call, its error and its time.',
  },
  tool_result_persist: {
    ...ASKED,
    place: 'tools',
    kind: 'transform',
    event: 'ToolResultPersistEvent',
    combine: { message: 'chain' },
    deadlineMs: 1_000,
    sync: true,
    onFailure: 'refuse-if-policy',
    summary: 'Rewrites the result of a tool call before it is kept and the model reads it.',
  },
  before_message_write: {
    ...ASKED,
    place: 'tools',
    kind: 'transform',
    event: 'BeforeMessageWriteEvent',
    combine: { message: 'chain', block: 'strictest' },
    deadlineMs: 1_000,
    sync: true,
    onFailure: 'refuse-if-policy',
    summary: 'Rewrites a message before it enters the transcript, or keeps it out.',
  },
  before_agent_finalize: {
    ...ASKED,
    place: 'finish',
    kind: 'decide',
    event: 'BeforeAgentFinalizeEvent',
    combine: { action: 'strictest', reason: 'collect', retry: 'first' },
    deadlineMs: 60_000,
    permission: 'conversation',
    summary: 'Accepts the final answer or asks for one more pass.',
  },
  agent_end: {
    ...TOLD,
    place: 'finish',
    event: 'AgentEndEvent',
    permission: 'conversation',
    summary: 'Sees the end of a run: messages, success, time.',
  },
  reply_dispatch: {
    ...ASKED,
    place: 'delivery',
    channelId: 'platform',
    kind: 'claim',
    event: 'ReplyDispatchEvent',
    combine: { handled: 'claim', queuedFinal: 'claim', counts: 'claim' },
    deadlineMs: 60_000,
    summary: 'Takes the answer over, so that the gateway sends nothing itself.',
  },
  reply_payload_sending: {
    ...ASKED,
    place: 'delivery',
    channelId: 'platform',
    kind: 'transform',
    event: 'ReplyPayloadSendingEvent',
    combine: { payload: 'chain', cancel: 'strictest', cancelReason: 'strictest' },
    deadlineMs: 15_000,
    onFailure: 'refuse-if-policy',
    summary: 'Rewrites an answer in its neutral form, or cancels it.',
  },
  message_sending: {
    ...ASKED,
    place: 'delivery',
    channelId: 'platform',
    kind: 'transform',
    event: 'MessageSendingEvent',
    combine: { content: 'chain', cancel: 'strictest', cancelReason: 'strictest', metadata: 'strictest' },
    deadlineMs: 15_000,
    onFailure: 'refuse-if-policy',
    summary: 'Rewrites the text that goes out, or cancels its delivery.',
  },
  before_dispatch: {
    ...ASKED,
    place: 'delivery',
    channelId: 'platform',
    kind: 'transform',
    event: 'BeforeDispatchEvent',
    combine: { text: 'chain', handled: 'claim' },
    deadlineMs: 15_000,
    onFailure: 'refuse-if-policy',
    summary: 'Rewrites or stops an outbound dispatch, just before it is split for its channel.',
  },
  message_sent: {
    ...TOLD,
    place: 'delivery',
    channelId: 'platform',
    event: 'MessageSentEvent',
    summary: 'Sees how a delivery went.',
  },
  'message:sent': {
    ...HEARD,
    place: 'delivery',
    channelId: 'platform',
    summary: 'Hook packs see how a delivery went.',
  },
  before_compaction: {
    ...TOLD,
    place: 'compaction',
    event: 'BeforeCompactionEvent',
    awaited: true,
    summary: 'Sees a session before its older messages are replaced by a summary.',
  },
  'session:compact:before': {
    ...SAID,
    place: 'compaction',
    awaited: true,
    summary: 'Hook packs see a session before its older messages are replaced.',
  },
  after_compaction: {
    ...TOLD,
    place: 'compaction',
    event: 'AfterCompactionEvent',
    summary: 'Sees what a compaction left.',
  },
  'session:compact:after': {
    ...SAID,
    place: 'compaction',
    awaited: true,
    summary: 'Hook packs see what a compaction left.',
  },
  subagent_spawning: {
    ...ASKED,
    place: 'subagents',
    kind: 'decide',
    event: 'SubagentSpawningEvent',
    combine: { status: 'strictest', error: 'strictest', threadBindingReady: 'strictest', deliveryOrigin: 'first' },
    deadlineMs: 30_000,
    summary: 'Prepares the place where a child will speak, or refuses it.',
  },
  subagent_spawned: {
    ...TOLD,
    place: 'subagents',
    event: 'SubagentSpawnedEvent',
    summary: 'Sees that a child has started.',
  },
  subagent_delivery_target: {
    ...ASKED,
    place: 'subagents',
    kind: 'decide',
    event: 'SubagentDeliveryTargetEvent',
    combine: { origin: 'first' },
    deadlineMs: 15_000,
    summary: "Says where a child's result goes.",
  },
  subagent_ended: {
    ...TOLD,
    place: 'subagents',
    event: 'SubagentEndedEvent',
    summary: 'Sees that a child is over, with its outcome.',
  },
  gateway_start: {
    ...TOLD,
    place: 'gateway',
    channelId: 'none',
    event: 'GatewayStartEvent',
    awaited: true,
    summary: 'Starts what a plugin runs beside the gateway.',
  },
  'gateway:startup': { ...HEARD, place: 'gateway', summary: 'Hook packs see that the gateway listens.' },
  'gateway:pre-restart': {
    ...HEARD,
    place: 'gateway',
    awaited: true,
    summary: 'Hook packs see that the gateway stops to be started again.',
  },
  'gateway:shutdown': { ...HEARD, place: 'gateway', awaited: true, summary: 'Hook packs see that the gateway stops.' },
  gateway_stop: {
    ...TOLD,
    place: 'gateway',
    channelId: 'none',
    event: 'GatewayStopEvent',
    deadlineMs: 5_000,
    awaited: true,
    summary: 'Stops it again.',
  },
  cron_changed: {
    ...TOLD,
    place: 'gateway',
    channelId: 'none',
    event: 'CronChangedEvent',
    summary: 'Sees a scheduled job added, changed, removed, due, started or finished.',
  },
  before_install: {
    ...ASKED,
    place: 'gateway',
    channelId: 'none',
    kind: 'decide',
    event: 'BeforeInstallEvent',
    combine: { findings: 'collect', block: 'strictest', blockReason: 'strictest' },
    deadlineMs: 60_000,
    onFailure: 'refuse',
    summary: 'Adds findings to the scan of a skill or plugin, or blocks its installation.',
  },
} as const satisfies Record<string, HookRow>;

export type HookName = keyof typeof HOOK_CATALOG;
