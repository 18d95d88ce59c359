// The keys of OpenClaw's configuration and what Atrium makes of them, as one table. The block "found and not used", the
// page docs/openclaw-keys.md and the tests all read it. A row speaks for its path and for everything below it, unless a
// longer row does; a key that neither a row nor Atrium's own schema has is unknown. The table does not know the values
// that a person wrote, except those that ask for what Atrium does anyway.

import { docsCommand } from '../protocol/documents.ts';
import type { Danger, Gate } from '../protocol/unused-setting.ts';
import { portOfVariable } from './gateway-port.ts';
import { isLogOfOpenClaw } from './log-settings.ts';

export type OpenClawKey = UsedKey | DifferentKey | UnusedKey;

export interface UsedKey {
  readonly path: string;
  readonly state: 'used';
}

export interface DifferentKey {
  readonly path: string;
  readonly state: 'different';
  readonly sentence: string;
  /** Whether a value means something else here. Without it, every value does. */
  readonly when?: ((value: unknown, config: object, isFromOpenClaw: boolean) => boolean) | undefined;
}

export interface UnusedKey {
  readonly path: string;
  readonly state: 'unused';
  readonly danger: Danger;
  /** The consequence, as a full sentence. */
  readonly sentence: string;
  /** Values that ask for what happens anyway, or for nothing. */
  readonly except: readonly unknown[];
  readonly gate?: Gate | undefined;
  /** The name of another key. When that key is set, it decides, and this one asks for nothing. */
  readonly unlessSet?: string | undefined;
}

const NO_CHANNEL = 'Atrium has no such channel, so nothing is received or sent there.';

const ENV_DIFFERS =
  'For models, tools and MCP servers. Commands get those that tools.exec.env names, and plugins see only those of the process.';

const OWN_SKILLS_ONLY =
  'The skills that come with OpenClaw are not here; "atrium skills install" brings those that you use.';

const MODEL_PARAMS = 'maxTokens max_completion_tokens max_tokens temperature topP';

const NO_BATCHES = 'batched is read as off, because messages are not gathered into batches.';

const STILL_SENDS =
  'With false, agents neither edit nor delete messages there; they can still send some, which OpenClaw refuses too.';

const NO_MARKER = 'Posts into other conversations carry no marker, and there is no action that sends to all of them.';

