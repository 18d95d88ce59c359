// What the pages of the operator ask the gateway: hooks and plugins, operations, jobs, settings. The types are those of the
// gateway itself. Errors: as `GatewayClient`.

import type { AccountStatus } from '../../src/channels/channel-capabilities.ts';
import type { PluginDecision } from '../../src/gateway/plugins/write-plugin-decision.ts';
import type { Conservation } from '../../src/gateway/services/conservation.ts';
import type { GatewayStatus } from '../../src/gateway/services/gateway-status.ts';
import type { HooksStatus, SwitchedItem } from '../../src/gateway/services/hook-control.ts';
import type { HookItem } from '../../src/gateway/services/hook-inventory.ts';
import type { DoneInstall, InstallReview } from '../../src/gateway/services/installs.ts';
import type { SettingChange, ShownSettings } from '../../src/gateway/services/settings.ts';
import type { SpendReport } from '../../src/gateway/services/spending.ts';
import type { PluginStatus } from '../../src/plugins/plugin-status.ts';
import type { ApprovalDecision } from '../../src/protocol/approval-decision.ts';
import type { JsonValue } from '../../src/protocol/json.ts';
import type { PulseSample } from '../../src/protocol/pulse-sample.ts';
import type { JobHistoryEntry } from '../../src/schedule/job-history.ts';
import type { DeadLetterRow, JobRow } from '../../src/store/tables.ts';
import type { GatewayClient, ToldApproval } from './gateway-client.ts';

export type { HandlerStatus } from '../../src/gateway/services/hook-control.ts';
export type {
  Conservation,
  DoneInstall,
  GatewayStatus,
  HookItem,
  HooksStatus,
  InstallReview,
  PluginDecision,
  PluginStatus,
  PulseSample,
  SettingChange,
  ShownSettings,
  SpendReport,
};
export type DeadLetter = DeadLetterRow;
export type Job = JobRow;
export type JobSlot = JobHistoryEntry;

export interface UsageDay {
  /** The day, such as 2026-11-17. */
  readonly key: string;
  readonly calls: number;
  readonly input: number;
  readonly output: number;
  readonly cost: number | null;
}

/** A job as a person writes it. */
export interface JobWish {
  readonly name: string;
  readonly message: string;
  readonly schedule: { readonly at?: string; readonly every?: string; readonly cron?: string; readonly tz?: string };
  readonly agentId?: string | undefined;
  readonly session?: 'own' | 'main' | undefined;
  readonly deliver?: string | undefined;
}

export class OperatorClient {
  readonly #client: Pick<GatewayClient, 'ask'>;

  constructor(client: Pick<GatewayClient, 'ask'>) {
    this.#client = client;
  }

  hooks(): Promise<HooksStatus> {
    return this.#client.ask('/api/hooks');
  }

