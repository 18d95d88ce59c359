// The parts of a gateway as a list: they are opened from top to bottom and closed from bottom to top. What may change
// while a part is open stands with the part, as the paths of the configuration that it reads.

import type { RunParts } from '../agent/run-parts.ts';
import { chargeCutEmbeddings } from '../agent/spend/reserve-embeddings.ts';
import { tellForgottenEnds } from '../agent/tell-forgotten-ends.ts';
import type { AttachmentStore } from '../attachments/attachment-store.ts';
import type { Config } from '../config/schema.ts';
import type { shownEvents } from '../delivery/shown-events.ts';
import type { GatewayHookContext } from '../hooks/lifecycle-hooks.ts';
import type { Lanes } from '../lanes/lanes.ts';
import { GatewayNotReadyError } from '../protocol/errors.ts';
import type { Say } from '../protocol/log.ts';
import { within } from '../protocol/time-limit.ts';
import { recordLostEnds } from '../recorder/record-lost-ends.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { StateLock } from '../store/state-lock.ts';
import type { Store } from '../store/store.ts';
import type { McpServers } from '../tools/mcp/mcp-servers.ts';
import type { PlatformChannels } from './channels/platform-channels.ts';
import type { ContextWarnings } from './context-warnings.ts';
import type { GatewayDelivery } from './gateway-delivery.ts';
import type { GatewayPart, GatewayStop } from './gateway-part.ts';
import { RunWork } from './lane-work.ts';
import type { ChatRecordsPart } from './parts/create-chat-records.ts';
import type { BuiltDraftParts } from './parts/create-draft-parts.ts';
import type { PageNews } from './parts/create-page-news.ts';
import type { GatewayPlugins } from './parts/create-plugins.ts';
import type { Records } from './parts/create-records.ts';
import type { GatewaySchedule } from './parts/create-schedule.ts';
import type { BuiltSuspensions } from './parts/create-suspensions.ts';
import type { Telemetry } from './parts/create-telemetry.ts';
import type { WayIn } from './parts/create-way-in.ts';
import type { Children } from './services/children.ts';
import type { Installs } from './services/installs.ts';
import type { ReceiptIndex } from './services/receipts/receipt-index.ts';
import { settleCutReplays } from './services/replay/model-replays.ts';
import { WordIndex } from './services/search/word-index.ts';
import type { ConfigWatch } from './settings/config-watch.ts';
import type { LiveConfig } from './settings/live-config.ts';
import { liveSettings } from './settings/live-settings.ts';
import type { Chore } from './sharing/chores.ts';
import type { Connection, Sharing } from './sharing/sharing.ts';
import type { SpendLimits } from './spend-limits.ts';
import { tellWorkspaces } from './tell-workspaces.ts';
import type { Housekeeping } from './upkeep/housekeeping.ts';
import { PauseWatch } from './upkeep/pause-watch.ts';
import { recordLimits } from './upkeep/record-limits.ts';
import type { Retention } from './upkeep/retention.ts';
import { WEBHOOK_SETTINGS } from './webhooks/webhooks.ts';
import type { Workspaces } from './workspaces.ts';

/** Listeners that are told that the gateway stops have at least this long, even when the time for stopping is over. */
const LAST_WORDS_MS = 2_000;
/** Each step of a stop has at least this long, even when the gateway stops in a hurry. */
const LEAST_CLOSE_MS = 500;

