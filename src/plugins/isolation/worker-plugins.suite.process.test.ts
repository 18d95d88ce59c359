// One worker serves the whole suite, since starting one from source takes as long as all else; closing a loader here
// unloads its plugins. worker-plugins.test.ts has the tests of the worker itself.

import { afterAll } from 'vitest';
import type { LoadedPlugin, PluginLoader } from '../loaded-plugin.ts';
import { describePluginLoader, type LoaderSettings } from '../loading/plugin-loader-suite.ts';
import { WorkerPlugins } from './worker-plugins.ts';

const shared = workerPlugins({});
afterAll(() => shared.close());

describePluginLoader('in the worker', (settings) =>
  Object.keys(settings).length > 0 ? workerPlugins(settings) : sharing(shared),
);

function workerPlugins(settings: LoaderSettings): WorkerPlugins {
  const events = { trouble: () => {}, reloaded: () => {} };
  return new WorkerPlugins({ memoryMb: 256, heartbeatMs: 10_000, events, now: Date.now, warn: () => {}, ...settings });
}

function sharing(loader: PluginLoader): PluginLoader {
  const loaded: LoadedPlugin[] = [];
  return {
    load: async (setup, host) => {
      const result = await loader.load(setup, host);
      if (result.ok) loaded.push(result.plugin);
      return result;
    },
    close: async () => {
      for (const plugin of loaded) await plugin.unload();
    },
  };
}
