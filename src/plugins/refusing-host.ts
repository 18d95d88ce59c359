// A host for code that runs where nothing can be asked of a gateway: it logs, and refuses everything else with a reason.
// Who can do some of it replaces those functions.

import { PluginRefusedError } from './errors.ts';
import type { PluginHost } from './plugin-host.ts';

export function refusingHost(pluginId: string, detail: string, log: PluginHost['log']): PluginHost {
  const refuse = async (): Promise<never> => {
    throw new PluginRefusedError({ pluginId, detail });
  };
  return {
    log,
    queueInjection: refuse,
    readSessionState: refuse,
    patchSessionState: refuse,
    enqueueSystemEvent: refuse,
    sendMessage: refuse,
    startRun: refuse,
    waitForRun: refuse,
    readSessionMessages: refuse,
    deleteSession: refuse,
    resolveApproval: refuse,
    callMethod: refuse,
    cron: refuse,
    writeConfig: refuse,
    readProviderKey: refuse,
  };
}