export interface ListedParts {
  readonly config: Config;
  /** Chat platforms are not connected, and services of plugins are not started. */
  readonly isTrial?: boolean | undefined;
  readonly liveConfig: LiveConfig;
  readonly configWatch: ConfigWatch;
  readonly lock: StateLock;
  readonly sharing: Sharing;
  readonly connection: Connection;
  /** Undefined when nothing is recorded. */
  readonly receiptIndex: ReceiptIndex | undefined;
  readonly store: Store;
  readonly attachments: Pick<AttachmentStore, 'open' | 'close'>;
  readonly records: Records;
  readonly telemetry: Telemetry;
  readonly chatRecords: ChatRecordsPart;
  readonly workspaces: Workspaces;
  readonly workspaceDirOf: (agentId: string) => string;
  readonly contextWarnings: ContextWarnings;
  readonly plugins: GatewayPlugins;
  /** Made with `pluginPartOf`. */
  readonly pluginPart: GatewayPart;
  readonly mcp: McpServers;
  readonly drafting: BuiltDraftParts;
  readonly delivery: GatewayDelivery;
  readonly platforms: PlatformChannels;
  readonly wayIn: WayIn;
  readonly shown: ReturnType<typeof shownEvents>;
  readonly runParts: RunParts;
  readonly lanes: Lanes;
  readonly suspending: BuiltSuspensions;
  readonly sessions: Sessions;
  readonly children: Children;
  readonly schedule: GatewaySchedule;
  readonly spendLimits: SpendLimits;
  readonly retention: Retention;
  readonly housekeeping: Housekeeping;
  readonly pageNews: PageNews;
  readonly installs: Pick<Installs, 'close'>;
  readonly hookContext: GatewayHookContext;
  readonly warn: Say;
}

