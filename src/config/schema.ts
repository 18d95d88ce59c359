// The settings that Atrium reads, as one schema: the type, the checks and the exported JSON Schema are made from it.
// Everything else in a file is kept as it is. The error of each leaf is the phrase that completes "expected …"; the
// schema does not know where a value was found. The schema sets no defaults, so a home without a configuration never
// loads zod.

import { z } from 'zod';
import { problemOfRedactPattern } from '../protocol/redact-pattern.ts';
import { SESSION_TYPES } from '../protocol/session-type.ts';
import { SPEND_PERIODS } from '../protocol/spend-limit.ts';
import { TRUNCATION_WARNING_MODES } from './bootstrap-limits.ts';
import { discordSection } from './channels/discord.ts';
import { slackSection } from './channels/slack.ts';
import { telegramSection } from './channels/telegram.ts';
import { CONTEXT_INJECTION_MODES } from './context-injection.ts';
import {
  anyObject,
  anyOf,
  clockTime,
  filledText,
  flag,
  hour,
  nodeName,
  numberWithin,
  oneOf,
  oneOrMore,
  ours,
  positive,
  price,
  recordOf,
  secret,
  section,
  shared,
  text,
  texts,
  type UnknownKeyPolicy,
  wholeNumber,
} from './schema-kinds.ts';

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
  directPolicy: oneOf(['allow', 'block'])
    .optional()
    .describe('With "block", an answer is never sent to a direct conversation. Default "allow".'),
  to: text().optional().describe('The person or place, where "target" is the name of a channel, such as "telegram".'),
  accountId: text().optional().describe('The account of that channel. Default: its default one.'),
  agentId: text()
    .optional()
    .describe('Under "defaults": the agent that has heartbeats where no agent has settings for them.'),
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
  mode: oneOf(['deny', 'allowlist', 'ask', 'auto', 'full'])
    .optional()
    .describe(
      'Both of them in one word, as newer versions of OpenClaw write it: "allowlist" refuses what no rule allows, "ask" and "auto" ask for it, "full" asks for nothing.',
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
    allowModels: texts()
      .optional()
      .describe('Only these models have apply_patch, such as "gpt-5" or "openai/gpt-5". Default: all.'),
  }).optional(),
});

const messageTool = shared({
  allowCrossContextSend: flag().optional().describe('An older way to write crossContext.allowAcrossProviders.'),
  actions: shared({
    allow: texts().optional().describe('The only actions of the message tool. Default: all.'),
  }).optional(),
  crossContext: shared({
    allowWithinProvider: flag()
      .optional()
      .describe('Whether the message tool may act in another conversation of the same channel. Default true.'),
    allowAcrossProviders: flag()
      .optional()
      .describe('Whether it may act in a conversation of another channel. Default false.'),
  }).optional(),
});

const loopCount = () => wholeNumber(1, 1_000_000).optional();
const loopDetection = shared({
  enabled: flag().optional().describe('Whether tool calls that go in a circle are noticed. Default false.'),
  historySize: loopCount().describe('How many of the last calls of a run count. Default 30.'),
  warningThreshold: loopCount().describe('From so many equal calls on, the log says so. Default 10.'),
  criticalThreshold: loopCount().describe(
    'From so many calls with the same result on, further ones are refused. Default 20.',
  ),
  globalCircuitBreakerThreshold: loopCount().describe('The same, whatever detectors are off. Default 30.'),
  unknownToolThreshold: loopCount().describe(
    'From so many calls of a tool that does not exist on, further ones are refused. Default 10.',
  ),
  detectors: shared({
    genericRepeat: flag().optional().describe('Equal calls. Default true.'),
    knownPollNoProgress: flag().optional().describe('Calls that ask how a command is going. Default true.'),
    pingPong: flag().optional().describe('Two calls in turns. Default true.'),
  }).optional(),
});