export const OPENCLAW_KEYS: readonly OpenClawKey[] = withAgentsByName([
  // agents
  ...used(
    'agents.defaults',
    'bootstrapMaxChars bootstrapTotalMaxChars bootstrapPromptTruncationWarning contextTokens maxConcurrent mediaMaxMb',
    'model skipBootstrap timeoutSeconds userTimezone workspace',
  ),
  ...used(
    'agents.defaults.subagents',
    'allowAgents announceTimeoutMs maxChildrenPerAgent maxConcurrent maxSpawnDepth model requireAgentId',
    'runTimeoutSeconds',
  ),
  ...used('agents.list[].subagents', 'allowAgents model requireAgentId'),
  ...used('agents.list[]', 'agentDir bootstrapMaxChars bootstrapTotalMaxChars default id model name workspace'),
  ...used(
    'agents.{defaults,list[]}.heartbeat',
    'accountId ackMaxChars activeHours directPolicy every includeSystemPromptSection prompt to',
  ),
  ...used('agents.defaults', 'heartbeat.agentId systemAgent.agentId'),
  ...used('agents.defaults.compaction', 'enabled keepRecentTokens model timeoutSeconds'),
  ...used('agents.list[].tools', 'allow alsoAllow byProvider deny profile exec.ask exec.security exec.timeoutSec'),
  ...used('agents.list[].tools', 'exec.timeoutSeconds'),
  ...used('agents.list[].tools', 'exec.applyPatch.allowModels exec.applyPatch.enabled sandbox.tools'),
  ...different(
    'agents.{defaults,list[]}.skills',
    'It names skills of your folders and plugins; those that come with OpenClaw are not here, and "atrium skills list" says which are missing.',
    (value) => Array.isArray(value) && value.length > 0,
  ),
  ...different(
    'agents.{defaults,list[]}.contextInjection',
    'never keeps bootstrap files out of the prompt; continuation-skip is read as always.',
    isOneOf('continuation-skip'),
  ),
  ...different(
    'agents.{defaults,list[]}.heartbeat.target',
    'last, none or a surface such as cli:local; a channel that Atrium does not have gets nothing.',
    isNoneOf('last', 'none', 'telegram', 'discord', 'slack'),
  ),
  ...different(
    'agents.defaults.compaction.mode',
    'There is one way of making conversations shorter, in every mode.',
    isNoneOf('default'),
  ),
  ...protects(
    'agents.{defaults,list[]}.sandbox.mode',
    'Atrium has no sandbox: commands run on this machine, as the user of the gateway.',
    { except: ['off'], gate: 'tools' },
  ),
  ...harmless('agents.{defaults,list[]}.sandbox', 'There is no sandbox that it could describe.'),
  ...protects(
    'agents.list[].tools.toolsBySender',
    'What a sender may use is not told apart: every sender has the tools of the agent.',
    { gate: 'tools' },
  ),
  ...protects('agents.list[].tools.exec.host', 'Commands run on this machine, wherever they were meant to run.', {
    except: ['auto', 'gateway'],
    gate: 'tools',
  }),
  ...different(
    '{tools,agents.list[].tools}.exec.mode',
    'auto is read as ask: no model reviews commands, and a person is asked instead.',
    isOneOf('auto'),
  ),
  ...different(
    'agents.list[].tools.exec.strictInlineEval',
    'With it, security "full" is read as "allowlist": what no rule allows is asked for.',
    isOneOf(true),
  ),
  ...harmless('agents.list[].tools.fs', 'File tools never leave the workspace, whatever is set.'),
  ...harmless('agents.list[].tools.elevated', 'There is no sandbox that an elevated command would leave.'),
  ...harmless(
    'agents.list[].tools.exec.{safeBins,safeBinTrustedDirs,safeBinProfiles}',
    'A command that no rule of tools.exec.allow names is asked for.',
  ),
  ...missing('agents.list[].tools.exec', 'This setting of commands has no effect.'),
  ...used(
    'agents.list[].tools.message',
    'actions.allow allowCrossContextSend crossContext.allowAcrossProviders crossContext.allowWithinProvider',
  ),
  ...missing('agents.list[].tools.message', NO_MARKER),
  ...missing('agents.list[].tools.{codeMode,swarm,github}', 'Atrium has no such tool.'),
  ...missing('agents.list[].runtime', 'The agent is run by Atrium itself and by no other runtime.', {
    except: [{ type: 'embedded' }],
  }),
  ...missing(
    'agents.{defaults,list[]}.systemPromptOverride',
    'The prompt is composed from the workspace all the same.',
  ),
  ...missing('agents.list[].contextTokens', 'The window is that of agents.defaults.contextTokens.'),
  ...missing(
    'agents.list[].{groupChat,humanDelay,tts,memorySearch,models,runRetries,contextLimits}',
    'This setting of the agent has no effect.',
  ),
  ...missing(
    'agents.list[].{subagents,thinkingDefault,reasoningDefault,skillsLimits,experimental}',
    'This setting of the agent has no effect.',
  ),
  ...used('agents.list[].identity', 'emoji name'),
  ...harmless('agents.list[].identity', 'What an agent is like is said in its IDENTITY.md.'),
  ...missing('agents.list[].{agentRuntime,embeddedHarness,embeddedPi}', 'The agent is run by Atrium itself.'),
  ...harmless(
    'agents.list[].{description,fastModeDefault,toolProgressDetail,typingMode,verboseDefault}',
    'It changes what is shown, and not here.',
  ),
  ...missing(
    'agents.defaults.{cliBackends,agentRuntime,embeddedHarness,embeddedPi}',
    'Agents are run by Atrium itself, with a model over HTTP.',
  ),
  ...used('agents.defaults', 'models modelPolicy.allow'),
  ...used('agents.list[]', 'modelPolicy.allow'),
  ...used('agents.defaults.models.*', 'alias'),
  ...used('agents.defaults.models.*.params', MODEL_PARAMS),
  ...used('agents.{defaults,list[]}.params', MODEL_PARAMS),
  ...missing(
    '{agents.defaults.models.*,agents.defaults,agents.list[]}.params',
    'Of these parameters, models are asked with the temperature, topP and maxTokens only.',
  ),
  ...missing('agents.defaults.models.*', 'Models are asked with their own defaults.'),
  ...missing('agents.ownership', 'A message that no binding is about is answered by the default agent.'),
  ...missing(
    '{agents.defaults,agents.list[]}.{decisionModel,utilityModel}',
    'Each agent has one model, with its fallbacks.',
  ),
  ...missing('agents.defaults.{voiceModel,mediaModels}', 'Atrium has no tool for pictures, music, videos or speech.'),
  ...harmless('agents.defaults.modelSelectionScope', 'A model is chosen for one session.'),
  ...missing('{agents.defaults,agents.list[]}.embeddedAgent', 'Agents are run by Atrium itself.'),
  ...missing('{agents.defaults,agents.list[]}.cwd', 'Commands run in the workspace of the agent.'),
  ...missing('agents.defaults.{imageQuality,pdfMaxMb}', 'Images are sent as they came, and a PDF is described.'),
  ...missing('agents.list[].memory', 'Notes are searched by Atrium itself.'),
  ...harmless(
    'agents.defaults.authInheritance',
    `Keys are found for all agents as "${docsCommand('moving-in')}" says.`,
  ),
  ...harmless('agents.defaults.{fastModeDefault,sessionStore}', 'It is about how OpenClaw works inside.'),
  ...missing(
    'agents.defaults.{runRetries,thinkingDefault,reasoningDefault,promptOverlays}',
    'Models are asked with their own defaults.',
  ),
  ...missing(
    'agents.defaults.{memorySearch,contextLimits,contextPruning,startupContext}',
    'Atrium has its own rules for it.',
  ),
  ...missing(
    'agents.defaults.{imageModel,imageGenerationModel,musicGenerationModel,videoGenerationModel,pdfModel}',
    'Atrium has no tool for pictures, music, videos or PDF files.',
  ),
  ...missing('agents.defaults.subagents', 'This setting of subagents has no effect.'),
  ...missing('agents.{defaults,list[]}.heartbeat', 'This setting of heartbeats has no effect.'),
  ...missing('agents.defaults.compaction', 'This setting of compaction has no effect.'),
  ...missing('agents.defaults.{repoRoot,skipOptionalBootstrapFiles,silentReply}', 'It has no effect.'),
  ...harmless('agents.defaults.elevatedDefault', 'There is no sandbox that an elevated command would leave.'),
  ...harmless(
    'agents.defaults.{blockStreamingBreak,blockStreamingChunk,blockStreamingCoalesce,blockStreamingDefault}',
    'It is about how answers are shown, which Atrium does in its own way.',
  ),
  ...harmless(
    'agents.defaults.{envelopeElapsed,envelopeTimestamp,envelopeTimezone,humanDelay,toolProgressDetail,verboseDefault}',
    'It is about how messages are shown, which Atrium does in its own way.',
  ),
  ...harmless(
    'agents.defaults.{typingIntervalSeconds,typingMode,timeFormat,experimental}',
    'It is about how work is shown.',
  ),
  ...missing(
    'agents.defaults.{imageMaxDimensionPx,mediaGenerationAutoProviderFallback,pdfMaxBytesMb,pdfMaxPages}',
    'Images are sent as they came, and a PDF is described by its name, type and size.',
  ),

  // bindings and session
  ...used('bindings[]', 'agentId match.accountId match.channel match.guildId match.peer match.roles match.teamId'),
  ...missing('bindings[].{acp,session,type}', 'The binding chooses the agent and nothing else.', { except: ['route'] }),
  ...harmless('bindings[].comment', 'It is a note.'),
  ...used('session', 'dmScope idleMinutes identityLinks mainKey reset resetByChannel resetByType scope sendPolicy'),
  ...missing(
    'session.{agentToAgent,maintenance,store,threadBindings,writeLock,sharing,notifyOnCreate}',
    'Atrium keeps sessions in its own store, by its own rules.',
  ),
  ...missing('session.resetTriggers', 'A new session begins with /new or /reset, and with no other word.', {
    except: [['/new', '/reset'], ['/reset', '/new'], ['/new'], ['/reset']],
  }),
  ...missing('session.groupScope', 'Every group and channel has a session of its own.', { except: ['per-group'] }),
  ...harmless('session.{typingIntervalSeconds,typingMode}', 'It is about how work is shown.'),
  ...missing('{broadcast,acp}', 'One message goes to one agent, which Atrium runs itself.'),
  ...used('accessGroups.*', 'members type'),
  ...missing('accessGroups.*', 'Only groups of the type message.senders have members; others admit no person.'),

  // gateway
  ...used('gateway', 'bind customBindHost port controlUi.allowedOrigins controlUi.enabled'),
  ...used('gateway', 'http.endpoints.{chatCompletions,responses}.enabled http.securityHeaders.strictTransportSecurity'),
  ...different(
    'gateway.auth.token',
    'Text, a variable, or a reference to a file; a reference to a program is an error.',
    isReferenceTo('exec'),
  ),
  ...protects('gateway.auth.mode', 'Callers are known by a token and in no other way.', {
    except: ['token', 'none'],
    gate: 'start',
  }),
  ...protects('gateway.auth.password', 'Callers are known by a token, and the password opens nothing.', {
    gate: 'start',
    unlessSet: 'gateway.auth.mode',
  }),
  ...protects('gateway.tls.enabled', 'The gateway speaks plain HTTP; put a proxy with a certificate before it.', {
    except: [false],
    gate: 'start',
  }),
  ...harmless('gateway.tls', 'The gateway speaks plain HTTP.'),
  ...protects('gateway.auth.trustedProxy', 'A name that a proxy sends along is not believed; callers need the token.'),
  ...protects('gateway.{roles,auth.identityScopes}', 'There is one token, and a person who has it may do everything.'),
  ...missing('gateway.{publicOrigin,portals}', 'Nothing is published; gateway.allowedOrigins has names of the page.'),
  ...harmless('gateway.{terminal,cliAgents}', 'The page opens no terminal.'),
  ...harmless('gateway.auth.rateLimit', 'Wrong tokens are slowed down by a limit that cannot be set.'),
  ...harmless('gateway.auth.allowTailscale', 'Callers from a tailnet need the token as well.'),
  ...harmless('gateway.{trustedProxies,allowRealIpFallback}', 'The address of a caller gives it no rights.'),
  ...missing('gateway.tailscale.mode', 'Nothing is published in a tailnet.', { except: ['off'] }),
  ...harmless('gateway.tailscale', 'Nothing is published in a tailnet.'),
  ...missing('gateway.mode', 'A gateway is started here all the same.', { except: ['local'] }),
  ...missing('gateway.remote', 'Commands speak to the gateway of this machine.'),
  ...missing('gateway.http.endpoints.responses', 'Messages and files are taken within the limits of Atrium.'),
  ...missing('gateway.http.endpoints.chatCompletions', 'Messages are text, within the limits of Atrium.'),
  ...harmless('gateway.tools', 'No tool can be called over HTTP.'),
  ...harmless('gateway.nodes', 'No other machine can be connected as a node.'),
  ...harmless(
    'gateway.controlUi.{allowInsecureAuth,dangerouslyAllowHostHeaderOriginFallback,dangerouslyDisableDeviceAuth,allowExternalEmbedUrls,embedSandbox}',
    'The page needs the token and loads nothing from elsewhere, whatever is set.',
  ),
  ...missing('gateway.controlUi', 'The page is served at the root of the address, as it is built.'),
  ...harmless(
    'gateway.{channelHealthCheckMinutes,channelMaxRestartsPerHour,channelStaleEventThresholdMinutes,push}',
    'Connections to platforms are watched and mended by fixed rules.',
  ),
  ...missing('gateway.reload', `Changes are taken up as "${docsCommand('config')}" says.`),
  ...harmless('gateway.{handshakeTimeoutMs,webchat}', 'Atrium has its own limits.'),
  ...protects('proxy.enabled', 'Requests to models, tools and servers go out directly and not through the proxy.', {
    except: [false],
    gate: 'start',
  }),
  ...harmless('proxy', 'There is no proxy that it could describe.'),
  ...missing('discovery', 'The gateway announces itself nowhere.'),

  // tools
  ...used('tools', 'allow alsoAllow byProvider deny profile sandbox.tools subagents.tools'),
  ...used('tools', 'exec.applyPatch.allowModels exec.applyPatch.enabled exec.ask exec.security exec.timeoutSec'),
  ...used('tools', 'exec.timeoutSeconds'),
  ...used('tools.web.fetch', 'enabled maxChars maxCharsCap maxResponseBytes timeoutSeconds'),
  ...different(
    'tools.web.fetch.maxRedirects',
    'No more than 20 redirects are followed.',
    (value) => typeof value === 'number' && value > 20,
  ),
  ...different(
    'tools.sessions.visibility',
    'tree is read as self, and all as agent: sessions of other agents are never shown.',
    isOneOf('tree', 'all'),
  ),
  ...different(
    'tools.exec.strictInlineEval',
    'With it, security "full" is read as "allowlist": what no rule allows is asked for.',
    isOneOf(true),
  ),
  ...protects(
    'tools.toolsBySender',
    'What a sender may use is not told apart: every sender has the tools of the agent.',
    {
      gate: 'tools',
    },
  ),
  ...protects('tools.exec.host', 'Commands run on this machine, wherever they were meant to run.', {
    except: ['auto', 'gateway'],
    gate: 'tools',
  }),
  ...used(
    '{tools,agents.list[].tools}.loopDetection',
    'criticalThreshold enabled globalCircuitBreakerThreshold historySize unknownToolThreshold warningThreshold',
    'detectors.genericRepeat detectors.knownPollNoProgress detectors.pingPong',
  ),
  ...missing(
    '{tools,agents.list[].tools}.loopDetection.postCompactionGuard',
    'Calls before and after a summary are counted together, by the other thresholds.',
  ),
  ...harmless('tools.fs', 'File tools never leave the workspace, whatever is set.'),
  ...harmless('tools.elevated', 'There is no sandbox that an elevated command would leave.'),
  ...harmless('tools.agentToAgent', 'Session tools never reach another agent.'),
  ...harmless(
    'tools.exec.{safeBins,safeBinTrustedDirs,safeBinProfiles,applyPatch.workspaceOnly}',
    'A command that no rule of tools.exec.allow names is asked for, and patches never leave the workspace.',
  ),
  ...harmless('agents.list[].tools.exec.applyPatch.workspaceOnly', 'Patches never leave the workspace.'),
  ...missing('tools.exec', 'This setting of commands has no effect.'),
  ...protects('tools.web.fetch.ssrfPolicy.blockedHostnames', 'Public addresses can be fetched, whatever their names.'),
  ...harmless(
    'tools.web.fetch.ssrfPolicy',
    'Private and special addresses are refused, except those of tools.web.fetch.allowHosts.',
  ),
  ...missing('tools.web', 'Atrium fetches pages by itself, and has no search.'),
  ...missing(
    'tools.sessions_spawn',
    `The bounds of attached files are those that "${docsCommand('subagents')}" names.`,
  ),
  ...used(
    'tools.message',
    'actions.allow allowCrossContextSend crossContext.allowAcrossProviders crossContext.allowWithinProvider',
  ),
  ...missing('tools.message', NO_MARKER),
  ...missing(
    'tools.{media,links,codeMode,toolSearch,experimental,swarm,github,updatePlan}',
    'Atrium has no such tool.',
  ),

  // approvals and commands
  ...missing(
    'approvals.{exec,plugin}',
    'Approvals are answered where the run speaks, on the page or by atrium approvals; they are sent nowhere else.',
  ),
  ...different('commands.allowFrom', 'Who has the token is the operator, and may always use commands.'),
  ...harmless(
    'commands.useAccessGroups',
    'A person who may not talk to the agent may use no command, whatever it says.',
  ),
  ...different(
    'commands.ownerAllowFrom',
    'An entry names its channel, and counts in the direct conversation of that person only; no approval adds one.',
  ),
  ...harmless(
    'commands.{bash,bashForegroundMs,config,debug,mcp,plugins,restart}',
    'Atrium has no such command in chat.',
  ),
  ...harmless('commands', 'It is about how commands are shown to platforms.'),

  // channels and messages
  ...missing('channels.*', NO_CHANNEL),
  ...slackKeys(),
  ...['channels.discord', 'channels.discord.accounts.*'].flatMap(discordKeys),
  ...missing('channels.discord.defaultAccount', 'Answers go out by the account that the message came in by.'),
  ...['channels.telegram', 'channels.telegram.accounts.*'].flatMap(telegramKeys),
  ...missing('channels.telegram.defaultAccount', 'Answers go out by the account that the message came in by.'),
  ...missing('channels.modelByChannel', 'Every place is answered by the model of its agent.'),
  ...missing(
    'channels.defaults',
    `What a platform does not set has the default that "${docsCommand('config')}" names.`,
  ),
  ...used('messages', 'groupChat.historyLimit groupChat.mentionPatterns'),
  ...different(
    'messages.responsePrefix',
    'The names {thinkingLevel} and {think} are not filled in.',
    (value) => typeof value === 'string' && /\{think(?:inglevel)?\}/i.test(value),
  ),
  ...used('agents.list[]', 'groupChat.mentionPatterns'),
  ...missing(
    'messages.{visibleReplies,groupChat.visibleReplies}',
    'What an agent answers is sent where it was asked, also when it has sent a message by its tool; NO_REPLY keeps it silent.',
    { except: ['automatic'] },
  ),
  ...missing(
    'messages.groupChat.unmentionedInbound',
    'A message that a group lets through is answered; one that needs a mention and has none is history of the next answer.',
    { except: ['user_request'] },
  ),
  ...missing('messages', 'Atrium takes and sends messages by its own rules.'),
  ...harmless('{web,surfaces}', NO_CHANNEL),

  // hooks, plugins, skills and MCP
  ...used('hooks.internal', 'enabled entries handlers installs load'),
  ...used('hooks', 'allowRequestSessionKey allowedAgentIds allowedSessionKeyPrefixes defaultSessionKey enabled'),
  ...used('hooks', 'maxBodyBytes path presets token'),
  ...used('hooks.mappings[]', 'action agentId allowUnsafeExternalContent channel deliver id match messageTemplate'),
  ...used('hooks.mappings[]', 'forEach model name sessionKey sessionMode textTemplate timeoutSeconds to wakeMode'),
  ...missing('hooks.mappings[].thinking', 'How much a model thinks cannot be chosen for one run.'),
  ...used('hooks.mappings[].transform', 'export module'),
  ...used('hooks', 'transformsDir'),
  ...used('hooks.gmail', 'allowUnsafeExternalContent model'),
  ...missing(
    'hooks.gmail',
    'Atrium does not start the watcher of Gmail. Run it yourself, and let it send to /hooks/gmail.',
  ),
  ...used('plugins', 'allow deny enabled load slots.memory'),
  ...used('plugins.entries.*', 'config enabled hooks'),
  ...harmless('plugins.entries.*.{llm,subagent}', 'Plugins can neither ask a model nor choose the model of a run.'),
  ...missing('plugins.slots.contextEngine', 'Context is composed by Atrium itself.'),
  ...harmless('plugins.bundledDiscovery', 'No plugins of OpenClaw come along.'),
  ...used('skills.entries.*', 'enabled'),
  ...different(
    'skills.entries.*.{apiKey,env}',
    'It counts when a skill requires a variable; commands are not given it, see tools.exec.env.',
  ),
  ...missing('skills.entries.*.config', 'Nothing reads the settings of a skill.'),
  ...used('skills.load', 'extraDirs'),
  ...missing(
    'skills.load',
    'Skills are found in the workspace, in the folder skills of the state directory and in plugins, at each run.',
  ),
  ...missing('skills.workshop', 'Agents write no skills by themselves.'),
  ...missing('skills.allowBundled', OWN_SKILLS_ONLY),
  ...harmless('skills.{install,limits}', 'No skills come along, and skills are installed by atrium skills install.'),
  ...used('mcp.servers.*', 'args command connectionTimeoutMs cwd enabled env headers requestTimeoutMs url'),
  ...used('mcp.servers.*.toolFilter', 'exclude include'),
  ...missing(
    'mcp.servers.*.{transport,workingDirectory,codex}',
    'It has no effect: a url means streamable HTTP, and the folder is cwd.',
    {
      except: ['stdio', 'streamable-http', 'http'],
    },
  ),
  ...missing('mcp.servers.*.*', 'Atrium does not know this setting of an MCP server.'),
  ...missing('mcp.apps', 'Pages of servers are not shown.'),
  ...missing('mcp.sessionIdleTtlMs', 'A server stays connected as long as the gateway runs.'),

  // models and secrets
  ...used('models.providers.*', 'api baseUrl timeoutSeconds'),
  ...used(
    'models.providers.*.models[]',
    'api baseUrl contextWindow cost.cacheRead cost.cacheWrite cost.input cost.output id input maxTokens',
  ),
  ...used('models.providers.*.models[].cost.tieredPricing[]', 'cacheRead cacheWrite input output range'),
  ...used('models.providers.*', 'apiKey authHeader headers'),
  ...protects(
    'models.providers.*.request',
    'Its proxy, certificates and credentials are not used: requests go out directly.',
    { gate: 'start' },
  ),
  ...missing('models.providers.*.auth', 'The provider is asked with an API key.', { except: ['api-key'] }),
  ...missing('models.providers.*', 'This setting of the provider has no effect.'),
  ...missing('models.providers.*.models[]', 'This setting of the model has no effect.', {
    except: [['text'], false, 0],
  }),
  ...harmless('models.providers.*.models[].{name,metadataSource}', 'It is a name.'),
  ...harmless('models.catalogRefresh', 'Lists of models are asked for by atrium models refresh, and by nothing else.'),
  ...missing('models.mode', 'The well-known providers stay there beside those of the configuration.', {
    except: ['merge'],
  }),
  ...harmless('models.pricing', 'Prices come from the configuration and from the data that Atrium brings along.'),
  ...different('auth.order', 'Only profiles with an API key or a token count; those that sign in are left out.'),
  ...harmless('auth.profiles', 'The profiles themselves are read from auth-profiles.json.'),
  ...missing('auth', 'Signing in with an account is not there; providers need an API key.'),
  ...used('secrets.defaults', 'env exec file'),
  ...used(
    'secrets.providers.*',
    'source path mode command args passEnv env timeoutMs maxOutputBytes jsonOnly allowlist trustedDirs',
    'allowSymlinkCommand allowInsecurePath',
  ),
  ...harmless('secrets.providers.*', 'It limits the look-up in a way that Atrium does not need.'),
  ...protects('secrets.egressProxy', 'Programs that get a secret have it, and may send it anywhere.'),
  ...harmless('secrets.resolution', 'All references to one program are asked for at once.'),
  ...missing('secrets', 'Nothing reads it.'),
  ...different('env.vars', ENV_DIFFERS),
  ...different('env.*', ENV_DIFFERS, (value) => typeof value === 'string'),
  ...different(
    'env.shellEnv.{enabled,timeoutMs}',
    'A gateway reads the login shell, for the variables that the configuration names and the keys of models and channels.',
  ),

  // schedules, records and the rest
  ...used('cron', 'enabled'),
  ...missing('cron', `Jobs run by the rules that "${docsCommand('schedules')}" names.`),
  ...missing('memory', 'Notes are searched by Atrium itself.'),
  ...different(
    'memory.qmd.scope',
    'It holds for memory_search and memory_get with any backend; without it, they are there in every session.',
  ),
  ...different(
    'logging.redactPatterns',
    'They come on top of what Atrium hides by itself, in all logs, trajectories, traces and bundles. A pattern with look-ahead, look-behind or a reference to a group is refused.',
  ),
  ...different(
    'logging.redactSensitive',
    'The value "off" switches the patterns off; what Atrium recognises as a secret is hidden in any case.',
    isOneOf('off'),
  ),
  ...used('logging', 'consoleLevel consoleStyle level maxFileBytes'),
  ...different(
    'logging.file',
    'OpenClaw writes that file, so the log of Atrium stands beside it, with "atrium" in its name.',
    (value, _, isFromOpenClaw) => typeof value === 'string' && isLogOfOpenClaw(value, () => isFromOpenClaw),
  ),
  ...harmless('logging', 'It changes nothing about the log.'),
  ...used('diagnostics', 'enabled'),
  ...used('diagnostics.cacheTrace', 'enabled filePath includeMessages includePrompt includeSystem'),
  ...used(
    'diagnostics.otel',
    'enabled endpoint flushIntervalMs headers metrics metricsEndpoint sampleRate serviceName traces tracesEndpoint',
    'captureContent.{enabled,inputMessages,outputMessages,systemPrompt,toolInputs,toolOutputs}',
  ),
  ...different(
    'diagnostics.otel.protocol',
    'Traces and metrics are sent over HTTP as JSON, also with http/protobuf; with grpc nothing is sent.',
    isNoneOf('http/json'),
  ),
  ...missing('diagnostics.otel', 'Log lines are in the log file, and are not sent to a collector.'),
  ...missing('diagnostics', 'What happens is in the trajectory and in the log.'),
  ...missing('browser', 'Atrium has no browser.'),
  ...missing('{audio,talk}', 'Atrium neither listens nor speaks.'),
  ...missing('media', `Files are kept as "${docsCommand('attachments')}" says.`),
  ...missing('{canvasHost,nodeHost,commitments,crestodian}', 'Atrium has nothing like it.'),
  ...missing('{tts,transcripts}', 'Atrium neither listens nor speaks.'),
  ...missing('{desktop,cloudWorkers}', 'Agents work on the machine of the gateway.'),
  ...missing('attachments', `Files are kept as "${docsCommand('attachments')}" says.`),
  ...protects('security.installPolicy', 'No program is asked before a plugin or a skill is installed.'),
  ...harmless(
    '{$schema,cli,meta,ui,update,wizard,security,telemetry,worktreeRoot,worktreeAcceleration}',
    'It is about OpenClaw itself.',
  ),
]);

