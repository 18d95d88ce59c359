// The services of a running gateway: one per noun, each beside its domain, built by `parts/create-services.ts` and handed to the routes,
// the commands and the plugins. This file has no behaviour of its own.

import type { WishingClient } from '../../agent/check-client-wishes.ts';
import type { InjectionRequest, QueuedText } from '../../agent/queue-injection.ts';
import type { AccountStatus } from '../../channels/channel-capabilities.ts';
import type { CommandList } from '../../commands/chat-command.ts';
import type { LoadedConfig } from '../../config/load-config.ts';
import type { DeadLetters } from '../../delivery/dead-letters.ts';
import type { Inbound } from '../../protocol/inbound.ts';
import type { LiveEvent } from '../../protocol/live-event.ts';
import type { ModelPrices } from '../../protocol/model-prices.ts';
import type { PulseSample } from '../../protocol/pulse-sample.ts';
import type { DebugSwitches } from '../../recorder/debug-switches.ts';
import type { Route } from '../../routing/resolve-route.ts';
import type { Jobs } from '../../schedule/jobs.ts';
import type { Sessions } from '../../sessions/sessions.ts';
import type { Store } from '../../store/store.ts';
import type { SessionRow } from '../../store/tables.ts';
import type { McpServerStatus } from '../../tools/mcp/mcp-server.ts';
import type { ExportedBundle, ExportRequest } from '../bundle/export-session.ts';
import type { Inbox } from '../inbound/inbox.ts';
import type { ListedModel } from '../models/list-models.ts';
import type { GatewayMethods } from '../plugins/gateway-methods.ts';
import type { ConfigWatch } from '../settings/config-watch.ts';
import type { Pruned, PruneRequest } from '../upkeep/retention.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import type { Approvals } from './approvals.ts';
import type { Attachments } from './attachments.ts';
import type { BootstrapFiles } from './bootstrap-files.ts';
import type { Children } from './children.ts';
import type { ClientCalls } from './client-calls.ts';
import type { Embeddings } from './embeddings.ts';
import type { ExplainToolsRequest, ToolsExplanation } from './explain-tools.ts';
import type { GatewayStatus } from './gateway-status.ts';
import type { HookControl } from './hook-control.ts';
import type { Installs } from './installs.ts';
import type { Nodes } from './nodes.ts';
import type { Pairings } from './pairings.ts';
import type { PluginControl } from './plugin-control.ts';
import type { ContextLook, LookRequest, Preview, PreviewRequest } from './preview-message.ts';
import type { Timeline } from './read-timeline.ts';
import type { Receipts } from './receipts/receipts.ts';
import type { ModelReplays } from './replay/model-replays.ts';
import type { Runs } from './runs.ts';
import type { Settings } from './settings.ts';
import type { SpendReport } from './spending.ts';

