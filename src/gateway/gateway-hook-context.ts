// The context of gateway_start, gateway_stop and cron_changed: the configuration, the workspace of the default agent,
// and access to the jobs. Plugins in the worker have a substitute for `getCron` in their own thread.

import type { GatewayHookContext } from '../hooks/lifecycle-hooks.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { Jobs } from '../schedule/jobs.ts';
import type { Store } from '../store/store.ts';
import { askCron } from './plugins/plugin-cron.ts';

export interface GatewayContextParts {
  readonly config: object;
  readonly workspaceDir: string;
  readonly agentId: string;
  readonly store: Store;
  readonly jobs: () => Jobs;
}

export function gatewayHookContext(parts: GatewayContextParts): GatewayHookContext {
  const { config, workspaceDir, agentId } = parts;
  const cron = cronService(parts);
  return { config, workspaceDir, agentId, getCron: () => cron };
}

/** The contract's service. It acts in the name of the plugin that owns the handler. */
function cronService({ store, jobs }: GatewayContextParts) {
  const ask = (request: Parameters<typeof askCron>[2]) => askCron({ store, jobs }, 'program', request);
  return {
    list: () => ask({ op: 'list' }),
    status: () => ask({ op: 'status' }),
    add: (job: JsonObject) => ask({ op: 'add', job }),
    update: (id: string, patch: JsonObject) => ask({ op: 'update', id, patch }),
    remove: (id: string) => ask({ op: 'remove', id }),
    run: (id: string) => ask({ op: 'run', id }),
  };
}
