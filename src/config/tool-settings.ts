// The settings of single tools: what an agent's commands may do (`tools.exec`, where each setting may be replaced by
// the agent's own), where `tools.message` lets it act, what `tools.web.fetch` allows, which sessions an agent may see; and the version of all settings
// that decide what tools may do.

import { sha256Of } from '../protocol/sha256-of.ts';
import { resolveAgentConfig, resolveAgentDefaults } from './agents.ts';
import type { Config } from './schema.ts';

export interface ExecSettings {
  readonly security: 'deny' | 'allowlist' | 'full';
  /** Why commands are denied, where the configuration does not say it. */
  readonly deniedBy?: string | undefined;
  readonly ask: 'off' | 'on-miss' | 'always';
  /** Commands that need no approval. An agent's own list replaces the common one. */
  readonly allow: readonly string[];
  /** The names of variables that commands get besides the harmless ones. */
  readonly env: readonly string[];
  readonly timeoutSeconds: number;
  readonly maxOutputChars: number;
}

export function execSettingsOf(config: Config, agentId: string): ExecSettings {
  const common = config.tools?.exec;
  const own = resolveAgentConfig(config, agentId)?.tools?.exec;
  const security = securityOf(own) ?? securityOf(common) ?? 'allowlist';
  // Commands that hold a program of their own should ask even under "full". They cannot be told apart safely, so all ask.
  const isStrict = own?.strictInlineEval ?? common?.strictInlineEval ?? false;
  return {
    security: isStrict && security === 'full' ? 'allowlist' : security,
    ask: askOf(own) ?? askOf(common) ?? 'on-miss',
    allow: own?.allow ?? common?.allow ?? [],
    env: own?.env ?? common?.env ?? [],
    timeoutSeconds: timeLimitOf(own) ?? timeLimitOf(common) ?? 120,
    maxOutputChars: own?.maxOutputChars ?? common?.maxOutputChars ?? 20_000,
  };
}

type ExecSection = NonNullable<NonNullable<Config['tools']>['exec']>;

/** What `mode` stands for. No model reviews commands here, so what should have been reviewed is asked for. */
const MODES = {
  deny: { security: 'deny', ask: 'off' },
  allowlist: { security: 'allowlist', ask: 'off' },
  ask: { security: 'allowlist', ask: 'on-miss' },
  auto: { security: 'allowlist', ask: 'on-miss' },
  full: { security: 'full', ask: 'off' },
} as const;

function securityOf(section: ExecSection | undefined): ExecSettings['security'] | undefined {
  return section?.security ?? (section?.mode && MODES[section.mode].security);
}

function askOf(section: ExecSection | undefined): ExecSettings['ask'] | undefined {
  return section?.ask ?? (section?.mode && MODES[section.mode].ask);
}

function timeLimitOf(section: ExecSection | undefined): number | undefined {
  return section?.timeoutSeconds ?? section?.timeoutSec;
}

export interface WebFetchSettings {
  /** Hosts, or `host:port`, that may be fetched although their addresses are private. */
  readonly allowHosts: readonly string[];
  readonly maxBytes: number;
  readonly maxChars: number;
  readonly maxRedirects: number;
  readonly timeoutMs: number;
}

const MOST_REDIRECTS = 20;

export function webFetchSettingsOf({ tools }: Pick<Config, 'tools'>): WebFetchSettings {
  const {
    allowHosts = [],
    maxBytes,
    maxResponseBytes,
    maxChars = 50_000,
    maxCharsCap = maxChars,
    maxRedirects = 5,
    timeoutSeconds = 30,
  } = tools?.web?.fetch ?? {};
  const mostBytes = [maxBytes, maxResponseBytes].filter((each) => each !== undefined);
  return {
    allowHosts,
    maxBytes: mostBytes.length === 0 ? 5 * 1024 * 1024 : Math.min(...mostBytes),
    maxChars: Math.min(maxChars, maxCharsCap),
    maxRedirects: Math.min(maxRedirects, MOST_REDIRECTS),
    timeoutMs: timeoutSeconds * 1_000,
  };
}

/**
 * The default is the strictest: two surfaces share nothing unless the operator allows it. OpenClaw's words are understood
 * in the narrower sense: `tree` means `self`, and `all` never means more than `agent`.
 */
export function sessionVisibilityOf({ tools }: Pick<Config, 'tools'>): 'self' | 'agent' {
  const asked = tools?.sessions?.visibility;
  return asked === 'agent' || asked === 'all' ? 'agent' : 'self';
}

export interface MessageSettings {
  readonly allowWithinProvider: boolean;
  readonly allowAcrossProviders: boolean;
  readonly actions?: readonly string[] | undefined;
}

/** Whether an agent may act in other conversations with the message tool. Each setting of its own replaces the common one. */
export function messageSettingsOf(config: Config, agentId: string): MessageSettings {
  const common = config.tools?.message;
  const own = resolveAgentConfig(config, agentId)?.tools?.message;
  const allow = (key: 'allowWithinProvider' | 'allowAcrossProviders') =>
    own?.crossContext?.[key] ?? common?.crossContext?.[key];
  // The older setting allows everything, where the newer ones say nothing.
  const isAllowed = own?.allowCrossContextSend ?? common?.allowCrossContextSend ?? false;
  return {
    allowWithinProvider: allow('allowWithinProvider') ?? true,
    allowAcrossProviders: allow('allowAcrossProviders') ?? isAllowed,
    actions: own?.actions?.allow ?? common?.actions?.allow,
  };
}

/** What both allow. A child is bound by the settings of its own agent and of every agent that it works for. */
export function stricterMessageSettings(one: MessageSettings, other: MessageSettings): MessageSettings {
  const { actions = other.actions } = one;
  return {
    allowWithinProvider: one.allowWithinProvider && other.allowWithinProvider,
    allowAcrossProviders: one.allowAcrossProviders && other.allowAcrossProviders,
    actions: actions?.filter((action) => other.actions?.includes(action) ?? true),
  };
}

/**
 * The version changes with every setting that decides what an agent's tools may do. Approvals that were given under
 * another version are void.
 */
export function policyVersionOf(config: Config, agentId: string): string {
  const { tools, approvals, mcp, acceptUnused } = config;
  const entry = resolveAgentConfig(config, agentId);
  const sandboxes = [resolveAgentDefaults(config).sandbox, entry?.sandbox, acceptUnused];
  // The order in the file is part of the version: a reordered policy asks once more, and no change is missed.
  const policy = JSON.stringify([tools, entry?.tools, approvals, mcp, ...sandboxes].map((each) => each ?? null));
  return sha256Of(policy).slice(0, 16);
}
