import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recordingHost, ScratchPlugins } from '../fixtures/scratch-plugins.ts';
import { createBoundSymbols } from './bound-symbols.ts';

let scratch: ScratchPlugins;
beforeEach(async () => {
  scratch = await ScratchPlugins.create();
});
afterEach(() => scratch.remove());

/** As plugins that are not typed call them. */
// biome-ignore lint/suspicious/noExplicitAny: symbols are looked up by name
async function symbolsOf(host = recordingHost()): Promise<Record<string, any>> {
  return createBoundSymbols(await scratch.write('nice', '', { config: { a: 1 } }), host);
}

describe('symbols that act for the plugin that imports them', () => {
  it('log under the name of a part of it', async () => {
    const host = recordingHost();
    const { createSubsystemLogger, getChildLogger, logError } = await symbolsOf(host);
    createSubsystemLogger('sync').child('db').warn('slow', { ms: 5 });
    getChildLogger({ module: 'web' }).info('up');
    logError(new Error('down'));
    expect(host.logged.map(({ level, text }) => `${level} ${text.split('\n')[0]}`)).toEqual([
      'warn [sync/db] slow { ms: 5 }',
      'info [web] up',
      'error Error: down',
    ]);
  });

  it('ask the gateway in its name', async () => {
    const host = recordingHost({ readProviderKey: async (provider) => `key of ${provider}` });
    const { callGatewayTool, resolveApiKeyForProvider, loadConfig, resolveStateDir } = await symbolsOf(host);
    await callGatewayTool('health', {}, { deep: true });
    expect(host.asked).toEqual([{ name: 'callMethod', request: { method: 'health', params: { deep: true } } }]);
    expect(await resolveApiKeyForProvider({ provider: 'p' })).toMatchObject({ apiKey: 'key of p' });
    loadConfig().a = 2;
    expect([loadConfig(), resolveStateDir()]).toEqual([{ a: 1 }, `${scratch.root}/state`]);
  });

  it('say so where they never do anything', async () => {
    const host = recordingHost();
    const { onDiagnosticEvent, registerLogTransport, delegateCompactionToRuntime, defaultRuntime } =
      await symbolsOf(host);
    expect([onDiagnosticEvent(() => undefined)(), registerLogTransport(() => undefined)()]).toEqual([
      undefined,
      undefined,
    ]);
    expect(host.logged).toHaveLength(2);
    await expect(delegateCompactionToRuntime()).rejects.toThrow('not available');
    expect(() => defaultRuntime.exit(1)).toThrow('end the process');
  });
});