/** A setting that means something else here while it is not set, in a home or a configuration that OpenClaw has written. */
export interface DifferentDefault {
  readonly path: string;
  readonly sentence: string;
  /** Other keys that decide the same. When one of them is set, nothing is said. */
  readonly unlessSet?: readonly string[] | undefined;
  /** The section that the setting is for. Without that section, nothing is said. */
  readonly onlyWith?: string | undefined;
}

export const DIFFERENT_DEFAULTS: readonly DifferentDefault[] = [
  {
    path: 'session.dmScope',
    sentence:
      'It is not set, so each person has a session of their own; OpenClaw keeps all direct messages in the main session.',
  },
  {
    path: 'session.reset',
    sentence: 'It is not set, so no session ends by itself; OpenClaw of May 2026 begins a new one each day at four.',
    unlessSet: ['session.idleMinutes', 'session.resetByType', 'session.resetByChannel'],
  },
  {
    path: 'agents.defaults.heartbeat.target',
    sentence:
      'It is not set, so the answer of a heartbeat goes where the agent was last spoken to; OpenClaw sends it nowhere, or to the owner.',
  },
  {
    path: 'agents.defaults.timeoutSeconds',
    sentence: 'It is not set, so a run may take ten minutes; in OpenClaw it may take two days.',
  },
  {
    path: 'tools.exec.security',
    sentence: 'It is not set, so a command that no rule allows is asked for; OpenClaw runs it without a question.',
    unlessSet: ['tools.exec.mode'],
  },
  { path: 'skills.allowBundled', sentence: OWN_SKILLS_ONLY },
  { path: 'gateway.port', sentence: 'It is not set, so the port is 18790; that of OpenClaw is 18789.' },
  {
    path: 'channels.telegram.dm.threadReplies',
    sentence: 'It is not set, so a topic of a direct chat is a conversation of its own; in OpenClaw it is not.',
    onlyWith: 'channels.telegram',
  },
  {
    path: 'channels.slack.thread.initialHistoryLimit',
    sentence: 'It is not set, so a fresh session of a thread is told 100 earlier messages; in OpenClaw they are 20.',
    onlyWith: 'channels.slack',
  },
  {
    path: 'channels.slack.slashCommand.enabled',
    sentence: 'It is not set, so slash commands of the app are taken; OpenClaw takes them when it is true.',
    onlyWith: 'channels.slack',
  },
  {
    path: 'channels.discord.mediaMaxMb',
    sentence: 'It is not set, so files have 25 MB at the most; OpenClaw sends up to 100 MB.',
    onlyWith: 'channels.discord',
  },
  {
    path: 'channels.telegram.reactionNotifications',
    sentence:
      'It is not set, so every reaction is noted; OpenClaw notes those to messages of the bot, which is the value own.',
    onlyWith: 'channels.telegram',
  },
];

