// What requests may say and what answers say, once: requests are checked with these, and the OpenAPI document is made
// from them. Loaded with the first request that needs it, because the library behind it is slow to load.

import { z } from 'zod';
import { isTimezone } from '../../protocol/timezone.ts';
import { USAGE_GROUPINGS } from '../usage.ts';

const id = z.string().min(1).max(512);
const sessionKey = z.string().min(1).max(512).describe('For example "agent:main:main".');
const agentId = z.string().min(1).max(128);
const at = z.number().describe('Milliseconds since 1970.');
const wholeNumber = z.int().min(0);

/** Query texts become numbers; a limit is bounded whatever is asked for. */
const limit = z.coerce.number().int().min(1).max(500).default(50);
const position = z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER);

export const sessionsQuery = z.strictObject({
  limit,
  before: id.optional().describe('A session id: only sessions that began before it.'),
  open: z.enum(['true', 'false']).optional().describe('Only sessions that have not ended, or only those that have.'),
  agent: agentId.optional(),
});

export const transcriptQuery = z.strictObject({
  limit,
  order: z.enum(['asc', 'desc']).default('asc'),
  after: position.optional().describe('Only entries after this position.'),
  before: position.optional().describe('Only entries before this position.'),
});

export const runsQuery = z.strictObject({
  limit,
  before: id.optional().describe('A run id: only runs that began before it.'),
  session: sessionKey.optional(),
});

export const deadLettersQuery = z.strictObject({
  limit,
  before: id.optional().describe('A dead letter id: only older ones.'),
  direction: z.enum(['in', 'out']).optional(),
});

export const approvalsQuery = z.strictObject({
  limit,
  before: position.optional().describe('The seq of an approval: only those asked for before it.'),
  status: z.enum(['waiting', 'all']).default('waiting'),
  session: sessionKey.optional(),
});

export const answerApprovalBody = z.strictObject({
  decision: z.enum(['allow-once', 'allow-always', 'deny']),
  from: z.enum(['api', 'web', 'cli']).default('api').describe('Where it was answered, for the record.'),
});

export const purgeQuery = z.strictObject({ all: z.literal('true').describe('Says that every dead letter is meant.') });

export const waitQuery = z.strictObject({
  timeoutMs: z.coerce.number().int().min(0).max(600_000).default(30_000),
});

export const usageQuery = z.strictObject({
  by: z.enum(USAGE_GROUPINGS).default('day'),
  timezone: z
    .string()
    .max(64)
    .refine(isTimezone, { error: 'There is no such time zone' })
    .default('UTC')
    .describe('Where the days begin, for example "Europe/Berlin".'),
  since: position.optional().describe('Milliseconds since 1970: only calls from then on.'),
  agent: agentId.optional(),
  session: sessionKey.optional(),
  run: id.optional(),
});

export const emptyBody = z.strictObject({});

const installFinding = z.object({
  ruleId: z.string().max(200),
  severity: z.enum(['info', 'warn', 'critical']),
  file: z.string().max(4_096),
  line: wholeNumber,
  message: z.string().max(4_096),
});

const targetType = z.enum(['skill', 'plugin']);

export const checkInstallBody = z.strictObject({
  event: z
    .strictObject({
      targetType,
      targetName: id,
      sourcePath: z.string().min(1).max(4_096),
      sourcePathKind: z.enum(['file', 'directory']),
      origin: z.string().max(64).optional(),
      request: z.record(z.string(), z.json()),
      builtinScan: z.record(z.string(), z.json()),
      skill: z.record(z.string(), z.json()).optional(),
      plugin: z.record(z.string(), z.json()).optional(),
    })
    .describe('As handlers of before_install are told it.'),
  context: z.strictObject({ targetType, requestKind: z.string().max(64), origin: z.string().max(64).optional() }),
});

export const checkInstallAnswer = z.object({
  refusal: z.object({ by: z.string(), reason: z.string() }).nullable(),
  findings: z.array(installFinding),
  asked: wholeNumber,
});

