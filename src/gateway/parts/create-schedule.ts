// Builds the gateway's jobs and heartbeats from its configuration: their sessions, where their answers go, and which
// listeners are told. `createSchedule` builds, `open` starts the clock.

import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { listAgentIds, resolveAgentConfig, resolveDefaultAgentId } from '../../config/agents.ts';
import type { Environment } from '../../config/environment.ts';
import type { Config } from '../../config/schema.ts';
import { resolveTimezone } from '../../config/timezone.ts';
import { TAXONOMIES } from '../../context/taxonomy.ts';
import { openRegularFile } from '../../context/workspace/open-regular-file.ts';
import { OPENCLAW_TEMPLATES } from '../../context/workspace/templates/openclaw-templates.ts';
import type { Teller } from '../../facts/teller.ts';
import type { GatewayHookContext } from '../../hooks/lifecycle-hooks.ts';
import { buildAgentMainSessionKey } from '../../protocol/build-session-key.ts';
import type { LiveEvent } from '../../protocol/live-event.ts';
import type { Say } from '../../protocol/log.ts';
import { Heartbeats } from '../../schedule/heartbeats.ts';
import { Jobs, type JobsParts } from '../../schedule/jobs.ts';
import { Schedule } from '../../schedule/schedule.ts';
import type { Store } from '../../store/store.ts';
import type { CronToolJobs } from '../../tools/cron.ts';
import { CronChanges } from '../cron-changes.ts';
import { heartbeatTarget } from '../heartbeat-target.ts';
import { heartbeatSettingsOf } from '../settings/heartbeat-settings.ts';

export interface ScheduleParts {
  readonly store: Store;
  readonly teller: Teller;
  /** The context of `cron_changed` events besides the job. */
  readonly hookContext?: GatewayHookContext | undefined;
  readonly config: Config;
  readonly environment: Environment;
  /** The ids of the channels that answers can go to. */
  readonly channels: () => readonly string[];
  readonly workspaceDirOf: (agentId: string) => string;
  /** Rejects with an AtriumError when the agent cannot be given the model of this name. */
  readonly checkModel: (name: string, agentId: string) => Promise<void>;
  readonly subscribe: (listener: (event: LiveEvent) => void) => () => void;
  /** Only what happens on this node. */
  readonly subscribeHere: (listener: (event: LiveEvent) => void) => () => void;
  /** Whether other nodes share the store. */
  readonly isShared?: boolean | undefined;
  readonly wakeLane: (sessionKey: string) => void;
  /** Does again what a client asked for, when its commit was refused for the moment. */
  readonly again?: JobsParts['again'];
  readonly now: () => number;
  readonly warn: Say;
}

export interface GatewaySchedule {
  readonly schedule: Schedule;
  readonly heartbeats: Heartbeats;
  /** The functions for the API. */
  readonly jobs: Jobs;
  /** The functions for the `cron` tool. */
  readonly toolJobs: CronToolJobs;
  /** Starts the clock: from now on jobs become due. */
  open(): Promise<void>;
  /** Takes up the heartbeats of the configuration as it is now. */
  apply(): void;
  /** Stops the clock: no job becomes due any more. Runs that go on may end, and their end is told. */
  close(): Promise<void>;
  /** Tells how runs of jobs end, including those that an earlier process started. */
  readonly changes: { open(): Promise<void>; close(): Promise<void> };
}

/** A longer file is not read as a checklist. */
const MAX_CHECKLIST_BYTES = 1_048_576;

export function createSchedule(parts: ScheduleParts): GatewaySchedule {
  const { store, teller, config, environment, channels, now, warn, wakeLane } = parts;
  const mainSessionKeyOf = (agentId: string) =>
    config.session?.scope === 'global'
      ? 'global'
      : buildAgentMainSessionKey({ agentId, mainKey: config.session?.mainKey });
  const changes = new CronChanges(store, teller, { context: parts.hookContext, isShared: parts.isShared });
  const schedule = new Schedule({
    store,
    now,
    timezone: resolveTimezone(config, environment),
    isEnabled: config.cron?.enabled ?? true,
    missed: config.cron?.missed ?? 'catch-up',
    mainSessionKeyOf,
    knowsAgent: (agentId) => listAgentIds(config).includes(agentId),
    checkModel: parts.checkModel,
    lastPlaceOf: (agentId) =>
      heartbeatTarget(
        store,
        { agentId, sessionKey: mainSessionKeyOf(agentId), target: 'last', directPolicy: 'allow' },
        channels(),
      ),
    wakeLane,
    tell: (change) => changes.changed(change),
    warn,
  });
  let settings = heartbeatSettingsOf(config, environment, mainSessionKeyOf);
  const heartbeats = new Heartbeats({
    store,
    now,
    agents: () => settings,
    readChecklist: (agentId) => readChecklist(config, agentId, parts.workspaceDirOf(agentId)),
    targetOf: async ({ agentId }) => {
      const agent = settings.find((each) => each.agentId === agentId);
      return agent ? heartbeatTarget(store, agent, channels()) : null;
    },
    wakeLane,
    warn,
  });
  let undo: readonly (() => void)[] = [];
  return {
    schedule,
    heartbeats,
    jobs: new Jobs({ schedule, channels, defaultAgentId: resolveDefaultAgentId(config), again: parts.again }),
    toolJobs: {
      list: (agentId) => schedule.list(agentId),
      find: (id) => schedule.find(id),
      add: (job) => schedule.add(job),
      edit: (id, edit) => schedule.edit(id, edit),
      remove: (id) => schedule.remove(id),
      run: (id) => schedule.run(id),
      history: (id, limit) => schedule.history(id, limit),
      jobOfRun: (runId) => schedule.jobOfRun(runId),
      status: () => schedule.status(),
      mainSessionKeyOf,
    },
    open: async () => {
      await schedule.open();
      heartbeats.open();
    },
    apply: () => {
      const next = heartbeatSettingsOf(config, environment, mainSessionKeyOf);
      if (isDeepStrictEqual(next, settings)) return;
      settings = next;
      heartbeats.apply();
    },
    close: async () => {
      await heartbeats.close();
      await schedule.close();
    },
    changes: {
      open: async () => {
        // The node at which a run goes on tells of it; its answer may be sent by another one.
        undo = [
          parts.subscribeHere((event) => changes.watch(event)),
          parts.subscribe(({ type, runId }) => {
            if (type === 'delivery-end') void changes.look(runId);
          }),
        ];
        await changes.open();
      },
      close: async () => {
        for (const each of undo) each();
        await changes.close();
      },
    },
  };
}

/** Undefined when there is no file, and for the template text of a new workspace. */
async function readChecklist(config: Config, agentId: string, workspaceDir: string): Promise<string | undefined> {
  const taxonomy = TAXONOMIES[resolveAgentConfig(config, agentId)?.taxonomy ?? 'openclaw'];
  if (taxonomy.id !== 'openclaw') return undefined;
  const handle = await openRegularFile(join(workspaceDir, 'HEARTBEAT.md'));
  if (!handle) return undefined;
  try {
    const { size } = await handle.stat();
    const text = size > MAX_CHECKLIST_BYTES ? '' : await handle.readFile('utf8');
    return text.trim() === OPENCLAW_TEMPLATES['HEARTBEAT.md'].trim() ? undefined : text;
  } finally {
    await handle.close();
  }
}