export function listParts(listed: ListedParts): readonly GatewayPart[] {
  const {
    config,
    configWatch,
    lock,
    store,
    telemetry,
    chatRecords,
    workspaces,
    plugins,
    mcp,
    drafting,
    receiptIndex,
    sharing,
    connection,
  } = listed;
  const { cluster } = sharing;
  const { delivery, platforms, wayIn, shown, runParts, lanes, sessions, children, schedule, warn } = listed;
  const { live, recorder, trajectoryDir } = listed.records;
  const { approvals, waits, suspensions } = listed.suspending;
  const { sockets } = delivery;
  const { exec } = drafting;
  const wordIndex = new WordIndex({ store, warn, isMine: sharing.isMine });
  const pauseWatch = new PauseWatch(warn);
  return [
    {
      name: 'the state directory',
      close: async () => {
        await store.close();
        await lock.release();
      },
    },
    // Nothing can be stored before the node is a member, nor after it has left.
    { name: 'the membership of the node', open: () => cluster.join(), close: () => cluster.leave() },
    {
      name: 'the files of messages',
      open: () => listed.attachments.open(),
      close: () => listed.attachments.close(),
    },
    { name: 'the recorder', close: () => recorder.drain() },
    {
      name: 'traces and metrics',
      open: () => telemetry.open(),
      close: ({ left }) => telemetry.close(Math.min(left(LEAST_CLOSE_MS), LAST_WORDS_MS)),
    },
    chatRecords,
    { name: 'the workspaces', open: () => workspaces.prepareAll(), close: () => workspaces.settle() },
    // The start does not wait for it: until the other nodes are told, the places of the workspaces are unknown to them.
    {
      name: 'the places of the workspaces',
      open: () =>
        void tellWorkspaces({ cluster, config, workspaces, workspaceDirOf: listed.workspaceDirOf }).catch(
          () => undefined,
        ),
    },
    liveSettings({ ...listed, hooks: listed.records.hooks }),
    {
      name: 'the limits on spending',
      reads: ['limits'],
      open: sharing.atStart(() => chargeCutEmbeddings(listed.store)),
      reopen: async (changed) => {
        for (const sentence of listed.spendLimits.apply(changed.config)) warn(sentence);
      },
    },
    recordLimits({ retention: listed.retention, recorder }),
    { name: 'the webhooks', reads: WEBHOOK_SETTINGS, reopen: async (changed) => wayIn.webhooks.apply(changed.config) },
    // Plugins are opened before a message can come in, because their gates decide about it.
    listed.pluginPart,
    {
      name: 'the channels',
      open: async () => {
        for (const channel of delivery.fixed) await channel.open(wayIn.admission.portFor(channel));
      },
      close: async () => {
        for (const channel of delivery.fixed) await channel.close();
      },
    },
    ...(listed.isTrial
      ? []
      : [
          {
            name: 'the chat platforms',
            reads: ['channels'],
            open: () => platforms.open(config),
            reopen: (changed) => platforms.apply(changed.config),
            close: () => platforms.close(),
          } satisfies GatewayPart,
        ]),
    // This is told when every run has ended and every answer was handed over.
    { name: 'the telling of the stop', close: (stop) => tellStop(listed, stop) },
    { name: 'the ends of jobs', open: () => schedule.changes.open(), close: () => schedule.changes.close() },
    {
      name: 'the drafts',
      open: () => delivery.drafts.open(),
      close: async () => {
        delivery.typing.close();
        await delivery.drafts.close();
      },
    },
    { name: 'the outbox', open: () => delivery.open(), close: ({ left }) => delivery.close(left(LEAST_CLOSE_MS)) },
    {
      name: 'the live events',
      open: () => {
        shown((event) => {
          sockets.web.watch(event);
          sockets.cli.watch(event);
          delivery.watch(event);
        });
      },
      close: () => live.close(new GatewayNotReadyError({ state: 'draining' })),
    },
    ...connection.events,
    {
      name: 'the news for pages',
      open: () => {
        listed.pageNews.changes.open();
        listed.pageNews.pulse.open();
      },
      close: () => {
        listed.pageNews.changes.close();
        listed.pageNews.pulse.close();
      },
    },
    { name: 'the installations', close: () => listed.installs.close() },
    { name: 'the MCP servers', close: () => mcp.close() },
    {
      name: 'the commands in the background',
      open: () => exec.processes.open(),
      close: () => exec.processes.close(),
    },
    {
      name: 'the ends that were not told',
      // Older ends are told before new runs end. The gateway does not wait for it.
      open: sharing.atStart(() => {
        void tellForgottenEnds(runParts);
        void sessions.tellForgottenEnds();
      }),
    },
    {
      name: 'the ends that trajectories lack',
      open: () => lock.wasLeft && recordLostEnds({ store, trajectoryDir, record: (fact) => recorder.record(fact) }),
    },
    { name: 'the replays that were cut', open: sharing.atStart(() => settleCutReplays(store)) },
    // Their time goes on while the lanes drain, so it is closed after them.
    { name: 'the time of children', close: ({ left }) => children.close(left(LEAST_CLOSE_MS)) },
    {
      name: 'the lanes',
      open: () => lanes.open(new RunWork(runParts, (runId, reason) => suspensions.cancel(runId, reason))),
      close: ({ left }) => lanes.close(left()),
    },
    { name: 'the suspended runs', open: sharing.atStart(() => suspensions.open()) },
    { name: 'the approvals', open: () => approvals.open(), close: () => approvals.close() },
    { name: 'the children', open: () => children.open() },
    { name: 'the children that were left', open: sharing.atStart(() => children.goOnLater()) },
    { name: 'the waits', open: () => waits.open(), close: () => waits.close() },
    { name: 'the schedule', open: () => schedule.open(), close: () => schedule.close() },
    ...(listed.isTrial
      ? []
      : [
          // Services may use everything that is open by now. They are stopped together with the telling of the stop,
          // after the last run.
          { name: 'the services of plugins', open: () => plugins.start() },
          { name: 'the configuration', open: () => configWatch.open(), close: () => configWatch.close() },
        ]),
    { name: 'the watch over pauses', open: () => pauseWatch.open(), close: () => pauseWatch.close() },
    ...(receiptIndex
      ? [{ name: 'the receipts of prompts', open: () => receiptIndex.open(), close: () => receiptIndex.close() }]
      : []),
    { name: 'the words of conversations', open: () => wordIndex.open(), close: () => wordIndex.close() },
    {
      name: 'the housekeeping',
      open: () => listed.housekeeping.open(),
      close: () => listed.housekeeping.close(),
    },
    { name: 'the warnings about handlers', close: () => listed.contextWarnings.close() },
    ...connection.listParts(() => listChores(listed)),
    // What this node does for all passes to the others before it ends its own work.
    { name: 'the duties of the node', close: () => cluster.drain() },
  ];
}