export const sendMessageBody = z.strictObject({
  text: z.string().min(1).max(1_000_000),
  sessionKey: sessionKey.optional(),
  agentId: agentId.optional(),
  user: z.string().min(1).max(512).optional().describe('Who is talking; each user has a session of their own.'),
  id: z.string().min(1).max(255).optional().describe('A name for this message. Sent again, it is accepted once.'),
});

export const previewBody = z.strictObject({
  message: z.string().max(1_000_000),
  sessionKey: sessionKey.optional(),
  agentId: agentId.optional(),
  channel: id.optional().describe('Where it would be typed, for a session whose key does not say.'),
  at: z.iso.datetime({ offset: true }).optional(),
  runHooks: z.boolean().optional().describe('Also runs prompt hooks that are not declared pure.'),
});

const peer = z.strictObject({ kind: z.enum(['direct', 'group', 'channel']), id });

export const explainRouteBody = z.strictObject({
  channel: id,
  accountId: id.default('default'),
  peer,
  threadId: id.optional(),
  sender: id.optional().describe('Default: the peer, when it is a person.'),
  sessionKey: sessionKey.optional(),
  agentId: agentId.optional(),
});

export const explainToolsQuery = z.strictObject({
  session: sessionKey.optional().describe("Default: the agent's main session."),
  agent: agentId.optional(),
  provider: id.optional().describe("Default: the agent's first choice."),
  model: id.optional(),
});

/** Loose, because clients send settings that are the agent's own affair here. */
export const chatCompletionBody = z.looseObject({
  model: z.string().min(1).max(256),
  messages: z
    .array(
      z.looseObject({
        role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
        content: z
          .union([z.string(), z.null(), z.array(z.looseObject({ type: z.string(), text: z.string().optional() }))])
          .optional(),
        tool_calls: z.array(z.unknown()).nullish(),
        function_call: z.unknown().optional(),
      }),
    )
    .min(1)
    .max(10_000),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  user: z.string().min(1).max(512).nullish(),
  n: z.number().nullish(),
  tools: z.array(z.unknown()).nullish(),
  functions: z.array(z.unknown()).nullish(),
});
export type ChatCompletionBody = z.infer<typeof chatCompletionBody>;

export const errorAnswer = z.object({
  error: z.object({ code: z.string(), message: z.string(), param: z.string().optional() }),
});

export const openAiErrorAnswer = z.object({
  error: z.object({ message: z.string(), type: z.string(), code: z.string(), param: z.string().nullable() }),
});

export const healthAnswer = z.object({ status: z.enum(['ok', 'starting', 'ready', 'draining']) });

const writtenSchedule = z
  .strictObject({
    at: z.string().max(200).optional().describe('Once: "in 20m", or a time such as "2026-05-06T09:00".'),
    every: z.string().max(200).optional().describe('At a steady pace: "30m", "1h30m".'),
    cron: z.string().max(200).optional().describe('Five or six cron fields.'),
    tz: z.string().max(100).optional().describe('The time zone of at and cron.'),
  })
  .describe('Exactly one of at, every and cron.');
const jobSettings = {
  session: z.enum(['own', 'main']).optional().describe('Default "own".'),
  deliver: z
    .string()
    .max(300)
    .nullable()
    .optional()
    .describe('Where answers go: "web:<name>", "cli:<name>" or "none".'),
  missed: z.enum(['catch-up', 'skip']).optional(),
  removeAfterRun: z.boolean().optional(),
  enabled: z.boolean().optional(),
};
export const addJobBody = z.strictObject({
  name: z.string().min(1).max(100),
  message: z.string().min(1).max(20_000).describe('What the agent is told.'),
  schedule: writtenSchedule,
  agentId: agentId.optional(),
  ...jobSettings,
});
export const editJobBody = z.strictObject({
  name: z.string().min(1).max(100).optional(),
  message: z.string().min(1).max(20_000).optional(),
  schedule: writtenSchedule.optional(),
  ...jobSettings,
});
export const jobsQuery = z.strictObject({ agent: agentId.optional() });
export const jobHistoryQuery = z.strictObject({
  limit,
  before: position.optional().describe('Only entries before this number.'),
});

const agent = z.object({
  agentId,
  isDefault: z.boolean(),
  workspaceDir: z.string(),
  model: z.string(),
  fallbacks: z.array(z.string()),
});

