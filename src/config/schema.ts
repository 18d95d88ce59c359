// The settings that Atrium reads, as one schema: the type, the checks and the exported JSON Schema are made from it.
// Everything else in a file is kept as it is. The error of each leaf is the phrase that completes "expected …"; the
// schema does not know where a value was found. The schema sets no defaults, so a home without a configuration never
// loads zod.

import { z } from 'zod';
import { SESSION_TYPES } from '../protocol/session-type.ts';
import { TRUNCATION_WARNING_MODES } from './bootstrap-limits.ts';
import { CONTEXT_INJECTION_MODES } from './context-injection.ts';

/**
 * What to do with a key that a section does not list. In Atrium's own sections every such key gets a warning; in
 * sections that are shared with OpenClaw, the keys of OpenClaw get none here: `list-unused-settings.ts` names those that
 * are not used.
 */
export type UnknownKeyPolicy = 'warn' | 'warn-unless-shared';
export const unknownKeyPolicies = z.registry<{ policy: UnknownKeyPolicy }>();

const flag = () => z.boolean({ error: 'true or false' });
const text = () => z.string({ error: 'text' });
const filledText = (expected = 'text that is not blank') =>
  z.string({ error: expected }).regex(/\S/, { error: expected });
const texts = () => z.array(text(), { error: 'a list of texts' });
const positive = () => z.number({ error: 'a number above 0' }).positive({ error: 'a number above 0' });
const price = () => z.number({ error: 'a number from 0' }).min(0, { error: 'a number from 0' });
const wholeNumber = (from: number, to: number) => {
  const error = `a whole number from ${from} to ${to}`;
  return z.number({ error }).int({ error }).min(from, { error }).max(to, { error });
};
const hour = () => wholeNumber(0, 23);
const clockPhrase = 'a time such as "08:30", up to "24:00"';
const clockTime = () =>
  z.string({ error: clockPhrase }).regex(/^(?:(?:[01]?\d|2[0-3]):[0-5]\d|24:00)$/, { error: clockPhrase });
const oneOf = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z.enum(values, { error: anyOf(values) });
const oneOrMore = <Item extends z.ZodType>(item: Item, expected: string) =>
  z.union([item, z.array(item)], { error: `${expected}, or a list of them` });

function anyOf(values: readonly string[]): string {
  return `one of ${values.map((value) => `"${value}"`).join(', ')}`;
}

function section<Shape extends z.ZodRawShape>(policy: UnknownKeyPolicy, shape: Shape) {
  return z.looseObject(shape, { error: 'an object' }).register(unknownKeyPolicies, { policy });
}
const ours = <Shape extends z.ZodRawShape>(shape: Shape) => section('warn', shape);
const shared = <Shape extends z.ZodRawShape>(shape: Shape) => section('warn-unless-shared', shape);
const anyObject = () => z.looseObject({}, { error: 'an object' });
const recordOf = <Value extends z.ZodType>(value: Value) => z.record(z.string(), value, { error: 'an object' });

const heartbeat = shared({
  every: text()
    .optional()
    .describe('How often the agent wakes by itself, such as "30m"; "0m" turns it off. Default "30m".'),
  includeSystemPromptSection: flag().optional().describe('Whether the prompt speaks of heartbeats. Default true.'),
  activeHours: shared({
    start: clockTime().optional().describe('Default "00:00".'),
    end: clockTime().optional().describe('Default "24:00". An end before the start is on the next day.'),
    timezone: text().optional().describe('"user", "local" or a name such as "Europe/Lisbon". Default "user".'),
  })
    .optional()
    .describe('The hours in which heartbeats happen. Default: always.'),
  target: text()
    .optional()
    .describe(
      'Where an answer goes: "last" (where the agent was last spoken to, the default), "none", or a surface such as "cli:local".',
    ),
  prompt: filledText().optional().describe('The text that the agent is told, instead of the built-in one.'),
  ackMaxChars: wholeNumber(0, 100_000)
    .optional()
    .describe('An answer with the silence token and no more than this besides is not sent. Default 300.'),
});

