// The event that a bootstrap handler receives, in the shape that existing OpenClaw handlers expect. The context is a
// private draft: a handler edits it in place, and what it leaves behind is adopted or dropped as a whole.

import type { WorkspaceBootstrapFile } from './bootstrap-file.ts';
import type { SessionType } from './session-type.ts';

export interface TimeContext {
  /** The hour from 0 to 23 in the zone `timezone`. */
  hour: number;
  /** The day from 0, which is Sunday, to 6. */
  dayOfWeek: number;
  isWeekend: boolean;
  timezone: string;
}

export interface ChannelContext {
  /** The name of the platform: "slack", "discord", "cli"… */
  provider: string;
  channelId?: string;
  channelName?: string;
}

export interface AgentBootstrapHookContext {
  workspaceDir: string;
  bootstrapFiles: WorkspaceBootstrapFile[];
  /** The whole validated configuration, with the sections that Atrium does not know. */
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
  /** Lines that a handler wants a person to see. The caller decides whether they can be shown. */
  messages: string[];
  /** The signal is aborted when the handler's deadline passes. Handlers that were written before Atrium ignore it. */
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