export const agentsAnswer = z.object({ agents: z.array(agent) });

export const statusAnswer = z.object({
  version: z.string(),
  url: z.string(),
  startedAt: at,
  store: z.string(),
  stateDir: z.string(),
  agents: z.array(agent),
  channels: z.array(
    z.object({
      id: z.string(),
      guarantee: z.object({ level: z.enum(['exactly-once', 'at-least-once', 'at-most-once']), because: z.string() }),
      maxTextLength: z.number(),
    }),
  ),
  running: z.array(z.object({ sessionKey, runId: id, since: at })),
  waiting: wholeNumber,
  approvals: wholeNumber,
  outbox: z.object({ queued: wholeNumber, failed: wholeNumber }),
  deadLetters: z.object({ in: wholeNumber, out: wholeNumber }),
  sessions: wholeNumber,
  schedule: z.object({
    isEnabled: z.boolean(),
    jobs: wholeNumber,
    next: z.object({ id, name: z.string(), at }).nullable(),
  }),
  warnings: z.array(z.string()),
});

const surface = z.object({ channel: z.string(), accountId: z.string(), peer, threadId: z.string().optional() });

const session = z.object({
  sessionId: id,
  sessionKey,
  agentId,
  startedAt: at,
  activeAt: at,
  endedAt: at.nullable(),
  endReason: z.string().nullable(),
  surface: surface.nullable(),
  resumedFrom: id.nullable(),
  endToTell: z.boolean().describe('It has ended, and its observers are yet to be told.'),
  state: z.record(z.string(), z.unknown()),
  pluginExtensions: z
    .array(z.object({ pluginId: z.string(), namespace: z.string(), value: z.unknown() }))
    .describe('What plugins keep for the session, as far as they show it; of one that has not ended.'),
});

const next = z.string().nullable().describe('Hand it in as "before" for the next page; null on the last one.');

export const sessionsAnswer = z.object({ sessions: z.array(session), next });
export const sessionAnswer = z.object({ session, entries: wholeNumber, earlier: z.array(session) });
export const transcriptAnswer = z.object({
  sessionId: id,
  entries: z.array(
    z.object({
      position: wholeNumber,
      runId: id,
      at,
      kind: z.enum(['message', 'notice', 'compaction']),
      message: z.record(z.string(), z.unknown()).describe('Exactly as the model is sent it.'),
      shown: z.string().nullable(),
      meta: z.record(z.string(), z.unknown()),
    }),
  ),
  next: wholeNumber.nullable().describe('Hand it in as "after", or "before" when descending; null on the last page.'),
});
export const endedAnswer = z.object({ sessionKey, ended: z.literal(true) });
export const deletedAnswer = z.object({ sessionKey, deleted: z.literal(true) });

const run = z.object({
  runId: id,
  sessionKey,
  agentId,
  sessionId: id.nullable(),
  status: z.enum(['queued', 'running', 'suspended', 'done', 'failed', 'stopped', 'blocked']),
  claim: wholeNumber,
  startedAt: at,
  endedAt: at.nullable(),
  outcome: z.record(z.string(), z.unknown()).nullable().describe('Reply or error, model, usage.'),
});
const asked = { at, provider: z.string(), model: z.string(), size: wholeNumber };

export const runsAnswer = z.object({ runs: z.array(run), next });
export const runAnswer = z.object({
  run,
  calls: z.array(z.object({ call: wholeNumber, ...asked })),
  summaries: z
    .array(z.object({ summary: wholeNumber, ...asked }))
    .describe('Requests for a summary of the conversation.'),
  deliveries: z.array(
    z.object({
      seq: wholeNumber,
      part: wholeNumber,
      surface,
      status: z.string(),
      attempts: wholeNumber,
      receipt: z.unknown(),
      error: z.string().nullable(),
    }),
  ),
});
export const waitAnswer = z.object({ over: z.boolean(), run });
export const stoppedAnswer = z.object({ runId: id, stopped: z.boolean() });
export const hooksAnswer = z.object({
  records: z.array(
    z.object({
      seq: wholeNumber,
      hook: z.string(),
      handler: z.string(),
      owner: z.string(),
      at,
      ms: z.number(),
      outcome: z.string(),
      error: z.string().nullable(),
      changed: z.array(z.string()),
      diff: z.unknown().describe('What it changed them from and to; null outside of runs whose gate has passed.'),
    }),
  ),
});
export const reportAnswer = z
  .looseObject({ version: z.int() })
  .describe('The context report; docs/context.md explains it.');
