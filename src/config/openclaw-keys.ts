// The keys of OpenClaw's configuration and what Atrium makes of them, as one table. The block "found and not used", the
// page docs/openclaw-keys.md and the tests all read it. A row speaks for its path and for everything below it, unless a
// longer row does; a key that neither a row nor Atrium's own schema has is unknown. The table does not know the values
// that a person wrote, except those that ask for what Atrium does anyway.

/** How bad it is that a key is not used. The most dangerous kind is first. */
export const DANGERS = ['protects', 'missing', 'harmless'] as const;
/**
 * `protects`: what the key would have kept away is not kept away by it. `missing`: something that was asked for does not
 * happen. `harmless`: there is nothing that it could concern, or Atrium is as strict by itself.
 */
export type Danger = (typeof DANGERS)[number];

/** What is refused as long as the operator has not accepted that the key is not used. */
export type Gate = 'start' | 'tools';

export type OpenClawKey = UsedKey | DifferentKey | UnusedKey;

export interface UsedKey {
  readonly path: string;
  readonly state: 'used';
}

export interface DifferentKey {
  readonly path: string;
  readonly state: 'different';
  readonly sentence: string;
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
  /** Another key. When that one is set, it decides, and this one asks for nothing. */
  readonly unlessSet?: string | undefined;
}

const NO_CHANNEL = 'Atrium has no such channel, so nothing is received or sent there.';

