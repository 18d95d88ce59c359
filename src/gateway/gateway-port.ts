// What the API, the channels and the commands may ask of a running gateway. The HTTP layer knows nothing else of it, so
// that everything a page can do is on this list.

import type { ToldSpan } from '../agent/request-text.ts';
import type { DeliveryGuarantee, ReceiveResult } from '../channels/channel.ts';
import type { ContextReport } from '../context/report/build-report.ts';
import type { BeforeInstallEvent, InstallHookContext } from '../hooks/lifecycle-hooks.ts';
import type { WireRequest } from '../models/model.ts';
import type { PluginStatus } from '../plugins/plugin-status.ts';
import type { ApprovalDecision } from '../protocol/approval-decision.ts';
import type { Inbound } from '../protocol/inbound.ts';
import type { LiveEvent, SessionEndReason } from '../protocol/live-event.ts';
import type { Message } from '../protocol/message.ts';
import type { JobDraft, JobEdit } from '../schedule/job-draft.ts';
import type { ScheduleStatus, StartedJob } from '../schedule/schedule.ts';
import type { Store } from '../store/store.ts';
import type { ApprovalRow, JobRow, RunRow, SessionRow } from '../store/tables.ts';
import type { McpServerStatus } from '../tools/mcp/mcp-server.ts';
import type { InstallVerdict } from './check-install.ts';
import type { HookPort } from './hook-control.ts';
import type { GatewayMethods } from './plugins/gateway-methods.ts';
import type { ShownSession } from './plugins/session-extensions.ts';

export interface GatewayPort {
  /** Accepts a message: resolves when it is safe in the inbox. Rejects with an AtriumError when it cannot be taken. */
  receive(inbound: Inbound, options?: ReceiveOptions): Promise<ReceiveResult>;
  /** Resolves with the run when it is over. */
  waitForRun(runId: string, signal?: AbortSignal): Promise<RunRow>;
  /** Aborts a run that is going on, or takes a waiting one out of its lane. False when it was over already.
   * Without a reason it is because the client that asked has gone. */
  stopRun(runId: string, reason?: string): Promise<boolean>;
  /** Every live event of every session from now on; returns the undo. A listener that throws disturbs nobody. */
  subscribe(listener: (event: LiveEvent) => void): () => void;
  /** For reading only. */
  readonly store: Store;
  status(): Promise<GatewayStatus>;
  /** The next request for this message, as it would go over the wire; nothing is consumed or stored. */
  preview(request: PreviewRequest): Promise<Preview>;
  /** Ends the session of this key. False when it has none. */
  endSession(sessionKey: string, reason: SessionEndReason): Promise<boolean>;
  /** The same rows with what plugins show of them. */
  showSessions(sessions: readonly SessionRow[]): Promise<readonly ShownSession[]>;
  /** Stops what it is doing, ends it and removes what was said. */
  deleteSession(sessionKey: string): Promise<boolean>;
  /** Sends a dead letter again and returns the run or part that it became. */
  replayDeadLetter(id: string): Promise<{ runId: string }>;
  /** Removes these dead letters, or all of them, and says how many there were. */
  purgeDeadLetters(ids: readonly string[] | 'all'): Promise<number>;
  /** Answers a tool call that waits for a person, and lets its run go on. Rejects when it does not wait any more. */
  answerApproval(id: string, decision: ApprovalDecision, by: string): Promise<ApprovalRow>;
  /** Removes a rule that lets a command pass. Rejects when there is none of this name. */
  revokeRule(id: string): Promise<void>;
  /** What may be called by name. */
  readonly methods: MethodPort;
  /** The plugins, loaded or not. */
  readonly plugins: PluginPort;
  /** The handlers of hooks. */
  readonly hooks: HookPort;
  /** The jobs of the schedule. */
  readonly jobs: JobPort;
  /** Why a message would go where it goes. */
  explainRoute(inbound: Inbound): Promise<RouteExplanation>;
  /** Which tools an agent is offered in a session, and the rule that decides about each. */
  explainTools(request: ExplainToolsRequest): Promise<ToolsExplanation>;
  /** The servers of tools that are configured and on. */
  mcpServers(): Promise<readonly McpServerStatus[]>;
  /** Asks the plugins whether something may be installed. */
  checkInstall(event: BeforeInstallEvent, context: InstallHookContext): Promise<InstallVerdict>;
}

/** The gateway's own methods and those of plugins. */
export type MethodPort = Pick<GatewayMethods, 'list' | 'call'>;

/** Everything with an id rejects or throws UnknownPluginError. Reloading reads the configuration again first. */
export interface PluginPort {
  list(): readonly PluginStatus[];
  inspect(id: string): PluginStatus;
  reload(id: string): Promise<PluginStatus>;
  reloadAll(): Promise<readonly PluginStatus[]>;
}