export const requestAnswer = z.unknown().describe('The body of the request, byte for byte as it was sent.');

const span = z.object({
  where: z.enum(['system', 'tools', 'messages']),
  index: wholeNumber,
  origin: z.string().describe('Who wrote it.'),
  chars: wholeNumber,
  runId: id.optional().describe('For what was said before: the run that said it.'),
  entry: wholeNumber.optional().describe('And its entry in the transcript.'),
  text: z.string().optional().describe('Absent when it is not kept any more.'),
});
export const spansAnswer = z.object({ runId: id, call: wholeNumber, spans: z.array(span) });

export const previewAnswer = z.object({
  sessionKey,
  agentId,
  provider: z.string(),
  model: z.string(),
  wire: z.object({ url: z.string(), headers: z.record(z.string(), z.string()), body: z.string() }),
  report: reportAnswer,
  spans: z.array(span),
  placeholders: z.array(z.string()),
});

const approval = z.object({
  id,
  seq: wholeNumber,
  runId: id,
  sessionKey,
  agentId,
  toolCallId: z.string(),
  toolName: z.string(),
  params: z.record(z.string(), z.unknown()).describe('Exactly what would run.'),
  requester: z.record(z.string(), z.unknown()),
  policyVersion: z.string(),
  contextHash: z.string().describe('Of what the model had read when it asked.'),
  askedBy: z.string(),
  title: z.string(),
  description: z.string(),
  severity: z.enum(['info', 'warning', 'critical']),
  allowedDecisions: z.array(z.enum(['allow-once', 'allow-always', 'deny'])),
  rule: z.record(z.string(), z.unknown()).nullable().describe('What "allow-always" would write down.'),
  createdAt: at,
  expiresAt: at,
  timeoutBehavior: z.enum(['allow', 'deny']),
  status: z.enum(['waiting', 'answered', 'void']),
  decision: z.enum(['allow-once', 'allow-always', 'deny', 'timeout', 'cancelled']).nullable(),
  decidedAt: at.nullable(),
  decidedBy: z.string().nullable(),
});
export const approvalsAnswer = z.object({
  approvals: z.array(approval),
  next: wholeNumber.nullable().describe('Hand it in as "before" for the next page; null on the last one.'),
});
export const approvalAnswer = z.object({ approval });
export const allowRulesAnswer = z.object({
  rules: z.array(
    z.object({
      id,
      agentId,
      toolName: z.string(),
      argv: z.array(z.string()),
      cwd: z.string(),
      createdAt: at,
      createdBy: z.string(),
      approvalId: id.nullable(),
    }),
  ),
});
export const revokedAnswer = z.object({ id, revoked: z.literal(true) });

const deadLetter = z.object({
  id,
  direction: z.enum(['in', 'out']),
  runId: id,
  sessionKey,
  reason: z.string(),
  createdAt: at,
  payload: z.unknown(),
});
export const deadLettersAnswer = z.object({ deadLetters: z.array(deadLetter), next });
export const deadLetterAnswer = z.object({ deadLetter });
export const replayedAnswer = z.object({ runId: id });
export const purgedAnswer = z.object({ purged: wholeNumber });

export const toolsAnswer = z.object({
  agentId,
  sessionKey,
  provider: z.string(),
  model: z.string(),
  isOwner: z.boolean().describe('Whether the tools that only the operator has are offered there.'),
  steps: z.array(
    z.object({
      source: z.string(),
      allow: z.array(z.string()).nullable().describe('Null when it forbids nothing.'),
      deny: z.array(z.string()).nullable(),
    }),
  ),
  tools: z.array(
    z.object({
      name: z.string(),
      owner: z.string().nullable().describe("Who brought it; null for the product's own."),
      groups: z.array(z.string()),
      description: z.string(),
      isOffered: z.boolean(),
      rule: z.string().describe('What decided, in the words of the configuration.'),
      source: z.string().nullable().describe('The step that it belongs to.'),
    }),
  ),
  warnings: z.array(z.string()),
});