export const OPENCLAW_KEYS: readonly OpenClawKey[] = [
  // agents
  ...used(
    'agents.defaults',
    'bootstrapMaxChars bootstrapTotalMaxChars bootstrapPromptTruncationWarning contextTokens maxConcurrent model',
    'skills skipBootstrap subagents.maxSpawnDepth timeoutSeconds userTimezone workspace',
  ),
  ...used('agents.list[]', 'agentDir bootstrapMaxChars bootstrapTotalMaxChars default id model name skills workspace'),
  ...used('agents.{defaults,list[]}.heartbeat', 'ackMaxChars activeHours every includeSystemPromptSection prompt'),
  ...used('agents.defaults.compaction', 'keepRecentTokens model timeoutSeconds'),
  ...used('agents.list[].tools', 'allow alsoAllow byProvider deny profile exec.ask exec.security exec.timeoutSec'),
  ...used('agents.list[].tools', 'exec.applyPatch.enabled sandbox.tools'),
  ...different(
    'agents.{defaults,list[]}.contextInjection',
    'never keeps bootstrap files out of the prompt; continuation-skip is read as always.',
  ),
  ...different(
    'agents.{defaults,list[]}.heartbeat.target',
    'last, none or a surface such as cli:local; a channel that Atrium does not have gets nothing.',
  ),
  ...different('agents.defaults.compaction.mode', 'There is one way of making conversations shorter, in every mode.'),
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
    'agents.list[].tools.exec.strictInlineEval',
    'With it, security "full" is read as "allowlist": what no rule allows is asked for.',
  ),
  ...protects(
    'agents.{defaults,list[]}.heartbeat.directPolicy',
    'An answer of a heartbeat may go to a direct conversation.',
    { except: ['allow'] },
  ),
  ...protects(
    'agents.list[].subagents.allowAgents',
    'It is not looked at; Atrium itself starts no subagents, and a plugin that does is not held by it.',
  ),
  ...protects(
    'agents.defaults.subagents.{allowAgents,requireAgentId}',
    'It is not looked at, as Atrium itself starts no subagents.',
  ),
  ...harmless('agents.list[].tools.fs', 'File tools never leave the workspace, whatever is set.'),
  ...harmless('agents.list[].tools.elevated', 'There is no sandbox that an elevated command would leave.'),
  ...harmless(
    'agents.list[].tools.exec.{safeBins,safeBinTrustedDirs,safeBinProfiles}',
    'A command that no rule of tools.exec.allow names is asked for.',
  ),
  ...missing('agents.list[].tools.exec', 'This setting of commands has no effect.'),
  ...missing('agents.list[].tools.loopDetection', 'Repeated calls are ended by agents.defaults.maxToolRounds only.'),
  ...missing('agents.list[].tools.{codeMode,message}', 'Atrium has no such tool.'),
  ...missing('agents.list[].runtime', 'The agent is run by Atrium itself and by no other runtime.', {
    except: [{ type: 'embedded' }],
  }),
  ...missing(
    'agents.{defaults,list[]}.systemPromptOverride',
    'The prompt is composed from the workspace all the same.',
  ),
  ...missing('agents.list[].contextTokens', 'The window is that of agents.defaults.contextTokens.'),
  ...missing(
    'agents.list[].{groupChat,humanDelay,tts,identity,memorySearch,models,params,runRetries,contextLimits}',
    'This setting of the agent has no effect.',
  ),
  ...missing(
    'agents.list[].{subagents,thinkingDefault,reasoningDefault,skillsLimits,experimental}',
    'This setting of the agent has no effect.',
  ),
  ...missing('agents.list[].{agentRuntime,embeddedHarness,embeddedPi}', 'The agent is run by Atrium itself.'),
  ...harmless(
    'agents.list[].{description,fastModeDefault,toolProgressDetail,verboseDefault}',
    'It changes what is shown, and not here.',
  ),
  ...missing(
    'agents.defaults.{cliBackends,agentRuntime,embeddedHarness,embeddedPi}',
    'Agents are run by Atrium itself, with a model over HTTP.',
  ),
  ...missing(
    'agents.defaults.{models,params,runRetries,thinkingDefault,reasoningDefault,promptOverlays}',
    'Models are asked with their own defaults, and model names have no aliases.',
  ),
  ...missing(
    'agents.defaults.{memorySearch,contextLimits,contextPruning,startupContext}',
    'Atrium has its own rules for it.',
  ),
  ...missing(
    'agents.defaults.{imageModel,imageGenerationModel,musicGenerationModel,videoGenerationModel,pdfModel}',
    'Atrium has no tool for pictures, music, videos or PDF files.',
  ),
  ...missing('agents.defaults.subagents', 'Atrium itself starts no subagents.'),
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
    'agents.defaults.{imageMaxDimensionPx,mediaMaxMb,mediaGenerationAutoProviderFallback,pdfMaxBytesMb,pdfMaxPages}',
    'Atrium takes no files with a message.',
  ),

  // bindings and session
  ...used('bindings[]', 'agentId match.accountId match.channel match.peer'),
  ...protects(
    'bindings[].match.{guildId,roles,teamId}',
    'A binding with this condition is passed over, so another agent may answer there.',
  ),
  ...missing('bindings[].{acp,session,type}', 'The binding chooses the agent and nothing else.', { except: ['route'] }),
  ...harmless('bindings[].comment', 'It is a note.'),
  ...used('session', 'dmScope idleMinutes identityLinks mainKey reset resetByChannel resetByType scope sendPolicy'),
  ...missing(
    'session.{agentToAgent,maintenance,resetTriggers,store,threadBindings,writeLock}',
    'Atrium keeps sessions in its own store, by its own rules.',
  ),
  ...harmless('session.{typingIntervalSeconds,typingMode}', 'It is about how work is shown.'),
  ...missing('{broadcast,acp}', 'One message goes to one agent, which Atrium runs itself.'),
  ...harmless('accessGroups', 'Only lists of channels name groups of people, and those are not used.'),

  // gateway
  ...used('gateway', 'bind customBindHost port controlUi.allowedOrigins controlUi.enabled'),
  ...used('gateway', 'http.endpoints.chatCompletions.enabled'),
  ...different(
    'gateway.auth.token',
    'Text, or a variable of the environment; a reference to a secret provider is an error.',
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
  ...harmless('gateway.auth.rateLimit', 'Wrong tokens are slowed down by a limit that cannot be set.'),
  ...harmless('gateway.auth.allowTailscale', 'Callers from a tailnet need the token as well.'),
  ...harmless('gateway.{trustedProxies,allowRealIpFallback}', 'The address of a caller gives it no rights.'),
  ...missing('gateway.tailscale.mode', 'Nothing is published in a tailnet.', { except: ['off'] }),
  ...harmless('gateway.tailscale', 'Nothing is published in a tailnet.'),
  ...missing('gateway.mode', 'A gateway is started here all the same.', { except: ['local'] }),
  ...missing('gateway.remote', 'Commands speak to the gateway of this machine.'),
  ...missing('gateway.http.endpoints.responses', 'There is no /v1/responses.'),
  ...missing('gateway.http.endpoints.chatCompletions', 'Messages are text, within the limits of Atrium.'),
  ...protects('gateway.http.securityHeaders', 'This header is not sent; let the proxy that speaks TLS send it.'),
  ...harmless('gateway.tools', 'No tool can be called over HTTP.'),
  ...harmless('gateway.nodes', 'No other machine can be connected as a node.'),
  ...harmless(
    'gateway.controlUi.{allowInsecureAuth,dangerouslyAllowHostHeaderOriginFallback,dangerouslyDisableDeviceAuth,allowExternalEmbedUrls,embedSandbox}',
    'The page needs the token and loads nothing from elsewhere, whatever is set.',
  ),
  ...missing('gateway.controlUi', 'The page is served at the root of the address, as it is built.'),
  ...harmless(
    'gateway.{channelHealthCheckMinutes,channelMaxRestartsPerHour,channelStaleEventThresholdMinutes,push}',
    NO_CHANNEL,
  ),
  ...missing('gateway.reload', 'Changes are taken up as docs/config.md says.'),
  ...harmless('gateway.{handshakeTimeoutMs,webchat}', 'Atrium has its own limits.'),
  ...protects('proxy.enabled', 'Requests to models, tools and servers go out directly and not through the proxy.', {
    except: [false],
    gate: 'start',
  }),
  ...harmless('proxy', 'There is no proxy that it could describe.'),
  ...missing('discovery', 'The gateway announces itself nowhere.'),

  // tools
  ...used('tools', 'allow alsoAllow byProvider deny profile sandbox.tools subagents.tools'),
  ...used('tools', 'exec.applyPatch.enabled exec.ask exec.security exec.timeoutSec'),
  ...used('tools.web.fetch', 'enabled maxChars timeoutSeconds'),
  ...different(
    'tools.sessions.visibility',
    'tree is read as self, and all as agent: sessions of other agents are never shown.',
  ),
  ...different(
    'tools.exec.strictInlineEval',
    'With it, security "full" is read as "allowlist": what no rule allows is asked for.',
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
  ...protects('tools.loopDetection', 'Repeated calls are ended by agents.defaults.maxToolRounds only.'),
  ...harmless('tools.fs', 'File tools never leave the workspace, whatever is set.'),
  ...harmless('tools.elevated', 'There is no sandbox that an elevated command would leave.'),
  ...harmless('tools.agentToAgent', 'Session tools never reach another agent.'),
  ...harmless(
    'tools.exec.{safeBins,safeBinTrustedDirs,safeBinProfiles,applyPatch.workspaceOnly}',
    'A command that no rule of tools.exec.allow names is asked for, and patches never leave the workspace.',
  ),
  ...protects(
    '{tools,agents.list[].tools}.exec.applyPatch.allowModels',
    'Every model is offered apply_patch; use tools.byProvider.',
  ),
  ...harmless('agents.list[].tools.exec.applyPatch.workspaceOnly', 'Patches never leave the workspace.'),
  ...missing('tools.exec', 'This setting of commands has no effect.'),
  ...harmless(
    'tools.web.fetch.ssrfPolicy',
    'Private and special addresses are refused, except those of tools.web.fetch.allowHosts.',
  ),
  ...protects(
    'tools.web.fetch.{maxRedirects,maxResponseBytes,maxCharsCap}',
    'Atrium has its own limits; tools.web.fetch.maxBytes is the one that can be set.',
  ),
  ...missing('tools.web', 'Atrium fetches pages by itself, and has no search.'),
  ...missing('tools.{media,links,message,codeMode,toolSearch,sessions_spawn,experimental}', 'Atrium has no such tool.'),

  // approvals and commands
  ...missing(
    'approvals.{exec,plugin}',
    'Approvals are answered where the run speaks, on the page or by atrium approvals; they are sent nowhere else.',
  ),
  ...protects('commands.{allowFrom,useAccessGroups}', 'Commands in chat are open to everyone who may speak there.'),
  ...harmless('commands.ownerAllowFrom', 'Only who has the token is the operator, wherever else the person speaks.'),
  ...harmless(
    'commands.{bash,bashForegroundMs,config,debug,mcp,plugins,restart}',
    'Atrium has no such command in chat.',
  ),
  ...harmless('commands', 'It is about how commands are shown to platforms.'),

  // channels and messages
  ...missing('channels.*', NO_CHANNEL),
  ...harmless('channels.{defaults,modelByChannel}', 'It describes channels, and Atrium has none of them.'),
  ...missing('messages', 'Atrium takes and sends messages by its own rules.'),
  ...harmless('{web,surfaces}', NO_CHANNEL),

  // hooks, plugins, skills and MCP
  ...used('hooks.internal', 'enabled entries handlers installs load'),
  ...missing(
    'hooks.{enabled,token,path,mappings,presets,transformsDir,gmail}',
    'There is no address at which other services start a run; POST /api/messages with the token does that.',
  ),
  ...harmless(
    'hooks.{allowRequestSessionKey,allowedAgentIds,allowedSessionKeyPrefixes,defaultSessionKey,maxBodyBytes}',
    'There is no address at which other services start a run.',
  ),
  ...used('plugins', 'allow deny enabled load slots.memory'),
  ...used('plugins.entries.*', 'config enabled hooks'),
  ...harmless('plugins.entries.*.{llm,subagent}', 'Plugins can neither ask a model nor start a subagent.'),
  ...missing('plugins.slots.contextEngine', 'Context is composed by Atrium itself.'),
  ...harmless('plugins.bundledDiscovery', 'No plugins of OpenClaw come along.'),
  ...used('skills.entries.*', 'enabled'),
  ...different(
    'skills.entries.*.{apiKey,env}',
    'It counts when a skill requires a variable; commands are not given it, see tools.exec.env.',
  ),
  ...missing('skills.entries.*.config', 'Nothing reads the settings of a skill.'),
  ...missing(
    'skills.load',
    'Skills are found in the workspace, in the folder skills of the state directory and in plugins, at each run.',
  ),
  ...harmless(
    'skills.{allowBundled,install,limits}',
    'No skills come along, and skills are installed by atrium skills install.',
  ),
  ...used('mcp.servers.*', 'args command cwd env headers url'),
  ...missing(
    'mcp.servers.*.{transport,workingDirectory,codex}',
    'It has no effect: a url means streamable HTTP, and the folder is cwd.',
    {
      except: ['stdio', 'streamable-http', 'http'],
    },
  ),
  ...missing('mcp.servers.*.*', 'Atrium does not know this setting of an MCP server.'),
  ...missing('mcp.sessionIdleTtlMs', 'A server stays connected as long as the gateway runs.'),

  // models and secrets
  ...used('models.providers.*', 'api baseUrl timeoutSeconds'),
  ...used(
    'models.providers.*.models[]',
    'contextWindow cost.cacheRead cost.cacheWrite cost.input cost.output id maxTokens',
  ),
  ...different(
    'models.providers.*.{apiKey,headers}',
    'Text, or a variable of the environment; a reference to a secret provider is an error.',
  ),
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
  ...harmless('models.{mode,pricing}', 'The providers of the configuration are added to the well-known ones.'),
  ...missing('auth', 'Signing in with an account is not there; providers need an API key.'),
  ...missing('secrets', 'Values are read from the file and from the environment, and from no secret provider.'),
  ...missing('env', 'Variables of the configuration are not set; give them to the process of the gateway.'),
  ...harmless('env.shellEnv', 'The variables of a login shell are not read.'),

  // schedules, records and the rest
  ...used('cron', 'enabled'),
  ...missing('cron', 'Jobs run by the rules of docs/schedules.md.'),
  ...missing('memory', 'Notes are searched by Atrium itself.'),
  ...protects('memory.qmd.scope', 'The memory tools follow the rules of Atrium, and not these.'),
  ...protects(
    'logging.{redactPatterns,redactSensitive}',
    'The log hides what looks like a secret to Atrium, and nothing else.',
    {
      except: ['tools'],
    },
  ),
  ...harmless('logging', 'The log goes to the error stream.'),
  ...missing('diagnostics', 'What happens is in the trajectory and in the log, and is sent nowhere.'),
  ...missing('browser', 'Atrium has no browser.'),
  ...missing('{audio,media,talk}', 'Atrium neither listens nor speaks, and takes no files.'),
  ...missing('{canvasHost,nodeHost,commitments,crestodian}', 'Atrium has nothing like it.'),
  ...harmless('{$schema,cli,meta,ui,update,wizard,security}', 'It is about OpenClaw itself.'),
];

/** The environment variables of OpenClaw that decide who may do what. Their `path` is the name of the variable. */
export const OPENCLAW_VARIABLES: readonly OpenClawKey[] = [
  ...used('', 'OPENCLAW_CONFIG_PATH OPENCLAW_HOME OPENCLAW_PROFILE OPENCLAW_STATE_DIR OPENCLAW_WORKSPACE_DIR'),
  ...used('', 'OPENCLAW_GATEWAY_TOKEN'),
  ...protects('OPENCLAW_GATEWAY_PASSWORD', 'Callers are known by a token, and the password opens nothing.', {
    gate: 'start',
    unlessSet: 'gateway.auth.mode',
  }),
  ...protects('OPENCLAW_SKIP_CRON', 'Jobs run all the same; set cron.enabled to false.', {
    except: ['', '0', 'false'],
    gate: 'start',
  }),
  ...protects('OPENCLAW_NIX_MODE', 'Commands that change the configuration change it all the same.', {
    except: ['', '0'],
  }),
  ...missing('OPENCLAW_GATEWAY_PORT', 'The port is --port, else gateway.port.'),
  ...missing('OPENCLAW_INCLUDE_ROOTS', 'An include stays in the folder of the configuration.'),
  ...harmless('OPENCLAW_ALLOW_INSECURE_PRIVATE_WS', 'Commands speak to this machine only.'),
  ...harmless('OPENCLAW_LOAD_SHELL_ENV', 'The variables of a login shell are not read.'),
];

type UnusedOptions = Partial<Pick<UnusedKey, 'except' | 'gate' | 'unlessSet'>>;

function used(prefix: string, ...names: readonly string[]): readonly UsedKey[] {
  const under = prefix === '' ? '' : `${prefix}.`;
  return names
    .flatMap((each) => each.split(' '))
    .flatMap((name) => expand(`${under}${name}`))
    .map((path) => ({ path, state: 'used' }));
}

function different(pattern: string, sentence: string): readonly DifferentKey[] {
  return expand(pattern).map((path) => ({ path, state: 'different', sentence }));
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