const agentTools = {
  ...toolLists,
  byProvider: recordOf(shared(toolLists)).optional(),
  exec: execTool.optional(),
  loopDetection: loopDetection.optional(),
  message: messageTool.optional(),
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

const spendPhrase = 'a list of limits such as { per: "day", money: 5 }';
const onReachedPhrase = '"refuse", or an object with the "model" that answers instead';
/** Strict like a condition of a rule: a limit that does not say what its operator meant would not protect. */
const spendLimit = z
  .strictObject(
    {
      agent: filledText().optional().describe('Only this agent; "*" for each agent. Default: all together.'),
      session: filledText().optional().describe('Only this session key; "*" for each session. Default: all together.'),
      sender: filledText()
        .optional()
        .describe('Only this person, as "channel:sender"; "*" for each person. Default: all together.'),
      per: oneOf(SPEND_PERIODS).describe('When it begins anew.'),
      money: z
        .number({ error: moneyPhrase() })
        .positive({ error: moneyPhrase() })
        .max(1_000_000, { error: moneyPhrase() })
        .optional()
        .describe('In the currency of the prices under models.providers.'),
      tokens: wholeNumber(1, 1_000_000_000_000).optional().describe('Input and output together.'),
      onReached: z
        .union([z.literal('refuse'), z.strictObject({ model: filledText() })], { error: onReachedPhrase })
        .optional()
        .describe('What happens to a call for which there is no room. Default "refuse".'),
      warnAt: z
        .number({ error: 'a number above 0 and up to 1' })
        .positive({ error: 'a number above 0 and up to 1' })
        .max(1, { error: 'a number above 0 and up to 1' })
        .optional()
        .describe('The share at which the operator is told. Default 0.8.'),
      unknownPrice: oneOf(['refuse', 'allow'])
        .optional()
        .describe('What happens under a limit in money to a call whose price is not known. Default "refuse".'),
    },
    { error: 'a limit such as { per: "day", money: 5 }' },
  )
  .superRefine((limit, context) => {
    const say = (message: string, found: string) => context.addIssue({ code: 'custom', message, params: { found } });
    if (limit.money === undefined && limit.tokens === undefined)
      say('"money", "tokens" or both', 'a limit without an amount');
    if (limit.per === 'session' && limit.session !== undefined && limit.session !== '*')
      say('no "session" but "*" with per "session", which counts each session for itself', 'a limit for one session');
  });

const limits = ours({
  spend: z
    .array(spendLimit, { error: spendPhrase })
    .superRefine((all, context) => {
      const scopeOf = ({ agent, session, sender, per }: (typeof all)[number]) =>
        JSON.stringify([agent, per === 'session' ? '*' : session, sender, per]);
      all.forEach((limit, index) => {
        const first = all.findIndex((other) => scopeOf(other) === scopeOf(limit));
        if (first === index) return;
        context.addIssue({
          code: 'custom',
          path: [index],
          message: `a limit for others, or for another period, than entry ${first} of the list`,
          params: { found: 'a second limit for the same' },
        });
      });
    })
    .optional()
    .describe('What model calls may cost, by agent, session, sender, day and month. Default: no limit.'),
  answerTokens: wholeNumber(1, 1_000_000)
    .optional()
    .describe(
      'How many tokens are reserved for an answer of a model without "maxTokens", while there is a limit. Default 16000.',
    ),
});

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

const agentSubagents = {
  allowAgents: texts()
    .optional()
    .describe('The agents that may be spawned besides the own one; "*" means all of them. Default: none.'),
  requireAgentId: flag().optional().describe('Whether a call must name the agent. Default false.'),
  model: modelChoice.optional().describe("The model of an agent's runs as a subagent. Default: its own model."),
};

const announceTimeoutMs = wholeNumber(1, 604_800_000)
  .optional()
  .describe("The longest that a parent's run about the result of a child may take. Default: as any run.");

const modelPolicy = shared({
  allow: texts()
    .optional()
    .describe(
      'The models that may be chosen with /model, on the page, by jobs and by agents: "provider/model", an alias, or "provider/*". Default: any.',
    ),
});

const mentionPatterns = () =>
  texts()
    .optional()
    .describe('Patterns of names by which a message of a group speaks to the agent, besides a mention of the bot.');

const answerTokens = () => wholeNumber(1, 100_000_000).optional();

const modelParams = shared({
  temperature: numberWithin(0, 2).optional().describe('Left out for models that do not take one.'),
  topP: numberWithin(0, 1).optional().describe('The same for "top_p".'),
  maxTokens: answerTokens().describe('The most tokens of one answer. Default: maxTokens of the model.'),
  max_completion_tokens: answerTokens().describe('Another name of maxTokens.'),
  max_tokens: answerTokens().describe('Another name of maxTokens.'),
});

const agentSettings = {
  groupChat: shared({ mentionPatterns: mentionPatterns() }).optional(),
  ...agentBudget,
  model: modelChoice.optional(),
  modelPolicy: modelPolicy.optional().describe('The same as in "defaults", for this agent.'),
  params: modelParams.optional().describe('How its models are asked, before what "defaults" says.'),
  default: flag().optional(),
  name: text().optional().describe('What people call it; shown beside its id.'),
  identity: shared({
    name: text().optional().describe('The same, before "name"; in a group it is also what speaks to the agent.'),
    emoji: text().optional().describe('Its sign, shown before the name.'),
  }).optional(),
  workspace: text().optional(),
  node: nodeName()
    .optional()
    .describe('Of several nodes, the one that has the workspace of this agent; its runs go there.'),
  agentDir: text().optional(),
  taxonomy: oneOf(['openclaw', 'openboa'])
    .optional()
    .describe('Which set of bootstrap files the agent has. Default "openclaw".'),
  skipBootstrap: flag().optional(),
  tools: shared(agentTools).optional().describe('The tools of this agent, instead of or besides "tools".'),
  compaction: compaction.optional(),
  sandbox: sandbox.optional(),
  skills: skillNames(),
  subagents: shared(agentSubagents).optional(),
};

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
    mediaMaxMb: positive()
      .optional()
      .describe(
        'The largest file that a message may bring, in megabytes; all files of a message have twice that. Default 10.',
      ),
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
      ...agentSubagents,
      maxSpawnDepth: z
        .unknown()
        .optional()
        .describe('How deep subagents may start others; what is not a number counts as 1.'),
      maxChildrenPerAgent: wholeNumber(1, 1_000)
        .optional()
        .describe('How many children of one session may be at work at the same time. Default 5.'),
      maxConcurrent: wholeNumber(1, 1_000)
        .optional()
        .describe('Runs of subagents at the same time; they take no slot of other sessions. Default 8.'),
      runTimeoutSeconds: wholeNumber(0, 604_800)
        .optional()
        .describe('How long a child may take from its start, if the call does not say it. Default 0: no such limit.'),
      announceTimeoutMs,
    }).optional(),
    params: modelParams.optional().describe('How models are asked. A wish of an API client wins.'),
    models: recordOf(
      shared({
        alias: text().optional().describe('Another name for the model, such as "opus".'),
        params: modelParams.optional().describe('How this model is asked, before "params" of all.'),
      }),
    )
      .optional()
      .describe(
        'Models by "provider/model" or "provider/*", with the names that people call them by. Without modelPolicy, only these may be chosen.',
      ),
    modelPolicy: modelPolicy.optional(),
    systemAgent: shared({ agentId: text().optional() })
      .optional()
      .describe('The agent that is the default one where none is marked.'),
    subagent: shared({ announceTimeoutMs }).optional().describe('The same as "subagents", for this one key.'),
  }).optional(),
  list: z.array(shared({ ...agentSettings, id: text() }), { error: 'a list of agents' }).optional(),
  entries: z
    .record(z.string(), shared(agentSettings), { error: 'an object with agents by their ids' })
    .optional()
    .describe('Agents by their ids, as OpenClaw writes them since the summer of 2026; the same as "list".'),
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