export const commandsAnswer = z.object({
  commands: z.array(
    z.object({
      name: z.string().describe('Without the slash.'),
      aliases: z.array(z.string()).describe('Other words for it.'),
      arguments: z.string().nullable().describe('What may follow the name.'),
      help: z.string(),
      who: z.enum(['anyone', 'answerers', 'approvers']),
      when: z.enum(['at-once', 'in-lane']).describe('Answered when it arrives, or in its turn like a message.'),
      plugin: z.string().nullable().describe('The plugin that brought it.'),
    }),
  ),
});

export const mcpAnswer = z.object({
  servers: z.array(
    z.object({
      name: z.string(),
      transport: z.enum(['stdio', 'http']),
      target: z.string().describe('The program, or the address without what may be secret in it.'),
      state: z
        .enum(['stopped', 'starting', 'running', 'failed'])
        .describe('A stopped one is started when it is needed.'),
      tools: wholeNumber.nullable().describe('Null while it has never been asked.'),
      listedAt: at.nullable(),
      error: z.string().nullable(),
    }),
  ),
});

const job = z.object({
  id,
  name: z.string(),
  agentId,
  enabled: z.boolean(),
  schedule: z.record(z.string(), z.unknown()).describe('kind "at", "every" or "cron" with its fields.'),
  message: z.string(),
  session: z.enum(['own', 'main']),
  deliverTo: surface.nullable(),
  missed: z.enum(['catch-up', 'skip']).nullable(),
  removeAfterRun: z.boolean(),
  createdAt: at,
  updatedAt: at,
  createdBy: z.string(),
  nextAt: at.nullable(),
});
export const jobsAnswer = z.object({ jobs: z.array(job) });
export const jobAnswer = z.object({ job });
export const jobStartedAnswer = z.object({
  runId: id,
  isNew: z.boolean().describe('False when it was waiting for its turn already.'),
});
export const jobHistoryAnswer = z.object({
  jobId: id,
  entries: z.array(
    z.object({
      seq: wholeNumber,
      slot: at.describe('The time that it was meant for.'),
      at,
      how: z.enum(['due', 'caught-up', 'by-hand', 'skipped']),
      runId: id.nullable(),
      status: z.enum(['skipped', 'queued', 'running', 'suspended', 'done', 'failed', 'stopped', 'blocked']),
      startedAt: at.nullable(),
      endedAt: at.nullable(),
      reply: z.string().nullable(),
      error: z.string().nullable(),
      delivery: z.enum(['none', 'queued', 'sent', 'suppressed', 'failed', 'dead']),
    }),
  ),
  next: wholeNumber.nullable().describe('Hand it in as "before"; null on the last page.'),
});

const usageSum = z.object({
  calls: wholeNumber,
  input: wholeNumber.describe('Tokens, cached ones included.'),
  output: wholeNumber,
  cacheRead: wholeNumber,
  cacheWrite: wholeNumber,
  cost: z.number().nullable().describe('Of the calls whose price is known; null when it is known of none.'),
  unpriced: wholeNumber.describe('How many calls have no known price.'),
});
export const usageAnswer = z.object({
  by: z.enum(USAGE_GROUPINGS),
  timezone: z.string(),
  groups: z.array(usageSum.extend({ key: z.string(), lastAt: at })),
  others: usageSum.nullable().describe('Everything older that has no line of its own.'),
  total: usageSum,
});

export const routeAnswer = z.object({ agentId, sessionKey, rules: z.array(z.string()) });
export const acceptedAnswer = z.object({
  outcome: z.enum(['accepted', 'duplicate', 'handled']),
  runId: id,
  sessionKey,
});