export interface Services {
  /** The store must only be read here. */
  readonly store: Store;
  /** Says why the store takes no commit now; undefined when it does. */
  storeProblem(): Promise<string | undefined>;
  /** The gateways that share the store. */
  readonly nodes: Nodes;
  /**
   * Accepts a message: resolves when it is stored in the inbox. Rejects with an AtriumError when it cannot be accepted.
   */
  readonly inbox: Pick<Inbox, 'receive' | 'keep' | 'findUpload' | 'readAttachment'>;
  readonly attachments: Attachments;
  /** The agent and session that a message would go to, and the rules that decide it. */
  route(inbound: Inbound): Route;
  /**
   * Calls the listener for every live event of every session from now on, as clients may see it; returns the function
   * that unsubscribes. A listener that throws does not disturb others.
   */
  subscribe(listener: (event: LiveEvent) => void): () => void;
  /** Without `kinds`, what each kind of record takes is left out, which takes a while to measure in a large store. */
  status(asked?: { readonly kinds?: boolean }): Promise<GatewayStatus>;
  /** How the gateway was in the last hour, the oldest sample first. */
  pulse(): readonly PulseSample[];
  /** The metrics as text for Prometheus. */
  metrics(): Promise<string>;
  /** The limits on spending, and what they have come to. */
  spending(): Promise<SpendReport>;
  readonly runs: Runs;
  /** In which runs a text was in the prompt. */
  readonly receipts: Pick<Receipts, 'find'>;
  /** What another model would have answered in a recorded run. */
  readonly replays: Pick<ModelReplays, 'ask'>;
  /** The results of tools that API clients run themselves. */
  readonly clientCalls: Pick<ClientCalls, 'give'>;
  /** What a provider makes of texts for API clients that compare them. */
  readonly embeddings: Pick<Embeddings, 'make'>;
  /** Whether handlers of plugins decide about what goes out, so that nothing is shown before. */
  areAnswersJudged(): boolean;
  /** Whether a gate decides about messages, so that their words are not shown before it has. */
  areMessagesJudged(): boolean;
  readonly sessions: Sessions;
  readonly injections: {
    /** Queues text for the next run of a session. */
    queue(request: InjectionRequest): Promise<QueuedText>;
  };
  readonly approvals: Approvals;
  /** The people on chat platforms who may talk to the agent, and those who asked. */
  readonly pairings: Pick<Pairings, 'approve' | 'revoke'>;
  readonly channels: {
    /**
     * Closes the channel of a chat platform and opens it again; gives how its accounts are then. Rejects with
     * UnknownChannelError when the configuration has no account of it that could be opened.
     */
    reopen(id: string): Promise<readonly AccountStatus[]>;
  };
  readonly children: Pick<Children, 'list' | 'show' | 'stop' | 'kill'>;
  /** The commands that people can type into a chat now. */
  readonly commands: CommandList;
  readonly jobs: Jobs;
  /** What other programs start by webhooks. */
  readonly webhooks: Webhooks;
  readonly deadLetters: DeadLetters;
  /** Debug logs that are switched on for a while. */
  readonly debug: Pick<DebugSwitches, 'list' | 'switchOn' | 'switchOff'>;
  readonly records: {
    /** Removes what is old. */
    prune(request: PruneRequest): Promise<readonly Pruned[]>;
    /** What happened in a run, in order. Rejects with UnknownRunError. */
    timeline(runId: string): Promise<Timeline>;
    /** Writes everything that is known about a session into a folder of its own, in `<state>/exports` unless told. */
    exportSession(
      request: Omit<ExportRequest, 'parent'> & { readonly parent?: string | undefined },
    ): Promise<ExportedBundle>;
  };
  readonly plugins: PluginControl;
  readonly hooks: HookControl;
  /** The methods that can be called by name: the gateway's own and those of plugins. */
  readonly methods: GatewayMethods;
  readonly context: {
    /** The next request for this message, exactly as it would be sent; nothing is consumed or stored. */
    preview(request: PreviewRequest): Promise<Preview>;
    /** What an agent would read in a situation, the request around it, and the configuration that it comes from. */
    look(
      request: LookRequest & { readonly config?: Readonly<Record<string, unknown>> | undefined },
    ): Promise<ContextLook & { readonly configuration: LoadedConfig }>;
  };
  /** The bootstrap files of the agents, for people who edit them. */
  readonly bootstrapFiles: BootstrapFiles;
  readonly tools: {
    /** The tools that an agent is offered in a session, and the rule that decides about each. */
    explain(request: ExplainToolsRequest): Promise<ToolsExplanation>;
    /** The servers of tools that are configured and enabled. */
    mcpServers(): Promise<readonly McpServerStatus[]>;
  };
  readonly models: {
    /** Per million tokens, as the configuration gives them now; undefined when they are not known. */
    pricesOf(provider: string, model: string): Promise<ModelPrices | undefined>;
    /** The models that can be used now, or only those that agents use and the configuration names. */
    list(request: {
      readonly isAll: boolean;
      /** For whom a model of all would be chosen; undefined for the default agent. */
      readonly agentId?: string | undefined;
    }): Promise<readonly ListedModel[]>;
    /** `provider/model` of the model that answers in a session, the first choice. */
    of(session: Pick<SessionRow, 'agentId' | 'state'>): string;
    /** Rejects with an AtriumError when the model of this name cannot be used. */
    check(name: string, agentId: string): Promise<void>;
    /** Rejects with AnswerWishError when the model that would answer cannot be told what an API client wishes. */
    checkWishes(client: WishingClient): Promise<void>;
  };
  /** How far the gateway follows its configuration files. */
  readonly configuration: Pick<ConfigWatch, 'state'>;
  /** The configuration for a form, and one change of it. */
  readonly settings: Pick<Settings, 'read' | 'set' | 'unset' | 'reveal'>;
  /** What is installed after a person has read what it is, and whether the plugins object. */
  readonly installs: Pick<Installs, 'check' | 'begin' | 'confirm' | 'cancel'>;
}