const toolLists = {
  profile: text()
    .optional()
    .describe('Where the list of tools begins: "minimal", "coding", "messaging" or "full". Default: all tools.'),
  allow: texts()
    .optional()
    .describe('Only these tools are available: names, globs such as "sessions_*", groups such as "group:fs".'),
  alsoAllow: texts().optional().describe('These tools are available besides those of the profile.'),
  deny: texts().optional().describe('These tools are never available, even if another list allows them.'),
};

const execTool = shared({
  security: oneOf(['deny', 'allowlist', 'full'])
    .optional()
    .describe(
      '"allowlist", the default, asks for everything that no rule allows; "full" asks for nothing unless "ask" is "always"; "deny" runs nothing.',
    ),
  ask: oneOf(['off', 'on-miss', 'always'])
    .optional()
    .describe(
      '"always" asks for allowed commands too; "off" refuses what it would have to ask for. Default "on-miss".',
    ),
  allow: texts()
    .optional()
    .describe(
      'Commands that need no approval, such as "git status" or "ls *": words, and "*" at the end for any more.',
    ),
  env: texts().optional().describe('Environment variables that commands are given, besides the harmless ones.'),
  timeoutSeconds: wholeNumber(1, 86_400).optional().describe('The longest that a command may take. Default 120.'),
  timeoutSec: wholeNumber(1, 86_400).optional().describe('The same, as OpenClaw writes it.'),
  maxOutputChars: wholeNumber(1_000, 1_000_000)
    .optional()
    .describe('What the agent reads of the output; all of it is in a file. Default 20000.'),
  host: text()
    .optional()
    .describe('Where commands run. Atrium has only the machine of the gateway; with another place they are refused.'),
  strictInlineEval: flag().optional().describe('With it, security "full" is read as "allowlist". Default false.'),
  applyPatch: shared({
    enabled: flag().optional().describe('Whether the tool apply_patch is available. Default true.'),
  }).optional(),
});

const agentTools = {
  ...toolLists,
  byProvider: recordOf(shared(toolLists)).optional(),
  exec: execTool.optional(),
  sandbox: shared({ tools: shared(toolLists).optional() })
    .optional()
    .describe('The tools of sessions that a sandbox was asked for.'),
  toolsBySender: recordOf(anyObject())
    .optional()
    .describe('Atrium does not tell senders apart; with it, commands and writing tools are refused.'),
};

/** Atrium has no sandbox. The mode is read in order to refuse what should have run in one. */
const sandbox = shared({
  mode: oneOf(['off', 'non-main', 'all'])
    .optional()
    .describe('Which sessions should have run in a sandbox; there, commands and writing tools are refused.'),
});
const skillNames = () => texts().optional().describe('Only these skills are listed in the prompt. Default: all.');

const agentBudget = {
  bootstrapMaxChars: positive().optional().describe('Characters that one bootstrap file may bring. Default 12000.'),
  bootstrapTotalMaxChars: positive()
    .optional()
    .describe('Characters that all bootstrap files together may bring. Default 60000.'),
  bootstrapMaxTokens: positive()
    .optional()
    .describe('Tokens, as estimated, that all bootstrap files together may bring. Default: no such limit.'),
  contextInjection: oneOf(CONTEXT_INJECTION_MODES)
    .optional()
    .describe('When bootstrap files enter the prompt. Default "always".'),
  heartbeat: heartbeat.optional(),
};

const modelPhrase = 'a model such as "anthropic/claude-sonnet-4-5", or an object with "primary" and "fallbacks"';
const modelChoice = z.union(
  [filledText(modelPhrase), shared({ primary: filledText().optional(), fallbacks: texts().optional() })],
  { error: modelPhrase },
);

