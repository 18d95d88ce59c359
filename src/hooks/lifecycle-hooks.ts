// The events and answers of hooks about the gateway itself: its start and stop, its jobs, and what is installed into
// it. Field names are the plugin contract's and do not change.

import type { JsonObject } from '../protocol/json.ts';
import type { HookContext } from './hook-context.ts';

export interface LifecycleHooks {
  gateway_start: { event: GatewayStartEvent; context: GatewayHookContext; result: undefined };
  gateway_stop: { event: GatewayStopEvent; context: GatewayHookContext; result: undefined };
  cron_changed: { event: CronChangedEvent; context: GatewayHookContext; result: undefined };
  before_install: { event: BeforeInstallEvent; context: InstallHookContext; result: BeforeInstallResult };
}

export interface GatewayHookContext extends HookContext {
  readonly port?: number | undefined;
  readonly config?: object | undefined;
  /** The gateway's scheduler, for handlers that inspect or change jobs. */
  readonly getCron?: (() => unknown) | undefined;
}

export interface GatewayStartEvent {
  readonly port: number;
}

export interface GatewayStopEvent {
  readonly reason?: string | undefined;
}

export interface CronChangedEvent {
  readonly action: 'added' | 'updated' | 'removed' | 'started' | 'finished' | 'scheduled';
  readonly jobId: string;
  readonly agentId?: string | undefined;
  /** The session in which the job runs, as the job itself says it. */
  readonly sessionTarget?: string | undefined;
  readonly runId?: string | undefined;
  /** The job as it is now; for `removed`, as it was. */
  readonly job?: CronJobSnapshot | undefined;
  readonly status?: string | undefined;
  readonly error?: string | undefined;
  readonly summary?: string | undefined;
  readonly delivered?: boolean | undefined;
  readonly deliveryStatus?: CronDeliveryStatus | undefined;
  readonly deliveryError?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly sessionKey?: string | undefined;
  readonly runAtMs?: number | undefined;
  readonly durationMs?: number | undefined;
  readonly nextRunAtMs?: number | undefined;
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
}

export type CronDeliveryStatus = 'not-requested' | 'delivered' | 'not-delivered' | 'unknown';

export interface CronJobSnapshot {
  readonly id: string;
  readonly name?: string | undefined;
  readonly enabled?: boolean | undefined;
  readonly agentId?: string | undefined;
  readonly sessionKey?: string | undefined;
  readonly schedule?: JsonObject | undefined;
  /** `main`, or `isolated` for a session of the job's own. */
  readonly sessionTarget?: string | undefined;
  readonly payload?: { readonly kind: string; readonly message: string } | undefined;
  readonly createdAtMs?: number | undefined;
  readonly updatedAtMs?: number | undefined;
  readonly state?:
    | {
        readonly nextRunAtMs?: number | undefined;
        readonly lastRunAtMs?: number | undefined;
        readonly lastRunStatus?: string | undefined;
        readonly lastError?: string | undefined;
        readonly lastDurationMs?: number | undefined;
        readonly lastDelivered?: boolean | undefined;
        readonly lastDeliveryStatus?: CronDeliveryStatus | undefined;
      }
    | undefined;
}

export interface InstallHookContext extends HookContext {
  readonly targetType?: 'skill' | 'plugin' | undefined;
  readonly requestKind?: string | undefined;
  readonly origin?: string | undefined;
}

export interface BeforeInstallEvent {
  readonly targetType: 'skill' | 'plugin';
  readonly targetName: string;
  readonly sourcePath: string;
  readonly sourcePathKind: 'file' | 'directory';
  readonly origin?: string | undefined;
  readonly request?: JsonObject | undefined;
  readonly builtinScan?: JsonObject | undefined;
  readonly skill?: JsonObject | undefined;
  readonly plugin?: JsonObject | undefined;
}

export interface BeforeInstallResult {
  readonly findings?: readonly InstallFinding[] | undefined;
  readonly block?: boolean | undefined;
  readonly blockReason?: string | undefined;
}

export interface InstallFinding {
  readonly ruleId: string;
  readonly severity: 'info' | 'warn' | 'critical';
  readonly file: string;
  readonly line: number;
  readonly message: string;
}