/** What one node does for all, in place of what a process that has its store alone does at its start. */
function listChores(listed: ListedParts): readonly Chore[] {
  const { store, runParts, sessions, children, schedule } = listed;
  const { cluster } = listed.sharing;
  const isAlive = (owner: string | null) => cluster.isAlive(owner);
  const { approvals, waits, suspensions } = listed.suspending;
  // What ended before any of the members was there, none of them tells any more.
  const oldestMember = () => Math.min(...cluster.members.map(({ joinedAt }) => joinedAt));
  const endedBefore = () => {
    const longAgo = runParts.now() - TOLD_WITHIN_MS;
    return cluster.members.length === 0 ? longAgo : Math.max(longAgo, oldestMember());
  };
  return [
    { trouble: 'Approvals could not be ended', everyMs: SOON_MS, work: () => approvals.look() },
    { trouble: 'Runs that wait could not be woken', everyMs: SOON_MS, work: () => waits.look() },
    { trouble: 'Jobs could not be looked for', everyMs: SOON_MS, work: () => schedule.schedule.look() },
    { trouble: 'Children could not be ended', everyMs: SOON_MS, work: () => children.look() },
    { trouble: 'Children of a node that is gone are left', everyMs: LATER_MS, work: () => children.goOn() },
    { trouble: 'Runs whose client is gone go on', everyMs: LATER_MS, work: () => suspensions.open() },
    { trouble: 'Ends of runs were not told', everyMs: LATER_MS, work: () => tellForgottenEnds(runParts, isAlive) },
    {
      trouble: 'Ends of sessions were not told',
      everyMs: LATER_MS,
      work: () => sessions.tellForgottenEnds({ endedBefore: endedBefore() }),
    },
    { trouble: 'Embeddings were not charged', everyMs: LATER_MS, work: () => chargeCutEmbeddings(store, isAlive) },
    { trouble: 'Replays were not charged', everyMs: LATER_MS, work: () => settleCutReplays(store, isAlive) },
  ];
}

/** What a lost message between nodes delays is found after this time. */
const SOON_MS = 5_000;
/** What only a node that died can have left is looked for when one is gone, and this often. */
const LATER_MS = 30_000;
/** The node that ended a session tells it within this time, or does not tell it any more. */
const TOLD_WITHIN_MS = 30_000;

/** The plugins as a part. It stands alone because a plugin may also ask that the configuration is read for this part. */
export function pluginPartOf(plugins: GatewayPlugins): GatewayPart {
  return {
    name: 'the plugins',
    reads: ['plugins'],
    sharesReading: ['agents.list', 'agents.entries', 'agents.defaults.workspace', 'agents.defaults.systemAgent'],
    open: () => plugins.load(),
    reopen: (changed) => plugins.apply(changed),
    close: ({ left }) => plugins.close(left()),
  };
}

async function tellStop(listed: ListedParts, { reason, left }: GatewayStop): Promise<void> {
  const { sessions, plugins, hookContext: context } = listed;
  const { teller, hooks } = listed.records;
  await sessions.tellStop(reason, left(LEAST_CLOSE_MS));
  if (reason === 'restart') await within(left(LAST_WORDS_MS), teller.tell('gateway-restarting', { reason }));
  await within(left(LAST_WORDS_MS), teller.tell('gateway-stopping', { reason }));
  await teller.settle(left(LEAST_CLOSE_MS));
  await hooks.drain(left(LEAST_CLOSE_MS));
  await plugins.stop();
  await within(left(LAST_WORDS_MS), teller.tell('gateway-stopped', { reason, context }));
}