/** Since the summer of 2026 agents stand under their ids in `agents.entries`; what is said of an item of the list holds there. */
function withAgentsByName(rows: readonly OpenClawKey[]): readonly OpenClawKey[] {
  const [list, entries] = ['agents.list[]', 'agents.entries.*'];
  return rows.flatMap((row) =>
    row.path.startsWith(`${list}.`) && row.path !== `${list}.id`
      ? [row, { ...row, path: row.path.replace(list, entries) }]
      : [row],
  );
}

/** The section itself holds the settings of one account, and `accounts` those of several. */
function slackKeys(): readonly OpenClawKey[] {
  const at = 'channels.slack{,.accounts.*}';
  return [
    ...missing(at, 'This setting of Slack has no effect.'),
    ...used(
      at,
      'enabled name dmPolicy allowFrom groupPolicy dangerouslyAllowNameMatching requireMention',
      'streaming.mode mediaMaxMb textChunkLimit unfurlLinks unfurlMedia',
      'historyLimit reactionNotifications reactionAllowlist slashCommand.enabled socketMode.{clientPingTimeout,serverPingTimeout}',
      'dm.{enabled,policy,allowFrom,groupEnabled,groupChannels}',
      'thread.{initialHistoryLimit,requireExplicitMention}',
      'channels.*.{enabled,requireMention,users}',
    ),
    ...used(at, 'actions.reactions botLoopProtection channels.*.botLoopProtection'),
    ...used(at, '{botToken,appToken} responsePrefix'),
    ...different(
      `${at}.{replyToMode,dm.replyToMode,replyToModeByChatType.direct,replyToModeByChatType.group,replyToModeByChatType.channel}`,
      NO_BATCHES,
      isOneOf('batched'),
    ),
    ...different(`${at}.actions.messages`, STILL_SENDS, isOneOf(false)),
    ...different(
      `${at}.{allowBots,channels.*.allowBots}`,
      'A bot is heard in every channel whose users do not exclude it; OpenClaw hears one only where users names it, or where a person of allowFrom is a member.',
      isOneOf(true, 'mentions'),
    ),
    ...different(
      `${at}.mode`,
      'Only socket is there; an account with http is not started, and its problem is said.',
      isNoneOf('socket'),
    ),
    ...different(
      `${at}.contextVisibility`,
      'allowlist hides quotes of people who are not listed and the past of threads.',
      isNoneOf('all'),
    ),
    ...different(
      `${at}.channels.*.{tools,toolsBySender}`,
      'A channel that has it is closed, and the account says so, because tools are not limited by place.',
    ),
    ...harmless(`${at}.actions`, 'Atrium has no such action on Slack.'),
    ...missing(
      `${at}.execApprovals`,
      'Approvals are asked where the run speaks; approvals.approvers says who answers.',
    ),
    ...harmless(
      `${at}.{signingSecret,webhookPath,userTokenReadOnly}`,
      'Slack is reached by a socket, with the bot token.',
    ),
    ...harmless(`${at}.configWrites`, 'No message of Slack changes the configuration.'),
    ...harmless(`${at}.slashCommand.{name,sessionPrefix,ephemeral}`, 'Every command of the app is taken.'),
    ...harmless(`${at}.streaming`, 'It is about how drafts are shown, which Atrium does in its own way.'),
    ...harmless(`${at}.{commands,capabilities,markdown,healthMonitor}`, 'It is about how Slack is used.'),
  ];
}