const compaction = shared({
  enabled: flag().optional().describe('Whether long conversations are summarised by themselves. Default true.'),
  threshold: z
    .number({ error: 'a number above 0 and below 1' })
    .gt(0, { error: 'a number above 0 and below 1' })
    .lt(1, { error: 'a number above 0 and below 1' })
    .optional()
    .describe("The share of the model's window at which summarising begins. Default 0.8."),
  keepRecentTokens: positive()
    .optional()
    .describe('How many recent tokens stay word for word. Default: a quarter of the window.'),
  mode: text().optional().describe("OpenClaw's way of summarising; kept, and without effect."),
  model: filledText().optional().describe('The model that writes the summary. Default: the model of the run.'),
  timeoutSeconds: wholeNumber(1, 3_600).optional().describe('The longest that a summary may take. Default 120.'),
});

const agents = shared({
  defaults: shared({
    ...agentBudget,
    compaction: compaction.optional().describe('How long conversations are shortened.'),
    contextTokens: positive()
      .optional()
      .describe(
        'The window of models whose window is unknown, and the most that is used of every other window. Default 128000.',
      ),
    model: modelChoice
      .optional()
      .describe('The model and its fallbacks. Default: chosen by the API keys that are set.'),
    maxConcurrent: wholeNumber(1, 1_000).optional().describe('Runs at the same time, one per session. Default 16.'),
    maxToolRounds: wholeNumber(1, 1_000)
      .optional()
      .describe('How often one run may go back to the model with tool results. Default 50.'),
    timeoutSeconds: wholeNumber(1, 604_800).optional().describe('The longest that one run may take. Default 600.'),
    workspace: text().optional().describe("The default agent's workspace."),
    bootstrapPromptTruncationWarning: oneOf(TRUNCATION_WARNING_MODES)
      .optional()
      .describe('When the agent is told that files were cut. Default "always".'),
    userTimezone: text().optional().describe('The time zone of the people it talks to. Default: that of this machine.'),
    skipBootstrap: flag().optional().describe('Never create bootstrap files. Default false.'),
    sandbox: sandbox.optional(),
    skills: skillNames(),
    subagents: shared({
      maxSpawnDepth: z
        .unknown()
        .optional()
        .describe('How deep subagents may start others; what is not a number counts as 1.'),
    }).optional(),
  }).optional(),
  list: z
    .array(
      shared({
        ...agentBudget,
        id: text(),
        model: modelChoice.optional(),
        default: flag().optional(),
        name: text().optional(),
        workspace: text().optional(),
        agentDir: text().optional(),
        taxonomy: oneOf(['openclaw', 'openboa'])
          .optional()
          .describe('Which set of bootstrap files the agent has. Default "openclaw".'),
        skipBootstrap: flag().optional(),
        tools: shared(agentTools).optional().describe('The tools of this agent, instead of or besides "tools".'),
        compaction: compaction.optional(),
        sandbox: sandbox.optional(),
        skills: skillNames(),
      }),
      { error: 'a list of agents' },
    )
    .optional(),
});

const stability = oneOf(['static', 'session', 'run']);
const onError = oneOf(['skip', 'abort']);
const overrideMode = oneOf(['append', 'prepend', 'replace']);

const handlerSettings = {
  enabled: flag().optional(),
  priority: z.number({ error: 'a number' }).optional().describe('Lower runs first.'),
  onError: onError
    .optional()
    .describe('Whether a failure is reported and passed over, or ends the composition. Default "skip".'),
  timeoutMs: wholeNumber(1, 600_000)
    .optional()
    .describe('Milliseconds before the handler counts as failed. Default 5000.'),
};