  async handlers(): Promise<readonly HookItem[]> {
    return (await this.#client.ask<{ items: readonly HookItem[] }>('/api/hooks/handlers')).items;
  }

  switchHandler(id: string, enabled: boolean): Promise<SwitchedItem> {
    return this.#client.ask(`/api/hooks/handlers/${encodeURIComponent(id)}`, { enabled });
  }

  rearm(name: string): Promise<unknown> {
    return this.#client.ask('/api/hooks/rearm', { name });
  }

  async plugins(): Promise<readonly PluginStatus[]> {
    return (await this.#client.ask<{ plugins: readonly PluginStatus[] }>('/api/plugins')).plugins;
  }

  reloadPlugin(id: string): Promise<unknown> {
    return this.#client.ask(`/api/plugins/${encodeURIComponent(id)}/reload`, {});
  }

  decidePlugin(id: string, decision: PluginDecision): Promise<unknown> {
    return this.#client.ask(`/api/plugins/${encodeURIComponent(id)}/decide`, decision);
  }

  async beginInstall(source: string, kind: 'plugin' | 'skill', force: boolean): Promise<InstallReview> {
    return (await this.#client.ask<{ review: InstallReview }>('/api/installs', { source, kind, force })).review;
  }

  async confirmInstall(id: string): Promise<DoneInstall> {
    const path = `/api/installs/${encodeURIComponent(id)}/confirm`;
    return (await this.#client.ask<{ installed: DoneInstall }>(path, {})).installed;
  }

  dropInstall(id: string): Promise<unknown> {
    return this.#client.ask(`/api/installs/${encodeURIComponent(id)}`, undefined, 'DELETE');
  }

  status(): Promise<GatewayStatus> {
    return this.#client.ask('/api/status');
  }

  async approvals(): Promise<readonly ToldApproval[]> {
    const path = '/api/approvals?status=waiting&limit=100';
    return (await this.#client.ask<{ approvals: readonly ToldApproval[] }>(path)).approvals;
  }

  answerApproval(id: string, decision: ApprovalDecision): Promise<unknown> {
    return this.#client.ask(`/api/approvals/${encodeURIComponent(id)}`, { decision, from: 'web' });
  }

  async deadLetters(): Promise<readonly DeadLetter[]> {
    const path = '/api/deadletters?limit=100';
    return (await this.#client.ask<{ deadLetters: readonly DeadLetter[] }>(path)).deadLetters;
  }

  replayDeadLetter(id: string): Promise<unknown> {
    return this.#client.ask(`/api/deadletters/${encodeURIComponent(id)}/replay`, {});
  }

  removeDeadLetter(id: string): Promise<unknown> {
    return this.#client.ask(`/api/deadletters/${encodeURIComponent(id)}`, undefined, 'DELETE');
  }

  removeAllDeadLetters(): Promise<unknown> {
    return this.#client.ask('/api/deadletters?all=true', undefined, 'DELETE');
  }

  spending(): Promise<SpendReport> {
    return this.#client.ask('/api/usage/limits');
  }

  /** Days begin where those of the limits do, so that both can be compared; without limits, where the person is. */
  async usageByDay(): Promise<readonly UsageDay[]> {
    const { limits, timezone: ofLimits } = await this.spending();
    const timezone = limits.length > 0 ? ofLimits : Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';
    const path = `/api/usage?by=day&timezone=${encodeURIComponent(timezone)}`;
    return (await this.#client.ask<{ groups: readonly UsageDay[] }>(path)).groups;
  }

  conservation(): Promise<Conservation> {
    return this.#client.ask('/api/conservation');
  }

  async pulse(): Promise<readonly PulseSample[]> {
    return (await this.#client.ask<{ samples: readonly PulseSample[] }>('/api/pulse')).samples;
  }

  reopenChannel(id: string): Promise<{ readonly accounts: readonly AccountStatus[] }> {
    return this.#client.ask(`/api/channels/${encodeURIComponent(id)}/reopen`, {});
  }

  async jobs(): Promise<readonly Job[]> {
    return (await this.#client.ask<{ jobs: readonly Job[] }>('/api/cron/jobs')).jobs;
  }

  addJob(wish: JobWish): Promise<unknown> {
    return this.#client.ask('/api/cron/jobs', wish);
  }

  editJob(id: string, change: Partial<JobWish> & { readonly enabled?: boolean }): Promise<unknown> {
    return this.#client.ask(`/api/cron/jobs/${encodeURIComponent(id)}`, change);
  }

  removeJob(id: string): Promise<unknown> {
    return this.#client.ask(`/api/cron/jobs/${encodeURIComponent(id)}`, undefined, 'DELETE');
  }

  runJob(id: string): Promise<unknown> {
    return this.#client.ask(`/api/cron/jobs/${encodeURIComponent(id)}/run`, {});
  }

  async jobHistory(id: string): Promise<readonly JobSlot[]> {
    const path = `/api/cron/jobs/${encodeURIComponent(id)}/history?limit=20`;
    return (await this.#client.ask<{ entries: readonly JobSlot[] }>(path)).entries;
  }

  settings(): Promise<ShownSettings> {
    return this.#client.ask('/api/settings');
  }

  setSetting(setting: string, value: JsonValue): Promise<SettingChange> {
    return this.#client.ask('/api/settings', { setting, value: value as object });
  }

  unsetSetting(setting: string): Promise<SettingChange> {
    return this.#client.ask(`/api/settings?setting=${encodeURIComponent(setting)}`, undefined, 'DELETE');
  }

  async revealSetting(setting: string): Promise<JsonValue> {
    return (await this.#client.ask<{ value: JsonValue }>('/api/settings/reveal', { setting })).value;
  }
}