/** The environment variables of OpenClaw that decide who may do what. Their `path` is the name of the variable. */
export const OPENCLAW_VARIABLES: readonly OpenClawKey[] = [
  ...used('', 'OPENCLAW_CONFIG_PATH OPENCLAW_HOME OPENCLAW_PROFILE OPENCLAW_STATE_DIR OPENCLAW_WORKSPACE_DIR'),
  ...used('', 'OPENCLAW_GATEWAY_TOKEN OPENCLAW_LOAD_SHELL_ENV SLACK_BOT_TOKEN SLACK_APP_TOKEN'),
  ...protects('OPENCLAW_GATEWAY_PASSWORD', 'Callers are known by a token, and the password opens nothing.', {
    gate: 'start',
    unlessSet: 'gateway.auth.mode',
  }),
  ...protects('OPENCLAW_SKIP_CRON', 'Jobs run all the same; set cron.enabled to false.', {
    except: ['', '0', 'false'],
    gate: 'start',
  }),
  ...different(
    'OPENCLAW_NIX_MODE',
    'With 1, no command and no plugin changes the configuration, and plugins are neither installed nor removed.',
    isOneOf('1'),
  ),
  ...different(
    'OPENCLAW_GATEWAY_PORT',
    'It is no port, so the port is gateway.port, else 18790.',
    (value) => portOfVariable({ OPENCLAW_GATEWAY_PORT: String(value) }) === undefined,
  ),
  ...missing('OPENCLAW_INCLUDE_ROOTS', 'An include stays in the folder of the configuration.'),
  ...harmless('OPENCLAW_ALLOW_INSECURE_PRIVATE_WS', 'Commands speak to this machine only.'),
];

