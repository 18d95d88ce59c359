// The symbols of the SDK that act for the plugin that imports them: logging, configuration, calls to the gateway. Each
// plugin gets its own, bound to its host.

import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '../../protocol/json.ts';
import { oneLine } from '../../protocol/one-line.ts';
import { createPluginLogger } from '../api/plugin-logger.ts';
import { providerKeys, subsystemLogger, unavailable } from '../api/plugin-runtime.ts';
import type { PluginHost } from '../plugin-host.ts';
import type { PluginSetup } from '../plugin-setup.ts';

export type BoundSymbols = ReturnType<typeof createBoundSymbols>;

export function createBoundSymbols(setup: Pick<PluginSetup, 'config' | 'stateDir' | 'homeDir'>, host: PluginHost) {
  const logger = createPluginLogger((entry) => host.log(entry));
  const config = () => structuredClone(setup.config);
  /** Warns of a listener that will never be called, because its author would wait for ever. */
  const nothingFrom = (name: string) => () => {
    logger.warn(`It listens with ${name}, which is never told anything here.`);
    return () => undefined;
  };
  return {
    createSubsystemLogger: (subsystem: string) => subsystemLogger(host, subsystem),
    getChildLogger: (bindings?: unknown) => logger.child(bindings),
    logDebug: logger.debug,
    logInfo: logger.info,
    logWarn: logger.warn,
    logError: logger.error,
    logVerbose: logger.debug,
    shouldLogVerbose: () => false,
    isVerbose: () => false,
    defaultRuntime: {
      log: logger.info,
      error: logger.error,
      exit: (code: number) => {
        throw new Error(`The plugin wanted to end the process with ${oneLine(code, 20)}.`);
      },
    },
    onDiagnosticEvent: nothingFrom('onDiagnosticEvent'),
    onInternalDiagnosticEvent: nothingFrom('onInternalDiagnosticEvent'),
    emitDiagnosticEvent: () => undefined,
    isDiagnosticsEnabled: () => false,
    registerLogTransport: nothingFrom('registerLogTransport'),
    callGatewayTool: (method: string, _options?: unknown, params: JsonObject = {}) =>
      host.callMethod({ method, params }),
    resolveApiKeyForProvider: providerKeys(host),
    enqueueSystemEvent: (text: string, { sessionKey }: { readonly sessionKey: string }): boolean => {
      host.enqueueSystemEvent({ text, sessionKey }).catch((error) => logger.warn((error as Error).message));
      return true;
    },
    loadConfig: config,
    getRuntimeConfig: config,
    getRuntimeConfigSnapshot: config,
    writeConfigFile: (next: JsonObject) => host.writeConfig(next),
    resolveStateDir: () => setup.stateDir,
    STATE_DIR: setup.stateDir,
    CONFIG_DIR: setup.stateDir,
    resolveConfigDir: () => setup.stateDir,
    resolveUserPath: (path: string) =>
      setup.homeDir !== undefined && /^~(?:\/|$)/.test(path) ? join(setup.homeDir, path.slice(1)) : path,
    resolvePreferredOpenClawTmpDir: () => tmpdir(),
    buildMemorySystemPromptAddition: () => undefined,
    registerContextEngine: () => logger.warn('Context engines of plugins are not used; the call has no effect.'),
    delegateCompactionToRuntime: unavailable('Compaction by plugins'),
  };
}
