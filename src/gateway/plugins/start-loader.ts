// Starts what loads plugins, in the worker or in the gateway itself. The code for it is read when the first plugin needs
// it, because most homes have none.

import type { WorkerPlugins, WorkerPluginsSettings } from '../../plugins/isolation/worker-plugins.ts';
import type { InlinePlugins } from '../../plugins/loading/inline-plugins.ts';

export async function startWorkerLoader(settings: WorkerPluginsSettings): Promise<WorkerPlugins> {
  const { WorkerPlugins } = await import('../../plugins/isolation/worker-plugins.ts');
  return new WorkerPlugins(settings);
}

export async function startInlineLoader(): Promise<InlinePlugins> {
  const { InlinePlugins } = await import('../../plugins/loading/inline-plugins.ts');
  return new InlinePlugins();
}