/**
 * Changes to jobs; looking at them needs the store only. Rejects with InvalidJobError, InvalidScheduleError or
 * UnknownJobError.
 */
export interface JobPort {
  add(job: AskedJob): Promise<JobRow>;
  edit(id: string, edit: AskedJobEdit): Promise<JobRow>;
  remove(id: string): Promise<JobRow>;
  run(id: string): Promise<StartedJob>;
  status(): Promise<ScheduleStatus>;
}

/** Without an agent it is the default one's. `deliver` is a surface such as `web:<name>`, or `none`. */
export type AskedJob = Omit<JobDraft, 'agentId' | 'deliverTo'> & {
  readonly agentId?: string | undefined;
  readonly deliver?: string | null | undefined;
};

export type AskedJobEdit = Omit<JobEdit, 'deliverTo'> & { readonly deliver?: string | null | undefined };

export interface ReceiveOptions {
  readonly kind?: 'message' | 'api' | undefined;
  /** What a fresh session begins with. */
  readonly seed?: readonly Message[] | undefined;
  /** A hash of what is said, to tell a repetition from another message under the same id. */
  readonly fingerprint?: string | undefined;
}

export interface RouteExplanation {
  readonly agentId: string;
  readonly sessionKey: string;
  /** One sentence for each rule that was looked at, the deciding one last. */
  readonly rules: readonly string[];
}

export interface ExplainToolsRequest {
  /** Default: the agent's main session. */
  readonly sessionKey?: string | undefined;
  readonly agentId?: string | undefined;
  /** Default: the agent's first choice. */
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
}

export interface ToolsExplanation {
  readonly agentId: string;
  readonly sessionKey: string;
  readonly provider: string;
  readonly model: string;
  /** Whether the tools that only the operator has are offered there. */
  readonly isOwner: boolean;
  /** What a tool has to pass, in order; a list that is null forbids nothing. */
  readonly steps: readonly {
    readonly source: string;
    readonly allow: readonly string[] | null;
    readonly deny: readonly string[] | null;
  }[];
  readonly tools: readonly ExplainedTool[];
  readonly warnings: readonly string[];
}

export interface ExplainedTool {
  readonly name: string;
  /** Who brought it; null for the product's own. */
  readonly owner: string | null;
  readonly groups: readonly string[];
  readonly description: string;
  readonly isOffered: boolean;
  /** What decided, in the words of the configuration. */
  readonly rule: string;
  /** The step that it belongs to; null when no step says anything about the tool. */
  readonly source: string | null;
}

export interface GatewayStatus {
  readonly version: string;
  readonly url: string;
  readonly startedAt: number;
  readonly store: string;
  readonly stateDir: string;
  readonly agents: readonly AgentStatus[];
  readonly channels: readonly ChannelStatus[];
  readonly running: readonly { readonly sessionKey: string; readonly runId: string; readonly since: number }[];
  readonly waiting: number;
  /** Tool calls that wait for a person. */
  readonly approvals: number;
  readonly outbox: { readonly queued: number; readonly failed: number };
  readonly deadLetters: { readonly in: number; readonly out: number };
  readonly sessions: number;
  readonly schedule: ScheduleStatus;
  /** What an operator should know: cut bootstrap files, a trajectory folder that cannot be written, a missing key. */
  readonly warnings: readonly string[];
}

export interface AgentStatus {
  readonly agentId: string;
  readonly isDefault: boolean;
  readonly workspaceDir: string;
  /** `provider/model`. */
  readonly model: string;
  readonly fallbacks: readonly string[];
}

export interface ChannelStatus {
  readonly id: string;
  readonly guarantee: DeliveryGuarantee;
  readonly maxTextLength: number;
}

export interface PreviewRequest {
  readonly sessionKey?: string | undefined;
  readonly agentId?: string | undefined;
  readonly message: string;
  /** Where it would be typed, for a session whose key does not say; `name:id` names a place on it too. */
  readonly channel?: string | undefined;
  readonly at?: Date | undefined;
  /** Also runs prompt hooks that are not declared pure. */
  readonly runHooks?: boolean | undefined;
}

export interface Preview {
  readonly sessionKey: string;
  readonly agentId: string;
  readonly provider: string;
  readonly model: string;
  readonly wire: WireRequest;
  readonly report: ContextReport;
  /** Who wrote which characters of the body's texts, in the order of the body. */
  readonly spans: readonly ToldSpan[];
  /** Hooks that would have run and stand as placeholders; byte equality is promised when there are none. */
  readonly placeholders: readonly string[];
}