/** The keys of one bot of Telegram: of the section itself, or of an account in it. */
function telegramKeys(section: string): readonly OpenClawKey[] {
  return [
    ...used(
      section,
      'actions.{createForumTopic,deleteMessage,editMessage,reactions} allowFrom apiRoot capabilities commands.native',
      'contextVisibility customCommands dmPolicy enabled groupAllowFrom groupPolicy historyLimit linkPreview mediaGroupFlushMs',
      'mediaMaxMb name streaming.mode textChunkLimit tokenFile webhookHost webhookPath',
      'webhookPort webhookUrl',
    ),
    ...used(section, 'responsePrefix'),
    ...used(`${section}.groups.*`, 'allowFrom enabled groupPolicy requireMention'),
    ...used(`${section}.groups.*.topics.*`, 'agentId allowFrom enabled groupPolicy requireMention'),
    ...used(`${section}.direct.*`, 'allowFrom dmPolicy enabled'),
    ...different(
      `${section}.{botToken,webhookSecret}`,
      'A text is read, and a reference to a variable; with any other reference the account is not started.',
      isReferenceTo('exec', 'file'),
    ),
    ...different(
      `${section}.proxy`,
      'Telegram is reached directly, so an account with a proxy is not started until the operator accepts that.',
    ),
    ...different(
      `${section}.actions.sendMessage`,
      'With false the account is not started until the operator accepts that agents can write there.',
      isOneOf(false),
    ),
    ...different(
      `${section}.{groups,direct}.*.{tools,toolsBySender}`,
      'A place with limits of its own for tools is closed until the operator accepts that they are not kept.',
    ),
    ...used(section, 'dm.threadReplies'),
    ...different(`${section}.replyToMode`, NO_BATCHES, isOneOf('batched')),
    ...different(
      `${section}.timeoutSeconds`,
      'It counts from 10 on; OpenClaw raises a value below 60.',
      (value) => typeof value === 'number' && value < 60,
    ),
    ...different(
      `${section}.reactionNotifications`,
      'own knows the messages that the bot sent since the gateway started, and no older ones.',
      isOneOf('own'),
    ),
    ...used(`${section}.direct.*.topics.*`, 'allowFrom enabled'),
    ...missing(
      `${section}.direct.*`,
      'This setting of a direct chat has no effect; dm.threadReplies decides for all of them.',
    ),
    ...missing(`${section}.groups.*`, 'Prompts, skills and how errors are told are the same in every group.'),
    ...missing(`${section}.groups.*.topics.*`, 'Prompts, skills and how errors are told are the same in every topic.'),
    ...missing(
      `${section}.{dmHistoryLimit,dms}`,
      'A direct conversation keeps all of its history, and bots cannot read what was said before.',
    ),
    ...missing(
      `${section}.{ackReaction,reactionLevel,autoTopicLabel,threadBindings}`,
      'Atrium does not do this by itself.',
    ),
    ...missing(
      `${section}.{errorPolicy,errorCooldownMs,silentErrorReplies}`,
      'A run that failed is always told where the question was asked.',
    ),
    ...missing(
      `${section}.execApprovals`,
      'Approvals are asked where the run speaks; approvals.approvers says who may answer there.',
    ),
    ...missing(`${section}.defaultTo`, 'Jobs and tools name the chat that they write to.'),
    ...missing(`${section}.webhookCertPath`, 'Telegram has to trust the certificate by itself.'),
    ...missing(`${section}.retry`, 'Answers are tried again as delivery.maxAttempts says.'),
    ...missing(`${section}.network`, 'Node decides how names are looked up.'),
    ...harmless(`${section}.actions.{editForumTopic,poll,sticker}`, 'Agents have no such action.'),
    ...harmless(`${section}.streaming`, 'It is about how drafts are drawn.'),
    ...harmless(
      `${section}.{markdown,heartbeat,healthMonitor}`,
      'It is about how things are shown, which Atrium does in its own way.',
    ),
    ...harmless(`${section}.commands.nativeSkills`, 'Skills are no commands.'),
    ...harmless(`${section}.configWrites`, 'No message changes the configuration.'),
    ...harmless(`${section}.pollingStallThresholdMs`, 'timeoutSeconds ends a request that stalls.'),
    ...harmless(`${section}.trustedLocalFileRoots`, 'Paths on the disk of a Bot API server are never opened.'),
  ];
}