/** The same settings are read from two places; entries of hook packs may carry more keys than these. */
function bundledHandlers<Common extends z.ZodRawShape>(policy: UnknownKeyPolicy, common: Common) {
  return {
    'global-files': section(policy, common)
      .optional()
      .describe('Prepends <state>/<NAME>.md to the files of every agent.'),
    'agent-overrides': section(policy, {
      ...common,
      override_dir: text().optional().describe('The folder with a folder per agent. Default <state>/agents.'),
      mode: z
        .union([overrideMode, recordOf(overrideMode)], {
          error: `${anyOf(overrideMode.options)}, or an object that gives one per file name`,
        })
        .optional()
        .describe('Default "append".'),
    }).optional(),
    'time-context': section(policy, {
      ...common,
      overnight_start: hour().optional().describe('Default 22.'),
      overnight_end: hour().optional().describe('Default 6.'),
      morning_end: hour().optional().describe('Default 9.'),
      texts: ours({ overnight: text().optional(), morning: text().optional() }).optional(),
      inline: flag()
        .optional()
        .describe('Leave the text where it was appended instead of below the cache boundary. Default false.'),
      file: filledText().optional().describe('The file that is appended to. Default AGENTS.md.'),
    }).optional(),
    'bootstrap-extra-files': section(policy, {
      ...common,
      paths: texts().optional(),
      patterns: texts().optional(),
      files: texts().optional(),
    }).optional(),
    'ci-mode': section(policy, { ...common, force: flag().optional(), text: text().optional() }).optional(),
  };
}

const DAY = 'mon|tue|wed|thu|fri|sat|sun';
const dayPhrase = 'a day such as "mon" or a span such as "mon-fri"';
const day = z.string({ error: dayPhrase }).regex(new RegExp(`^(?:${DAY})(?:-(?:${DAY}))?$`), { error: dayPhrase });
const hoursPhrase = 'hours such as "22-6", from 0 to 24 and not equal';
const hours = z
  .string({ error: hoursPhrase })
  .regex(/^(?:[01]?\d|2[0-3])-(?:[01]?\d|2[0-4])$/, { error: hoursPhrase })
  .refine((span) => Number(span.split('-')[0]) !== Number(span.split('-')[1]), { error: hoursPhrase });

/** This object is strict, unlike all others: a misspelt condition would be ignored, and the rule would always hold. */
const condition = z.strictObject(
  {
    agent: oneOrMore(filledText(), 'an agent id').optional(),
    sessionType: oneOrMore(oneOf(SESSION_TYPES), anyOf(SESSION_TYPES)).optional(),
    channel: oneOrMore(filledText(), 'a channel name').optional(),
    channelId: oneOrMore(filledText(), 'a channel id').optional(),
    hours: oneOrMore(hours, hoursPhrase).optional(),
    days: oneOrMore(day, dayPhrase).optional(),
    weekend: flag().optional(),
    env: z
      .record(z.string(), z.union([z.string(), z.boolean()], { error: 'text, or true (set), or false (not set)' }), {
        error: 'an object',
      })
      .optional(),
  },
  { error: 'an object of conditions' },
);

const rule = ours({
  id: filledText(),
  file: filledText(),
  mode: oneOf(['append', 'prepend', 'replace', 'add', 'remove']).optional().describe('Default "append".'),
  text: text().optional(),
  from: filledText().optional().describe('A file whose text is used.'),
  when: condition.optional().describe('All conditions must hold; without conditions the rule always holds.'),
  priority: z.number({ error: 'a number' }).optional(),
  stability: stability.optional(),
  enabled: flag().optional(),
}).superRefine((value, context) => {
  const given = [value.text, value.from].filter((each) => each !== undefined).length;
  const wanted = value.mode === 'remove' ? 0 : 1;
  if (given === wanted) return;
  context.addIssue({
    code: 'custom',
    message: wanted === 0 ? 'neither "text" nor "from" with mode "remove"' : 'exactly one of "text" and "from"',
    params: {
      found:
        given === 0
          ? 'a rule without "text" and "from"'
          : given === 1
            ? 'a rule with text to add'
            : 'a rule with both "text" and "from"',
    },
  });
});

