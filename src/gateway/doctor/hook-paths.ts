// Which hooks fire when: for everything that can happen to a gateway, each hook and each event of hook packs with the
// number of its calls. A test drives every path with a handler on every hook and compares; docs/lifecycle.md shows the
// same table; `atrium doctor --hooks` uses it to say when a handler would have been called.
// Promise: a hook that a path does not name is not called on it. A path does not count the start and the stop of the
// gateway, which are paths of their own.

import type { HookName } from '../../hooks/catalog.ts';

export interface HookPath {
  /** What happens, in words for people. */
  readonly what: string;
  readonly hooks: Readonly<Partial<Record<HookName, number>>>;
  /** Events of hook packs. `agent:bootstrap` has its row in the catalog and is listed among the hooks. */
  readonly events: Readonly<Record<string, number>>;
}

const INBOUND = { inbound_claim: 1, message_received: 1 } as const;
const PREPARE = {
  before_model_resolve: 1,
  before_agent_start: 1,
  agent_turn_prepare: 1,
  'agent:bootstrap': 1,
  before_prompt_build: 1,
} as const;
const GATE = { before_agent_run: 1, before_agent_reply: 1 } as const;
const MODEL = { llm_input: 1, model_call_started: 1, model_call_ended: 1, llm_output: 1 } as const;
const TWO_CALLS = { llm_input: 2, model_call_started: 2, model_call_ended: 2, llm_output: 2 } as const;
const TOOL = { before_tool_call: 1, after_tool_call: 1, tool_result_persist: 1 } as const;
const DELIVERY = {
  reply_dispatch: 1,
  reply_payload_sending: 1,
  message_sending: 1,
  before_dispatch: 1,
  message_sent: 1,
} as const;
const TWO_DELIVERIES = {
  reply_dispatch: 2,
  reply_payload_sending: 2,
  message_sending: 2,
  before_dispatch: 2,
  message_sent: 2,
} as const;

/** What a run without special events calls from its trigger to its answer: the message and the answer are written to the transcript. */
const RUN = { ...PREPARE, ...GATE, ...MODEL, before_message_write: 2, before_agent_finalize: 1, agent_end: 1 } as const;
const MESSAGE = { ...INBOUND, ...RUN, ...DELIVERY } as const;
const FIRST_MESSAGE = { ...MESSAGE, session_start: 1 } as const;
/** The tool call and its result are written to the transcript as well. */
const TOOL_MESSAGE = { ...FIRST_MESSAGE, ...TWO_CALLS, ...TOOL, before_message_write: 4 } as const;

const RECEIVED = { 'message:received': 1, 'message:preprocessed': 1 } as const;
const ANSWERED = { ...RECEIVED, 'message:sent': 1 } as const;
const FIRST_ANSWERED = { ...ANSWERED, 'session:start': 1 } as const;

function times<Name extends string>(count: number, hooks: Readonly<Record<Name, number>>): Record<Name, number> {
  const each = Object.entries<number>(hooks).map(([name, calls]) => [name, calls * count]);
  return Object.fromEntries(each) as Record<Name, number>;
}