const model = z.object({ id: z.string(), object: z.literal('model'), created: z.int(), owned_by: z.string() });
export const modelAnswer = model;
export const modelsAnswer = z.object({ object: z.literal('list'), data: z.array(model) });
const usage = z.object({
  prompt_tokens: wholeNumber,
  completion_tokens: wholeNumber,
  total_tokens: wholeNumber,
  prompt_tokens_details: z.object({ cached_tokens: wholeNumber }),
});
export const chatCompletionAnswer = z.object({
  id: z.string(),
  object: z.literal('chat.completion'),
  created: z.int(),
  model: z.string(),
  choices: z.array(
    z.object({
      index: wholeNumber,
      message: z.object({ role: z.literal('assistant'), content: z.string(), refusal: z.null() }),
      finish_reason: z.enum(['stop', 'content_filter']),
      logprobs: z.null(),
    }),
  ),
  usage,
});

export const callMethodBody = z.looseObject({
  params: z.record(z.string(), z.unknown()).optional().describe('What the method takes.'),
});
export const methodAnswer = z.object({ ok: z.literal(true), payload: z.unknown() });
const pluginStatus = z.object({
  id: z.string(),
  name: z.string(),
  version: z.string().optional(),
  description: z.string().optional(),
  origin: z.enum(['bundled', 'config', 'extensions', 'installed', 'workspace']),
  rootDir: z.string(),
  entryPath: z.string().nullable(),
  state: z.enum(['loaded', 'disabled', 'failed', 'suspended', 'pending']),
  reason: z.string().describe('Why it is in that state, and what would change it.'),
  where: z.enum(['worker', 'inline']).nullable(),
  whyThere: z.string().nullable(),
  generation: wholeNumber.describe('How often it has been loaded since the gateway started.'),
  permissions: z.object({ conversation: z.boolean(), promptInjection: z.boolean() }),
  hooks: z.array(
    z.object({
      hook: z.string(),
      id: z.string(),
      priority: z.number(),
      timeoutMs: z.number(),
      state: z.enum(['armed', 'blocked', 'pending']),
      reason: z.string().optional(),
    }),
  ),
  internalHooks: z.array(z.string()),
  tools: z.array(z.string()),
  commands: z.array(z.string()),
  services: z.array(z.string()),
  routes: z.array(z.string()),
  methods: z.array(z.string()),
  cli: z.array(z.string()),
  policies: z.array(z.string()),
  sessionExtensions: z.array(z.string()),
  others: z.array(z.string()).describe('Whatever else it registered.'),
  skills: z.array(z.string()),
  unused: z.array(z.string()).describe('Accepted, and of no use here.'),
  notes: z.array(z.object({ level: z.enum(['info', 'warn', 'error']), code: z.string(), message: z.string() })),
  install: z.object({ spec: z.string(), integrity: z.string(), installedAt: at, changed: z.boolean() }).optional(),
});

export const pluginsAnswer = z.object({ plugins: z.array(pluginStatus) });

export const pluginAnswer = z.object({ plugin: pluginStatus });

const handlerName = z.object({ hook: z.string(), id: z.string(), owner: z.string() });
export const hooksStatusAnswer = z.object({
  handlers: z.array(
    handlerName.extend({
      priority: z.number().nullable(),
      timeoutMs: z.number().nullable(),
      state: z.enum(['armed', 'blocked', 'suspended', 'pending', 'failed']),
      reason: z.string().nullable().describe('Why it is not called; null for one that is.'),
      calls: wholeNumber.describe('Since the gateway started.'),
      errors: wholeNumber,
      timeouts: wholeNumber,
      notCalled: wholeNumber.describe('How often it was its turn and it was passed over.'),
      p50Ms: z.number().nullable(),
      p95Ms: z.number().nullable(),
      lastFiredAt: at.nullable(),
      lastFailure: z.object({ at, outcome: z.string(), error: z.string().nullable() }).nullable(),
    }),
  ),
  absent: z
    .array(z.object({ owner: z.string(), state: z.string(), reason: z.string() }))
    .describe('Plugins that are not loaded, so that nobody knows what they would register.'),
});
export const rearmBody = z.strictObject({
  name: z.string().min(1).max(512).describe('A hook, the id of a handler, or an owner such as a plugin.'),
});
export const rearmedAnswer = z.object({ rearmed: z.array(handlerName) });

export const methodsAnswer = z.object({
  methods: z.array(z.object({ method: z.string(), plugin: z.string().nullable() })),
});
