// The event that a bootstrap handler receives, in the shape that existing OpenClaw handlers expect. The context is a
// private draft: a handler edits it in place, and what it leaves behind is adopted or dropped as a whole.

import type { WorkspaceBootstrapFile } from './bootstrap-file.ts';
import type { SessionType } from './session-type.ts';

export interface TimeContext {
  /** 0 to 23, local to `timezone`. */
  hour: number;
  /** 0 is Sunday. */
  dayOfWeek: number;
  isWeekend: boolean;
  timezone: string;
}

export interface ChannelContext {
  /** The platform: "slack", "discord", "cli"… */
  provider: string;
  channelId?: string;
  channelName?: string;
}

export interface AgentBootstrapHookContext {
  workspaceDir: string;
  bootstrapFiles: WorkspaceBootstrapFile[];
  /** The whole validated configuration, unknown sections included. */
  cfg?: Record<string, unknown>;
  sessionKey?: string;
  sessionId?: string;
  agentId?: string;
  sessionType?: SessionType;
  timeContext?: TimeContext;
  channelContext?: ChannelContext;
}

/** A point in the life of a message, as hook packs know it: a type, an action, and a context that depends on both. */
export interface InternalHookEvent {
  type: string;
  action: string;
  sessionKey: string;
  context: Record<string, unknown>;
  timestamp: Date;
  /** Lines that a handler wants shown to the person; the caller decides whether this event has somebody to show them to. */
  messages: string[];
  /** Aborted when the handler's deadline passes. Handlers written before Atrium simply do not look at it. */
  signal?: AbortSignal;
}

export interface AgentBootstrapHookEvent extends InternalHookEvent {
  type: 'agent';
  action: 'bootstrap';
  context: AgentBootstrapHookContext & Record<string, unknown>;
}

export type InternalHookHandler = (event: InternalHookEvent) => unknown;

export function isAgentBootstrapEvent(event: InternalHookEvent): event is AgentBootstrapHookEvent {
  if (event.type !== 'agent' || event.action !== 'bootstrap') return false;
  const context = event.context as Partial<AgentBootstrapHookContext> | null | undefined;
  return typeof context?.workspaceDir === 'string' && Array.isArray(context.bootstrapFiles);
}
