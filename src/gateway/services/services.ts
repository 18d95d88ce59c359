// Everything that may be asked of a running gateway: one service per noun, each beside its domain, built by `main.ts` and
// handed to the routes, the commands and the plugins. It has no behaviour of its own.

import type { InjectionRequest, QueuedText } from '../../agent/queue-injection.ts';
import type { CommandList } from '../../commands/chat-command.ts';
import type { DeadLetters } from '../../delivery/dead-letters.ts';
import type { BeforeInstallEvent, InstallHookContext } from '../../hooks/lifecycle-hooks.ts';
import type { Inbound } from '../../protocol/inbound.ts';
import type { LiveEvent } from '../../protocol/live-event.ts';
import type { Route } from '../../routing/resolve-route.ts';
import type { Jobs } from '../../schedule/jobs.ts';
import type { Sessions } from '../../sessions/sessions.ts';
import type { Store } from '../../store/store.ts';
import type { McpServerStatus } from '../../tools/mcp/mcp-server.ts';
import type { Inbox } from '../inbound/inbox.ts';
import type { GatewayMethods } from '../plugins/gateway-methods.ts';
import type { Approvals } from './approvals.ts';
import type { InstallVerdict } from './check-install.ts';
import type { ExplainToolsRequest, ToolsExplanation } from './explain-tools.ts';
import type { GatewayStatus } from './gateway-status.ts';
import type { HookControl } from './hook-control.ts';
import type { PluginControl } from './plugin-control.ts';
import type { Preview, PreviewRequest } from './preview-message.ts';
import type { Runs } from './runs.ts';

export interface Services {
  /** For reading only. */
  readonly store: Store;
  /** Accepts a message: resolves when it is safe in the inbox. Rejects with an AtriumError when it cannot be taken. */
  readonly inbox: Pick<Inbox, 'receive'>;
  /** Where a message would go, and the rules that decide it. */
  route(inbound: Inbound): Route;
  /**
   * Every live event of every session from now on, as clients may see it; returns the undo. A listener that throws
   * disturbs no other.
   */
  subscribe(listener: (event: LiveEvent) => void): () => void;
  status(): Promise<GatewayStatus>;
  readonly runs: Runs;
  readonly sessions: Sessions;
  readonly injections: {
    /** Queues text for the next run of a session. */
    queue(request: InjectionRequest): Promise<QueuedText>;
  };
  readonly approvals: Approvals;
  /** What people can type into a chat now. */
  readonly commands: CommandList;
  readonly jobs: Jobs;
  readonly deadLetters: DeadLetters;
  readonly plugins: PluginControl;
  readonly hooks: HookControl;
  /** What may be called by name: the gateway's own methods and those of plugins. */
  readonly methods: GatewayMethods;
  readonly context: {
    /** The next request for this message, as it would go over the wire; nothing is consumed or stored. */
    preview(request: PreviewRequest): Promise<Preview>;
  };
  readonly tools: {
    /** Which tools an agent is offered in a session, and the rule that decides about each. */
    explain(request: ExplainToolsRequest): Promise<ToolsExplanation>;
    /** The servers of tools that are configured and on. */
    mcpServers(): Promise<readonly McpServerStatus[]>;
  };
  readonly installs: {
    /** Asks the plugins whether something may be installed. */
    check(event: BeforeInstallEvent, context: InstallHookContext): Promise<InstallVerdict>;
  };
}