/** What is made of the settings of Discord, for the section and for each of its accounts. */
function discordKeys(at: string): readonly OpenClawKey[] {
  const tools = 'A place that has it is closed, and the account says so, because tools are not limited by place.';
  return [
    ...used(at, 'enabled name allowFrom dmPolicy groupPolicy dangerouslyAllowNameMatching mediaMaxMb textChunkLimit'),
    ...used(at, 'suppressEmbeds allowBots botLoopProtection dm.enabled dm.policy dm.allowFrom thread historyLimit'),
    ...used(at, 'streaming.mode actions.reactions actions.threads'),
    ...used(`${at}.guilds.*`, 'requireMention ignoreOtherMentions users roles reactionNotifications'),
    ...used(`${at}.guilds.*.channels.*`, 'enabled requireMention ignoreOtherMentions users roles autoThread'),
    ...used(`${at}.guilds.*.channels.*`, 'autoArchiveDuration'),
    ...used(at, 'token responsePrefix'),
    ...different(`${at}.replyToMode`, NO_BATCHES, isOneOf('batched')),
    ...different(`${at}.actions.messages`, STILL_SENDS, isOneOf(false)),
    ...different(`${at}.commands.native`, 'auto is read as true.', isOneOf('auto')),
    ...different(
      `${at}.contextVisibility`,
      'allowlist hides quotes of people who are not listed and the past of threads.',
      isNoneOf('all'),
    ),
    ...different(`${at}.guilds.*.{tools,toolsBySender}`, tools),
    ...different(`${at}.guilds.*.channels.*.{tools,toolsBySender}`, tools),
    ...different(`${at}.proxy`, 'An account that has it is not started, because Discord is reached directly.'),
    ...missing(`${at}.{dmHistoryLimit,dms}`, 'A direct conversation has the history of its session.'),
    ...missing(
      `${at}.guilds.*.channels.*.{skills,systemPrompt}`,
      'Every place has the skills and the prompt of its agent.',
    ),
    ...missing(`${at}.guilds.*.channels.*.autoThreadName`, 'A thread is called by the first words of its message.'),
    ...missing(`${at}.thread.inheritParent`, 'A thread begins with its own history and not with that of its channel.'),
    ...missing(`${at}.{threadBindings,defaultTo,mentionAliases,markdown}`, 'Atrium has nothing like it.'),
    ...missing(
      `${at}.{voice,pluralkit,agentComponents,ui}`,
      'Atrium has neither voice channels nor components of its own there.',
    ),
    ...missing(
      `${at}.{ackReaction,ackReactionScope,activity,activityType,activityUrl,status,autoPresence}`,
      'The bot shows that it is typing, and no other sign.',
    ),
    ...missing(`${at}.maxLinesPerMessage`, 'A message is cut by its length only.'),
    ...harmless(`${at}.execApprovals`, 'Who may answer an approval is set by approvals.approvers.'),
    ...harmless(`${at}.{dm.groupEnabled,dm.groupChannels}`, 'Discord does not let bots into group conversations.'),
    ...harmless(`${at}.guilds.*.slug`, 'A server is found by its id, or by its name as Discord has it.'),
    ...harmless(
      `${at}.guilds.*.channels.*.includeThreadStarter`,
      'The first message of a thread is always part of its history.',
    ),
    ...harmless(`${at}.slashCommand`, 'What is shown at once is always for the person alone.'),
    ...harmless(`${at}.streaming`, 'It is about how a draft looks.'),
    ...harmless(`${at}.actions`, 'Atrium has no such action on Discord.'),
    ...harmless(
      `${at}.{applicationId,capabilities,configWrites,commands.nativeSkills,eventQueue,gatewayInfoTimeoutMs}`,
      'Atrium finds it out by itself.',
    ),
    ...harmless(
      `${at}.{gatewayReadyTimeoutMs,gatewayRuntimeReadyTimeoutMs,healthMonitor,heartbeat,inboundWorker,intents,retry}`,
      'The connection is watched and mended by fixed rules.',
    ),
  ];
}