export const HOOK_PATHS = {
  start: {
    what: 'the gateway starts to listen',
    hooks: { gateway_start: 1 },
    events: { 'gateway:startup': 1 },
  },
  message: { what: 'the first message of a session is answered', hooks: FIRST_MESSAGE, events: FIRST_ANSWERED },
  'next message': { what: 'a later message of it is answered', hooks: MESSAGE, events: ANSWERED },
  web: { what: 'the first message comes from the page', hooks: FIRST_MESSAGE, events: FIRST_ANSWERED },
  cli: { what: 'the first message comes from a terminal', hooks: FIRST_MESSAGE, events: FIRST_ANSWERED },
  api: { what: 'the first message comes over `/v1`', hooks: FIRST_MESSAGE, events: FIRST_ANSWERED },
  duplicate: { what: 'a platform tells the same message again', hooks: {}, events: {} },
  'tool call': { what: 'the model calls a tool and then answers', hooks: TOOL_MESSAGE, events: FIRST_ANSWERED },
  'MCP tool call': { what: 'the same with a tool of an MCP server', hooks: TOOL_MESSAGE, events: FIRST_ANSWERED },
  'blocked tool call': { what: 'a handler blocks the tool call', hooks: TOOL_MESSAGE, events: FIRST_ANSWERED },
  subagent: {
    what: 'the model hands a task to a child; the child does it, and a second run of the session tells the result',
    hooks: {
      ...INBOUND,
      subagent_spawning: 1,
      subagent_spawned: 1,
      subagent_delivery_target: 1,
      subagent_ended: 1,
      session_start: 2,
      ...times(3, { ...PREPARE, ...GATE, before_agent_finalize: 1, agent_end: 1 }),
      ...times(4, MODEL),
      ...TOOL,
      before_message_write: 8,
      ...TWO_DELIVERIES,
    },
    events: { ...RECEIVED, 'message:sent': 2, 'session:start': 2 },
  },
  'subagent awaited': {
    what: 'the model hands a task to a child and waits for it in the same step; the run goes on with the result',
    hooks: {
      ...INBOUND,
      subagent_spawning: 1,
      subagent_spawned: 1,
      subagent_delivery_target: 1,
      subagent_ended: 1,
      session_start: 2,
      ...times(2, { ...PREPARE, ...GATE, before_agent_finalize: 1, agent_end: 1 }),
      ...times(3, MODEL),
      ...times(2, TOOL),
      before_message_write: 7,
      ...DELIVERY,
    },
    events: { ...RECEIVED, 'message:sent': 1, 'session:start': 2 },
  },
  'approval asked for': {
    what: 'a handler wants a person asked: the question is delivered, the run waits',
    hooks: {
      ...INBOUND,
      session_start: 1,
      ...PREPARE,
      ...GATE,
      ...MODEL,
      before_tool_call: 1,
      before_message_write: 1,
      ...DELIVERY,
    },
    events: FIRST_ANSWERED,
  },
  'approval denied': {
    what: 'the person says `/approve <id> deny`; both that and the answer are delivered',
    hooks: {
      ...INBOUND,
      ...MODEL,
      ...TOOL,
      before_message_write: 3,
      before_agent_finalize: 1,
      agent_end: 1,
      ...TWO_DELIVERIES,
    },
    events: { 'message:received': 1, 'message:sent': 2 },
  },
  'approval given': {
    what: 'it is allowed over the API; both that and the answer are delivered',
    hooks: { ...MODEL, ...TOOL, before_message_write: 3, before_agent_finalize: 1, agent_end: 1, ...TWO_DELIVERIES },
    events: { 'message:sent': 2 },
  },
  'one more pass': {
    what: '`before_agent_finalize` asks for another answer',
    hooks: { ...FIRST_MESSAGE, ...TWO_CALLS, before_message_write: 4, before_agent_finalize: 2 },
    events: FIRST_ANSWERED,
  },
  'claimed inbound': {
    what: '`inbound_claim` answers in the place of an agent',
    hooks: { inbound_claim: 1, ...DELIVERY },
    events: { 'message:sent': 1 },
  },
  'claimed reply': {
    what: '`before_agent_reply` answers in the place of the model',
    hooks: {
      ...INBOUND,
      session_start: 1,
      ...PREPARE,
      ...GATE,
      before_message_write: 2,
      agent_end: 1,
      ...DELIVERY,
    },
    events: FIRST_ANSWERED,
  },
  'blocked run': {
    what: '`before_agent_run` blocks, and the person is told',
    hooks: {
      ...INBOUND,
      session_start: 1,
      ...PREPARE,
      before_agent_run: 1,
      before_message_write: 1,
      agent_end: 1,
      ...DELIVERY,
    },
    events: FIRST_ANSWERED,
  },
  'failed model': {
    what: 'the model fails, and the person is told',
    hooks: {
      ...INBOUND,
      session_start: 1,
      ...PREPARE,
      ...GATE,
      llm_input: 1,
      model_call_started: 1,
      model_call_ended: 1,
      before_message_write: 1,
      agent_end: 1,
      ...DELIVERY,
    },
    events: FIRST_ANSWERED,
  },
  'broken answer': {
    what: 'the model breaks off in the middle of its answer, and is asked again',
    hooks: { ...FIRST_MESSAGE, llm_input: 2, model_call_started: 2, model_call_ended: 2 },
    events: FIRST_ANSWERED,
  },
  'stopped run': {
    what: '`/stop` while the model answers: a message and a command, each with an answer',
    hooks: {
      inbound_claim: 2,
      message_received: 2,
      session_start: 1,
      ...PREPARE,
      ...GATE,
      llm_input: 1,
      model_call_started: 1,
      model_call_ended: 1,
      before_message_write: 1,
      agent_end: 1,
      ...TWO_DELIVERIES,
    },
    events: {
      'message:received': 2,
      'message:preprocessed': 1,
      'message:sent': 2,
      'session:start': 1,
      'command:stop': 1,
    },
  },
  'reply taken over': {
    what: '`reply_dispatch` takes the answer over',
    hooks: { ...INBOUND, session_start: 1, ...RUN, reply_dispatch: 1 },
    events: FIRST_ANSWERED,
  },
  'cancelled delivery': {
    what: '`message_sending` cancels the answer',
    hooks: { ...INBOUND, session_start: 1, ...RUN, reply_dispatch: 1, reply_payload_sending: 1, message_sending: 1 },
    events: FIRST_ANSWERED,
  },
  'failed delivery': { what: 'the platform refuses the answer', hooks: FIRST_MESSAGE, events: FIRST_ANSWERED },
  '/status': {
    what: 'a command that the gateway answers itself',
    hooks: { ...INBOUND, ...DELIVERY },
    events: { 'message:received': 1, 'message:sent': 1 },
  },
  'plugin command': {
    what: 'a command that a plugin answers, in a session of its own',
    hooks: { ...INBOUND, session_start: 1, agent_end: 1, ...DELIVERY },
    events: FIRST_ANSWERED,
  },
  '/new': {
    what: 'a person begins a new session and says nothing else',
    hooks: { ...INBOUND, before_reset: 1, session_end: 1, session_start: 1, agent_end: 1, ...DELIVERY },
    events: { ...FIRST_ANSWERED, 'command:new': 1, 'session:end': 1 },
  },
  '/reset and a message': {
    what: 'a person begins a new session with a message',
    hooks: { ...FIRST_MESSAGE, before_reset: 1, session_end: 1 },
    events: { ...FIRST_ANSWERED, 'command:reset': 1, 'session:end': 1 },
  },
  'session idle too long': {
    what: 'the time of the session is over when a message comes',
    hooks: { ...FIRST_MESSAGE, session_end: 1 },
    events: { ...FIRST_ANSWERED, 'session:end': 1 },
  },
  'reset over the API': {
    what: 'a client ends the session',
    hooks: { before_reset: 1, session_end: 1 },
    events: { 'command:reset': 1, 'session:end': 1 },
  },
  'session deleted': { what: 'a client deletes the session', hooks: { session_end: 1 }, events: { 'session:end': 1 } },
  'session patched': {
    what: 'a client changes what a plugin keeps for the session',
    hooks: {},
    events: { 'session:patch': 1 },
  },
  '/compact': {
    what: 'a person asks for a compaction; one model call writes the summary',
    hooks: {
      ...INBOUND,
      ...PREPARE,
      before_agent_run: 1,
      before_compaction: 1,
      model_call_started: 1,
      model_call_ended: 1,
      after_compaction: 1,
      before_message_write: 1,
      agent_end: 1,
      ...DELIVERY,
    },
    events: { ...ANSWERED, 'session:compact:before': 1, 'session:compact:after': 1 },
  },
  'automatic compaction': {
    what: 'a message for which the conversation had to be made shorter first',
    hooks: { ...MESSAGE, before_compaction: 1, after_compaction: 1, model_call_started: 2, model_call_ended: 2 },
    events: { ...ANSWERED, 'session:compact:before': 1, 'session:compact:after': 1 },
  },
  'job added': { what: 'a person adds a job', hooks: { cron_changed: 1 }, events: {} },
  'job changed': { what: 'a person changes a job', hooks: { cron_changed: 1 }, events: {} },
  'job removed': { what: 'a person removes a job', hooks: { cron_changed: 1 }, events: {} },
  cron: {
    what: 'a job is due: its next time is set, its run begins and ends, its answer is delivered',
    hooks: { cron_changed: 3, session_start: 1, ...RUN, ...DELIVERY },
    events: { 'session:start': 1, 'message:sent': 1 },
  },
  heartbeat: {
    what: 'a heartbeat finds something to say in the main session',
    hooks: { heartbeat_prompt_contribution: 1, ...RUN, ...DELIVERY },
    events: { 'message:sent': 1 },
  },
  preview: {
    what: 'the next request is previewed; of the rest only handlers that are `pure` are called',
    hooks: { 'agent:bootstrap': 1 },
    events: {},
  },
  'plugin loaded again': {
    what: 'a plugin is loaded again while the gateway runs: only its own handlers are told of a stop and a start',
    hooks: {},
    events: {},
  },
  install: { what: 'a plugin or a skill is about to be installed', hooks: { before_install: 1 }, events: {} },
  'crash in a model call': {
    what: 'the next process takes the run up: it sends the stored request again and does not ask the handlers that shaped it',
    hooks: { ...MODEL, before_message_write: 1, before_agent_finalize: 1, agent_end: 1, ...DELIVERY },
    events: { 'message:sent': 1 },
  },
  'crash before observers were told': {
    what: 'the next process tells the end of the run',
    hooks: { agent_end: 1 },
    events: {},
  },
  'crash again and again': {
    what: 'a run that was taken up three times without getting anywhere is given up, and the person is told',
    hooks: { agent_end: 1, ...DELIVERY },
    events: { 'message:sent': 1 },
  },
  restart: {
    what: 'the gateway stops, with one session open, to be started again',
    hooks: { session_end: 1, gateway_stop: 1 },
    events: { 'gateway:pre-restart': 1, 'gateway:shutdown': 1 },
  },
  shutdown: {
    what: 'the gateway stops, with one session open',
    hooks: { session_end: 1, gateway_stop: 1 },
    events: { 'gateway:shutdown': 1 },
  },
} as const satisfies Readonly<Record<string, HookPath>>;

export type HookPathName = keyof typeof HOOK_PATHS;