const webhookMapping = shared({
  id: text().optional(),
  match: shared({ path: text().optional(), source: text().optional() }).optional(),
  action: oneOf(['wake', 'agent']).optional(),
  wakeMode: oneOf(['now', 'next-heartbeat']).optional(),
  name: text().optional(),
  agentId: text().optional(),
  sessionKey: text().optional(),
  sessionMode: oneOf(['isolated', 'persistent']).optional(),
  messageTemplate: text().optional(),
  textTemplate: text().optional(),
  forEach: text()
    .regex(/^(?!__proto__$|constructor$|prototype$)[^.[\]]+$/, { error: 'the name of a field of the body' })
    .optional(),
  deliver: flag().optional(),
  channel: text().optional(),
  to: text().optional(),
  model: text().optional(),
  timeoutSeconds: wholeNumber(1, 86_400).optional(),
  allowUnsafeExternalContent: flag().optional(),
  transform: shared({ module: text().optional(), export: text().optional() }).optional(),
});

const hooks = shared({
  enabled: flag().optional().describe('Whether other programs may start runs by webhooks. Default false.'),
  token: text().optional().describe('The token of webhooks. It is not the one of the gateway.'),
  path: text().optional().describe('The path below which webhooks are. Default "/hooks".'),
  maxBodyBytes: wholeNumber(1, 33_554_432).optional().describe('The largest body of a webhook. Default 262144.'),
  allowedAgentIds: texts().optional().describe('The agents that webhooks may reach. Default: every agent.'),
  defaultSessionKey: text().optional().describe('The session of webhooks that name none. Default: a new one for each.'),
  allowRequestSessionKey: flag().optional().describe('Whether a request may choose its session. Default false.'),
  allowedSessionKeyPrefixes: texts().optional().describe('How session keys of webhooks must begin.'),
  presets: texts().optional().describe('Bundled mappings, which are tried last: "gmail".'),
  transformsDir: text()
    .optional()
    .describe('The folder of transforms. It must lie in `<state>/hooks/transforms`, which is the default.'),
  mappings: z.array(webhookMapping, { error: 'a list of mappings' }).optional().describe('What requests become.'),
  gmail: shared({
    model: text().optional(),
    allowUnsafeExternalContent: flag().optional(),
  }).optional(),
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

const auth = shared({
  order: recordOf(texts())
    .optional()
    .describe('For a provider, the profiles of auth-profiles.json that may be used, first choice first.'),
});

const store = shared({
  url: secret()
    .optional()
    .describe(
      'The Postgres database that everything is stored in: "postgres://user:password@host:5432/name". Default: a file in the state directory.',
    ),
  schema: text().optional().describe('The schema of the tables in that database. Default "atrium".'),
  node: nodeName()
    .optional()
    .describe('The name of this gateway among those that share the database. Default: the name of the host.'),
});

const secrets = shared({
  providers: recordOf(
    shared({
      source: text().optional().describe('"env", "file" or "exec".'),
      allowlist: texts().optional().describe('For "env": the variables that may be named.'),
      path: text().optional().describe('For "file": the file, which others must not be able to read.'),
      mode: text().optional().describe('For "file": "json", or "singleValue" when the file is the secret itself.'),
      command: text().optional().describe('For "exec": the program, as an absolute path.'),
      args: texts().optional(),
      passEnv: texts().optional().describe('For "exec": the variables that the program is given.'),
      env: recordOf(text()).optional().describe('For "exec": further variables for it.'),
      timeoutMs: positive().optional().describe('For "exec": how long it may take. Default 5000.'),
      maxOutputBytes: positive().optional().describe('For "exec": how much it may print. Default 1048576.'),
      jsonOnly: flag().optional().describe('For "exec": with false, it may print the secret as plain text.'),
      allowSymlinkCommand: flag().optional().describe('For "exec": whether the program may be a link.'),
      trustedDirs: texts().optional().describe('For "exec": the program must be in one of these folders.'),
      allowInsecurePath: flag().optional().describe('Whether other users may be able to get at the file or program.'),
    }),
  )
    .optional()
    .describe('Where references to secrets are looked up, by name.'),
  defaults: shared({ env: text().optional(), file: text().optional(), exec: text().optional() })
    .optional()
    .describe('The provider that a reference means when it names none.'),
});

const models = shared({
  providers: recordOf(
    shared({
      baseUrl: filledText().optional().describe('Where its API is, such as "http://127.0.0.1:11434/v1".'),
      apiKey: secret().optional().describe('Better a variable, or a reference to a secret, than the key itself.'),
      api: text()
        .optional()
        .describe(
          '"anthropic-messages", "openai-completions", "openai-responses" or "google-generative-ai". Default: by the name of the provider.',
        ),
      headers: recordOf(secret()).optional(),
      authHeader: flag()
        .optional()
        .describe('Whether the key is sent as "Authorization: Bearer", whatever the API has for it. Default false.'),
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
            api: text().optional().describe('As that of the provider, for this model alone.'),
            baseUrl: filledText().optional().describe('Where this model is, when it is elsewhere than its provider.'),
            contextWindow: positive().optional().describe('In tokens.'),
            maxTokens: positive().optional().describe('The most tokens of one answer.'),
            input: texts()
              .optional()
              .describe(
                'What it reads: ["text"], or ["text", "image"]. Default: known for the large families, else text.',
              ),
            cost: shared({
              input: price().optional(),
              output: price().optional(),
              cacheRead: price().optional(),
              cacheWrite: price().optional(),
              tieredPricing: z
                .array(
                  shared({
                    range: z.array(z.number({ error: 'a number of tokens' }), {
                      error: 'a list of one or two numbers',
                    }),
                    input: price().optional(),
                    output: price().optional(),
                    cacheRead: price().optional(),
                    cacheWrite: price().optional(),
                  }),
                  { error: 'a list of prices with their ranges' },
                )
                .optional()
                .describe('What a whole request costs whose input has that many tokens: range [from] or [from, to].'),
            })
              .optional()
              .describe(
                'Prices per million tokens, in a currency of your choice; cached tokens cost as other input unless said.',
              ),
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

const sessionAction = oneOf(['allow', 'deny']);
const sessionRules = shared({
  default: sessionAction.optional().describe('What holds where no rule is about the session. Default "allow".'),
  rules: z
    .array(
      shared({
        action: sessionAction,
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
  sendPolicy: sessionRules.optional().describe('In which sessions answers are sent. Default: in all.'),
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

const memory = shared({
  qmd: shared({
    scope: sessionRules
      .optional()
      .describe('In which sessions the agent has memory_search and memory_get. Default: in all.'),
  }).optional(),
});

const bindings = z.array(
  shared({
    agentId: filledText('an agent id'),
    match: shared({
      channel: filledText('a channel name'),
      accountId: text().optional().describe('"*" for every account; without it, the default account.'),
      peer: shared({ kind: oneOf(['direct', 'dm', 'group', 'channel']), id: filledText() }).optional(),
      guildId: text().optional().describe('A server of Discord.'),
      roles: texts().optional().describe('One of these roles of the sender on that server.'),
      teamId: text().optional().describe('A workspace of Slack.'),
    }),
  }),
  { error: 'a list of bindings' },
);

const gateway = shared({
  port: wholeNumber(0, 65_535).optional().describe('Default 18790; 0 takes any free one.'),
  bind: text().optional().describe('The address to listen on. Default "loopback".'),
  customBindHost: text().optional().describe('The address that bind "custom" stands for.'),
  auth: shared({
    token: secret().optional(),
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
    securityHeaders: shared({
      strictTransportSecurity: z
        .union([z.string().regex(/^[\x20-\x7e]*$/), z.literal(false)], { error: 'the text of a header, or false' })
        .optional()
        .describe('The header Strict-Transport-Security of every answer. Default: it is not sent.'),
    }).optional(),
    endpoints: shared({
      chatCompletions: shared({
        enabled: flag().optional().describe('Whether POST /v1/chat/completions is there. Default true.'),
      }).optional(),
      responses: shared({
        enabled: flag().optional().describe('Whether /v1/responses is there. Default true.'),
      }).optional(),
    }).optional(),
    clientTools: ours({
      timeoutSeconds: wholeNumber(1, 86_400)
        .optional()
        .describe('How long a run waits for the result of a tool that an API client runs. Default 600.'),
    }).optional(),
  }).optional(),
  allowedOrigins: texts().optional().describe('Browser origins besides its own that may call it.'),
  pictureHosts: z
    .array(z.string().regex(/^[\w.-]+(?::\d{1,5})?$/, 'the name of a host, such as pictures.example.org'))
    .optional()
    .describe(
      'Hosts whose pictures (https) the page loads without asking; they learn who reads what, and when. Default none.',
    ),
  drainSeconds: wholeNumber(0, 3_600).optional().describe('How long a stop waits for running work. Default 20.'),
});

const delivery = ours({
  ttlMinutes: wholeNumber(1, 525_600)
    .optional()
    .describe('An answer older than this is not sent any more but kept as a dead letter. Default 1440.'),
  maxAttempts: wholeNumber(1, 1_000).optional().describe('Tries before a part becomes a dead letter. Default 8.'),
});

/** An age limit that does not hold unless the operator sets it. */
function days(sentence: string) {
  return wholeNumber(0, 36_500).optional().describe(`${sentence} No limit by default.`);
}

function bytesOf(sentence: string) {
  return wholeNumber(0, 1_099_511_627_776).optional().describe(`${sentence} No limit by default.`);
}

const recorder = ours({
  enabled: flag()
    .optional()
    .describe(
      'False: no trajectories, no calls of hooks and no receipts. Requests are kept, because runs are taken up from them. Default true.',
    ),
  trajectory: ours({
    enabled: flag().optional().describe('Default true.'),
    dir: text().optional().describe('Default <state>/logs/trajectory.'),
    maxBytes: wholeNumber(1_024, 10_737_418_240).optional().describe('The most of one session. Default 10 MiB.'),
    maxTotalBytes: wholeNumber(0, 1_099_511_627_776)
      .optional()
      .describe('The most of all sessions together; the oldest go first. No limit by default.'),
    maxDays: wholeNumber(0, 36_500)
      .optional()
      .describe('Older trajectories are removed. Default: as for the requests.'),
  }).optional(),
  captures: ours({
    maxBytes: wholeNumber(0, 1_099_511_627_776)
      .optional()
      .describe('The most of all requests together. Default 256 MiB.'),
    maxDays: wholeNumber(0, 36_500).optional().describe('Older requests are forgotten. Default 30.'),
  }).optional(),
  hookRecords: ours({
    maxRows: wholeNumber(100, 10_000_000).optional().describe('How many calls are kept. Default 50000.'),
    maxBytes: bytesOf('The most of all calls of hooks together; the oldest go first.'),
    maxDays: days('Older calls of hooks are removed.'),
  }).optional(),
  messages: ours({
    maxBytes: bytesOf('The most of them together; the oldest go first, and a week is always kept.'),
    maxDays: days('What ended runs came from and the answers that were sent are removed; a week is always kept.'),
  }).optional(),
  approvals: ours({
    maxBytes: bytesOf('The most of all answers of people together; the oldest go first.'),
    maxDays: days('Older answers of people are removed.'),
  }).optional(),
  children: ours({
    maxDays: wholeNumber(0, 36_500)
      .optional()
      .describe('Rows of subagents whose session was deleted are removed. Default: as for the requests.'),
  }).optional(),
  usage: ours({
    maxBytes: bytesOf('The most of it together; the oldest go first, and 62 days are always kept.'),
    maxDays: days('Older usage and cost is removed; 62 days are always kept.'),
  }).optional(),
  transcripts: ours({
    maxBytes: bytesOf('The most of all transcripts together; those of sessions that ended first go first.'),
    maxDays: days('What was said in sessions that ended longer ago is removed.'),
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
      maxCharsCap: wholeNumber(1, 1_000_000).optional().describe('The same limit once more; the lower one counts.'),
      maxResponseBytes: wholeNumber(1, 1_073_741_824)
        .optional()
        .describe('The same as "maxBytes", as OpenClaw writes it; the lower one counts.'),
      maxRedirects: wholeNumber(0, 100).optional().describe('How many redirects are followed. Default 5, at most 20.'),
      timeoutSeconds: wholeNumber(1, 600).optional().describe('Default 30.'),
    }).optional(),
  }).optional(),
});

const accessGroups = recordOf(
  shared({
    type: text().optional().describe('"message.senders": a list of people. Other kinds admit no person.'),
    members: recordOf(ids()).optional().describe('The people by channel; those under "*" count on every channel.'),
  }),
);

const messages = shared({
  responsePrefix: text()
    .optional()
    .describe(
      'What stands before answers on chat platforms, such as "🦞", "[{model}]" or "auto" for the name of the agent. Default: nothing.',
    ),
  groupChat: shared({
    historyLimit: wholeNumber(0, 1_000)
      .optional()
      .describe('How many messages that did not speak to the agent it reads at the next one that does. Default 50.'),
    mentionPatterns: mentionPatterns(),
  }).optional(),
});

const commands = shared({
  allowFrom: recordOf(ids())
    .optional()
    .describe('Who may use commands in chat, by channel, or by "*" for the other channels. Default: everyone.'),
  ownerAllowFrom: ids()
    .optional()
    .describe('Who is the operator in their own direct conversation, as "channel:sender". Default: no one.'),
});

/** The texts directly under `env` are variables too; `shellEnv` is an object that is not read. */
const env = z
  .object(
    {
      vars: recordOf(text()).optional(),
      shellEnv: shared({
        enabled: flag()
          .optional()
          .describe('Whether a gateway reads missing keys from the login shell. Default false.'),
        timeoutMs: positive().optional().describe('How long the shell may take. Default 15000.'),
      }).optional(),
    },
    { error: 'an object' },
  )
  .catchall(z.union([text(), anyObject()], { error: 'text' }))
  .describe('Variables for models and tools; one that the process has keeps its value.');

const logLevel = () => oneOf(['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace']);

function redactPattern() {
  return z.string({ error: 'a regular expression' }).superRefine((pattern, context) => {
    const problem = problemOfRedactPattern(pattern);
    if (problem !== undefined)
      context.addIssue({ code: 'custom', message: `a regular expression that can be used: ${problem}` });
  });
}

const logging = shared({
  level: logLevel().optional().describe('Which lines the log file keeps. Default "info".'),
  file: text().optional().describe('The log file. Default <state>/logs/atrium.log.'),
  maxFileBytes: wholeNumber(65_536, 1_073_741_824)
    .optional()
    .describe('A larger log file is set aside; four of those are kept. Default 10 MiB.'),
  consoleLevel: logLevel().optional().describe('Which lines the gateway writes on standard error. Default "info".'),
  consoleStyle: oneOf(['pretty', 'compact', 'json'])
    .optional()
    .describe('How they look: with the time, without it, or as JSON. Default "pretty".'),
  redactPatterns: z
    .array(redactPattern(), { error: 'a list of patterns' })
    .max(32, { error: 'a list of at most 32 patterns' })
    .optional()
    .describe('What is hidden in logs and records besides what looks like a secret: regular expressions.'),
  redactSensitive: oneOf(['off', 'tools'])
    .optional()
    .describe('"off" switches "redactPatterns" off. What Atrium recognises as a secret is always hidden.'),
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
      connectionTimeoutMs: wholeNumber(1, 600_000)
        .optional()
        .describe('The same as startSeconds, as OpenClaw writes it.'),
      requestTimeoutMs: wholeNumber(1, 3_600_000)
        .optional()
        .describe('The same as timeoutSeconds, as OpenClaw writes it.'),
      toolFilter: shared({
        include: texts().optional().describe('Only these tools are offered: names, or globs such as "read_*".'),
        exclude: texts().optional().describe('These tools are not offered, also where "include" names them.'),
      }).optional(),
    }),
  ).optional(),
});

const skills = shared({
  load: shared({
    extraDirs: texts()
      .optional()
      .describe('Further folders of skills. Skills of the same name elsewhere go before them.'),
  }).optional(),
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

/** One section a chat platform; what their sections have in common is in `channels/channel-settings.ts`. */
const channels = shared({
  discord: discordSection.optional(),
  slack: slackSection.optional(),
  telegram: telegramSection.optional(),
});

const otel = shared({
  enabled: flag().optional().describe('Whether traces and metrics are sent to a collector. Default false.'),
  endpoint: filledText()
    .optional()
    .describe(
      'The address of the collector, such as "http://127.0.0.1:4318"; OTEL_EXPORTER_OTLP_ENDPOINT is read too.',
    ),
  tracesEndpoint: filledText().optional().describe('Another address for traces, with its whole path.'),
  metricsEndpoint: filledText().optional().describe('Another address for metrics, with its whole path.'),
  protocol: oneOf(['http/json', 'http/protobuf', 'grpc'])
    .optional()
    .describe('OTLP over HTTP as JSON, also for "http/protobuf". With "grpc" nothing is sent.'),
  headers: recordOf(text()).optional().describe('Headers of every request, such as a key.'),
  serviceName: filledText()
    .optional()
    .describe('The name of this gateway. Default "atrium"; OTEL_SERVICE_NAME is read too.'),
  traces: flag().optional().describe('Default true.'),
  metrics: flag().optional().describe('Default true.'),
  sampleRate: z
    .number({ error: 'a number from 0 to 1' })
    .min(0, { error: 'a number from 0 to 1' })
    .max(1, { error: 'a number from 0 to 1' })
    .optional()
    .describe('The share of traces that are sent. Default 1.'),
  flushIntervalMs: wholeNumber(100, 3_600_000).optional().describe('How often it is sent. Default 5000.'),
  captureContent: z
    .union(
      [
        flag(),
        shared({
          enabled: flag().optional().describe('Whether traces have words of people and models. Default false.'),
          inputMessages: flag().optional().describe('Default true.'),
          outputMessages: flag().optional().describe('Default true.'),
          systemPrompt: flag().optional().describe('Default true.'),
          toolInputs: flag().optional().describe('Default true.'),
          toolOutputs: flag().optional().describe('Default true.'),
        }),
      ],
      { error: 'true, false or an object' },
    )
    .optional()
    .describe('Whether traces have words of people and models, without what looks like a secret. Default false.'),
});

const diagnostics = shared({
  enabled: flag().optional().describe('With false nothing is sent to a collector. Default true.'),
  otel: otel.optional(),
  prometheus: shared({
    enabled: flag().optional().describe('Whether GET /metrics answers, with the token. Default false.'),
  }).optional(),
  cacheTrace: shared({
    enabled: flag()
      .optional()
      .describe('Whether a log says what a prompt cache depends on in each request. Default false.'),
    filePath: text().optional().describe('Default <state>/logs/cache-trace.jsonl.'),
    includeMessages: flag().optional().describe('Whether it has the texts of messages. Default true.'),
    includePrompt: flag().optional().describe('Whether it has the text of the prompt. Default true.'),
    includeSystem: flag().optional().describe('Whether it has the text of the system prompt. Default true.'),
  }).optional(),
});

export const configSchema = shared({
  acceptUnused: texts()
    .optional()
    .describe('Settings of OpenClaw whose missing effect is accepted, such as "agents.defaults.sandbox".'),
  accessGroups: accessGroups
    .optional()
    .describe('Groups of people that lists of channels name as "accessGroup:<name>".'),
  agents: agents.optional(),
  approvals: approvals.optional(),
  auth: auth.optional(),
  bindings: bindings.optional(),
  bootstrap: bootstrap.optional(),
  channels: channels.optional(),
  commands: commands.optional(),
  cron: cron.optional(),
  delivery: delivery.optional(),
  diagnostics: diagnostics.optional(),
  env: env.optional(),
  gateway: gateway.optional(),
  hooks: hooks.optional(),
  limits: limits.optional(),
  logging: logging.optional(),
  mcp: mcp.optional(),
  memory: memory.optional(),
  messages: messages.optional(),
  models: models.optional(),
  openboa: openboa.optional(),
  plugins: plugins.optional(),
  proxy: proxy.optional(),
  recorder: recorder.optional(),
  secrets: secrets.optional(),
  session: session.optional(),
  skills: skills.optional(),
  store: store.optional(),
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

function ids() {
  return z.array(z.union([text(), z.number()], { error: 'an id' }), { error: 'a list of ids' });
}

function moneyPhrase(): string {
  return 'a number above 0 and up to 1000000';
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