type UnusedOptions = Partial<Pick<UnusedKey, 'except' | 'gate' | 'unlessSet'>>;

function used(prefix: string, ...names: readonly string[]): readonly UsedKey[] {
  const under = prefix === '' ? '' : `${prefix}.`;
  return names
    .flatMap((each) => each.split(' '))
    .flatMap((name) => expand(`${under}${name}`))
    .map((path) => ({ path, state: 'used' }));
}

function different(pattern: string, sentence: string, when?: DifferentKey['when']): readonly DifferentKey[] {
  return expand(pattern).map((path) => ({ path, state: 'different', sentence, when }));
}

function isOneOf(...values: readonly unknown[]): (value: unknown) => boolean {
  return (value) => values.includes(value);
}

function isNoneOf(...values: readonly unknown[]): (value: unknown) => boolean {
  return (value) => !values.includes(value);
}

function isReferenceTo(...sources: readonly string[]): (value: unknown) => boolean {
  return (value) =>
    typeof value === 'object' && value !== null && 'source' in value && sources.includes(String(value.source));
}

function protects(pattern: string, sentence: string, options?: UnusedOptions): readonly UnusedKey[] {
  return unused('protects', pattern, sentence, options);
}

function missing(pattern: string, sentence: string, options?: UnusedOptions): readonly UnusedKey[] {
  return unused('missing', pattern, sentence, options);
}

function harmless(pattern: string, sentence: string): readonly UnusedKey[] {
  return unused('harmless', pattern, sentence);
}

function unused(
  danger: Danger,
  pattern: string,
  sentence: string,
  { except = [], gate, unlessSet }: UnusedOptions = {},
): readonly UnusedKey[] {
  return expand(pattern).map((path) => ({ path, state: 'unused', danger, sentence, except, gate, unlessSet }));
}

/** `a.{b,c}` stands for `a.b` and `a.c`. */
function expand(pattern: string): readonly string[] {
  const match = /^([^{]*)\{([^}]*)\}(.*)$/.exec(pattern);
  if (!match) return [pattern];
  const [, before = '', choices = '', after = ''] = match;
  return choices.split(',').flatMap((choice) => expand(`${before}${choice}${after}`));
}