const isolation = oneOf(['worker', 'inline']).describe(
  'Where its code runs: in the plugin worker (the default), or in the gateway itself, where it cannot be stopped.',
);

const handler = ours({
  ...handlerSettings,
  id: filledText(),
  path: filledText().describe('The module with the handler.'),
  export: filledText().optional().describe('The export to use. Default: the default export.'),
  description: text().optional(),
  stability: stability.optional(),
  isolation: isolation.optional(),
});

const bootstrap = ours({
  hooks: ours(bundledHandlers('warn', handlerSettings)).optional(),
  handlers: listWithUniqueIds(handler, 'a list of handlers').optional(),
  rules: listWithUniqueIds(rule, 'a list of rules').optional(),
  keep: z
    .array(z.string({ error: keepPhrase() }).regex(/^[^#]*\S[^#]*#\s*\S/, { error: keepPhrase() }), {
      error: 'a list of sections',
    })
    .optional()
    .describe('Sections that are never cut.'),
  priority: texts().optional().describe('File names; the first one is cut last.'),
  subagentFiles: texts().optional().describe('Files that subagents and cron jobs may read.'),
  sharedSurfaces: ours({
    withhold: texts()
      .optional()
      .describe('Files kept out of group and channel prompts, and from file tools there. Default MEMORY.md.'),
  }).optional(),
  allowedRoots: texts().optional().describe('Folders that links may point into, and whose files may be hard links.'),
  missingMarkers: oneOf(['required', 'all'])
    .optional()
    .describe('Which missing files leave a marker in the prompt. Default "required".'),
  policyDigest: flag().optional().describe('Whether a cut AGENTS.md keeps a digest of its rules. Default true.'),
  sessionType: oneOf(SESSION_TYPES).optional().describe('Says what kind of session this installation runs.'),
});

const entrySettings = { ...handlerSettings, env: recordOf(text()).optional() };

const hooks = shared({
  internal: shared({
    enabled: flag().optional(),
    entries: z
      .object(bundledHandlers('warn-unless-shared', entrySettings), { error: 'an object' })
      .catchall(shared({ ...entrySettings, isolation: isolation.optional() }))
      .optional(),
    load: shared({ extraDirs: texts().optional() }).optional(),
    handlers: z
      .array(
        shared({
          event: text().optional(),
          module: text().optional(),
          export: text().optional(),
          isolation: isolation.optional(),
        }),
        { error: 'a list of handlers' },
      )
      .optional(),
    installs: recordOf(anyObject()).optional(),
  }).optional(),
  runBudgetMs: wholeNumber(1, 600_000)
    .optional()
    .describe('How long all handlers of one run may take together, gates and observers apart. Default 30000.'),
});

const pluginHooks = shared({
  timeoutMs: wholeNumber(1, 600_000).optional().describe('How long each of its handlers may take.'),
  timeouts: recordOf(wholeNumber(1, 600_000)).optional().describe('The same, by hook.'),
  allowConversationAccess: flag().optional().describe('Whether its handlers may read what is said. Default false.'),
  allowPromptInjection: flag().optional().describe('Whether it may add to prompts. Default true.'),
});

const plugins = shared({
  enabled: flag().optional().describe('Whether plugins load at all. Default true.'),
  allow: texts().optional().describe('When there are any, only these plugins load.'),
  deny: texts().optional().describe('Plugins that never load.'),
  load: shared({
    paths: texts().optional().describe('Files and folders with plugins.'),
  }).optional(),
  slots: shared({
    memory: text().optional().describe('The plugin that provides memory, or "none".'),
  }).optional(),
  entries: recordOf(
    shared({
      enabled: flag().optional(),
      required: flag().optional().describe('Whether no run may start while it is not loaded. Default false.'),
      isolation: oneOf(['worker', 'inline'])
        .optional()
        .describe('Where it runs. Default "worker", where it can be stopped when it hangs.'),
      config: anyObject().optional().describe("The plugin's own settings."),
      hooks: pluginHooks.optional(),
    }),
  ).optional(),
  installs: recordOf(anyObject()).optional(),
  worker: ours({
    memoryMb: wholeNumber(16, 65_536).optional().describe('The most memory of the plugin worker. Default 512.'),
    heartbeatMs: wholeNumber(100, 600_000)
      .optional()
      .describe('How long the plugin worker may be silent before it is started again. Default 1000.'),
  }).optional(),
});

const openboa = ours({
  root: text().optional().describe('The folder that holds agents/<id>/workspace. Default: the state directory.'),
  globalFiles: flag().optional().describe('Whether openboa agents get global files too. Default false.'),
});

const models = shared({
  providers: recordOf(
    shared({
      baseUrl: filledText().optional().describe('Where its API is, such as "http://127.0.0.1:11434/v1".'),
      apiKey: text().optional().describe('Better the name of an environment variable than the key itself.'),
      api: text()
        .optional()
        .describe('"anthropic-messages" or "openai-completions". Default: by the name of the provider.'),
      headers: recordOf(text()).optional(),
      timeoutSeconds: wholeNumber(1, 86_400)
        .optional()
        .describe('How long the model may stay silent before the call counts as failed. Default 120.'),
      request: recordOf(z.unknown())
        .optional()
        .describe('Requests go out directly, without a proxy; where it is set, the gateway is not started.'),
      models: z
        .array(
          shared({
            id: filledText(),
            contextWindow: positive().optional().describe('In tokens.'),
            maxTokens: positive().optional().describe('The most tokens of one answer.'),
            cost: shared({
              input: price().optional(),
              output: price().optional(),
              cacheRead: price().optional(),
              cacheWrite: price().optional(),
            })
              .optional()
              .describe('Prices per million tokens, in a currency of your choice.'),
          }),
          { error: 'a list of models' },
        )
        .optional(),
    }),
  ).optional(),
});

const resetRule = shared({
  mode: oneOf(['daily', 'idle', 'never']).optional(),
  atHour: hour().optional().describe('For "daily": the hour at which sessions roll over. Default 4.'),
  idleMinutes: wholeNumber(1, 5_256_000).optional().describe('Sessions silent for longer roll over.'),
});

const sendAction = oneOf(['allow', 'deny']);
const sendPolicy = shared({
  default: sendAction.optional().describe('What holds where no rule is about the session. Default "allow".'),
  rules: z
    .array(
      shared({
        action: sendAction,
        match: shared({
          channel: text().optional(),
          chatType: text().optional().describe('"direct" (or "dm"), "group" or "channel".'),
          keyPrefix: text().optional().describe('How the session key begins, with or without its agent.'),
          rawKeyPrefix: text().optional().describe('How the whole session key begins.'),
        }).optional(),
      }),
      { error: 'a list of rules' },
    )
    .optional(),
});

const session = shared({
  dmScope: oneOf(['main', 'per-peer', 'per-channel-peer', 'per-account-channel-peer'])
    .optional()
    .describe('How far direct messages are kept apart. Default "per-channel-peer": one session per sender.'),
  scope: oneOf(['per-sender', 'global']).optional(),
  mainKey: text().optional(),
  identityLinks: recordOf(texts()).optional().describe('People by name, with the addresses under which they write.'),
  idleMinutes: wholeNumber(1, 5_256_000).optional(),
  sendPolicy: sendPolicy.optional().describe('In which sessions answers are sent. Default: in all.'),
  reset: resetRule.optional().describe('When a session ends by itself. Default: never.'),
  resetByType: shared({
    direct: resetRule.optional(),
    dm: resetRule.optional(),
    group: resetRule.optional(),
    thread: resetRule.optional(),
  }).optional(),
  resetByChannel: recordOf(resetRule).optional(),
  pins: texts()
    .optional()
    .describe('What every summary must keep: facts in words, and sections such as "AGENTS.md#Safety".'),
});

const bindings = z.array(
  shared({
    agentId: filledText('an agent id'),
    match: shared({
      channel: filledText('a channel name'),
      accountId: text().optional().describe('"*" for every account; without it, the default account.'),
      peer: shared({ kind: oneOf(['direct', 'dm', 'group', 'channel']), id: filledText() }).optional(),
    }),
  }),
  { error: 'a list of bindings' },
);

const gateway = shared({
  port: wholeNumber(0, 65_535).optional().describe('Default 18790; 0 takes any free one.'),
  bind: text().optional().describe('The address to listen on. Default "loopback".'),
  customBindHost: text().optional().describe('The address that bind "custom" stands for.'),
  auth: shared({
    token: text().optional(),
    mode: text()
      .optional()
      .describe('Callers need the token. A gateway that should know them otherwise is not started.'),
    password: z.unknown().optional().describe('Without "mode" it asks for passwords; then the gateway is not started.'),
  })
    .optional()
    .describe('Without a token here, one is made at first start.'),
  tls: shared({
    enabled: flag().optional().describe('The gateway speaks plain HTTP; with true it is not started.'),
  }).optional(),
  controlUi: shared({
    enabled: flag().optional().describe('Whether the page is served. Default true.'),
    allowedOrigins: texts().optional().describe('The same as "gateway.allowedOrigins", as OpenClaw writes it.'),
  }).optional(),
  http: shared({
    endpoints: shared({
      chatCompletions: shared({
        enabled: flag().optional().describe('Whether POST /v1/chat/completions is there. Default true.'),
      }).optional(),
    }).optional(),
  }).optional(),
  allowedOrigins: texts().optional().describe('Browser origins besides its own that may call it.'),
  drainSeconds: wholeNumber(0, 3_600).optional().describe('How long a stop waits for running work. Default 20.'),
});

const delivery = ours({
  ttlMinutes: wholeNumber(1, 525_600)
    .optional()
    .describe('An answer older than this is not sent any more but kept as a dead letter. Default 1440.'),
  maxAttempts: wholeNumber(1, 1_000).optional().describe('Tries before a part becomes a dead letter. Default 8.'),
});

const recorder = ours({
  trajectory: ours({
    enabled: flag().optional().describe('Default true.'),
    dir: text().optional().describe('Default <state>/logs/trajectory.'),
    maxBytes: wholeNumber(1_024, 10_737_418_240).optional().describe('The most of one session. Default 10 MiB.'),
  }).optional(),
  captures: ours({
    maxBytes: wholeNumber(0, 1_099_511_627_776)
      .optional()
      .describe('The most of all requests together. Default 256 MiB.'),
    maxDays: wholeNumber(0, 36_500).optional().describe('Older requests are forgotten. Default 30.'),
  }).optional(),
});

const tools = shared({
  ...agentTools,
  subagents: shared({ tools: shared(toolLists).optional() }).optional(),
  sessions: shared({
    visibility: oneOf(['self', 'tree', 'agent', 'all'])
      .optional()
      .describe(
        'Which sessions the session tools show: only the asking one ("self", the default), or all of its agent ("agent").',
      ),
  }).optional(),
  web: shared({
    fetch: shared({
      enabled: flag().optional().describe('Whether the tool web_fetch is available. Default true.'),
      allowHosts: texts()
        .optional()
        .describe('Hosts that may be fetched although their addresses are private, such as "wiki.lan".'),
      maxBytes: wholeNumber(1_024, 104_857_600).optional().describe('The most of one answer. Default 5 MiB.'),
      maxChars: wholeNumber(100, 1_000_000)
        .optional()
        .describe('How many characters of it the agent reads. Default 50000.'),
      timeoutSeconds: wholeNumber(1, 600).optional().describe('Default 30.'),
    }).optional(),
  }).optional(),
});

const approvals = shared({
  ttlMinutes: wholeNumber(1, 525_600).optional().describe('How long an approval waits for an answer. Default 30.'),
  timeoutBehavior: oneOf(['deny', 'allow'])
    .optional()
    .describe('The decision when an approval gets no answer in time. Default "deny".'),
  approvers: texts()
    .optional()
    .describe('Who may answer in a group or channel, as "channel:sender", such as "discord:4711". Default: no one.'),
});

const mcp = shared({
  servers: recordOf(
    shared({
      enabled: flag().optional().describe('Default true.'),
      command: filledText().optional().describe('The program of a server that speaks over its standard streams.'),
      args: texts().optional(),
      env: recordOf(text()).optional().describe('Its environment, besides the harmless variables.'),
      cwd: text().optional(),
      url: filledText().optional().describe('Where a server speaks streamable HTTP.'),
      headers: recordOf(text()).optional(),
      startSeconds: wholeNumber(1, 600).optional().describe('How long it may take to begin. Default 20.'),
      timeoutSeconds: wholeNumber(1, 3_600).optional().describe('How long one call may take. Default 60.'),
    }),
  ).optional(),
});

const skills = shared({
  entries: recordOf(
    shared({
      enabled: flag().optional().describe('Whether the skill is listed in the prompt. Default true.'),
      env: recordOf(text()).optional().describe('Variables that count as set when a skill requires them.'),
      apiKey: z.unknown().optional().describe('The same for the variable that the skill names as its main one.'),
    }),
  ).optional(),
});

/** Requests cannot go through a proxy. The switch is read in order to refuse the start. */
const proxy = shared({
  enabled: flag().optional().describe('Requests go out directly; with true the gateway is not started.'),
});

const cron = shared({
  enabled: flag().optional().describe('Whether jobs run. Default true.'),
  missed: oneOf(['catch-up', 'skip'])
    .optional()
    .describe(
      'What happens to slots that passed while the gateway was down. Default "catch-up": one run makes up for all.',
    ),
});

export const configSchema = shared({
  acceptUnused: texts()
    .optional()
    .describe('Settings of OpenClaw whose missing effect is accepted, such as "agents.defaults.sandbox".'),
  agents: agents.optional(),
  approvals: approvals.optional(),
  bindings: bindings.optional(),
  bootstrap: bootstrap.optional(),
  cron: cron.optional(),
  delivery: delivery.optional(),
  gateway: gateway.optional(),
  hooks: hooks.optional(),
  mcp: mcp.optional(),
  models: models.optional(),
  openboa: openboa.optional(),
  plugins: plugins.optional(),
  proxy: proxy.optional(),
  recorder: recorder.optional(),
  session: session.optional(),
  skills: skills.optional(),
  tools: tools.optional(),
});

/** A validated configuration. Keys that the schema does not list are kept as unknown values. */
export type Config = z.infer<typeof configSchema>;

/** Top-level sections whose values are checked and whose variables must be set. Other sections are only kept. */
export const USED_SECTIONS: readonly string[] = Object.keys(configSchema.shape);

/** Returns the schema as JSON Schema, for editors and forms. */
export function configJsonSchema(): Record<string, unknown> {
  return { ...z.toJSONSchema(configSchema, { io: 'input', unrepresentable: 'any' }), title: 'Atrium configuration' };
}

function keepPhrase(): string {
  return 'a section such as "AGENTS.md#Safety"';
}

function listWithUniqueIds<Item extends z.ZodType<{ id: string }>>(item: Item, error: string) {
  return z.array(item, { error }).superRefine((items, context) => {
    items.forEach(({ id }, index) => {
      const first = items.findIndex((other) => other.id === id);
      if (first === index) return;
      context.addIssue({
        code: 'custom',
        path: [index, 'id'],
        message: `an id that entry ${first} of the list does not have`,
      });
    });
  });
}
