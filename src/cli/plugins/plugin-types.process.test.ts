import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recordingHost, ScratchPlugins } from '../../plugins/fixtures/scratch-plugins.ts';
import { createBoundSymbols } from '../../plugins/openclaw-sdk/bound-symbols.ts';
import { SHARED_SYMBOLS } from '../../plugins/openclaw-sdk/shared-symbols.ts';
import { CliHome } from '../fixtures/cli-home.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

let home: CliHome;
beforeEach(async () => {
  home = await CliHome.create();
  await home.run(['plugins', 'new', 'typed']);
});
afterEach(() => home.remove());

const add = (name: string, text: string) => writeFile(join(home.home, 'typed', name), text);

/** What the compiler says about the project. Its author would have installed the types of Node. */
async function compile(): Promise<string> {
  const project = ['-p', join(home.home, 'typed'), '--typeRoots', join(ROOT, 'node_modules/@types')];
  const compiler = join(ROOT, 'node_modules/ts7/bin/tsc');
  return promisify(execFile)(process.execPath, [compiler, ...project]).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );
}

describe('a plugin project', () => {
  it('compiles as it was made, with what the contract shows', async () => {
    await add(
      'contract.ts',
      `import { definePluginEntry } from "openclaw/plugin-sdk/plugin-entry";
import type { OpenClawPluginApi } from "openclaw/plugin-sdk";

export default definePluginEntry({
  id: "asks-first",
  name: "Asks first",
  register(api) {
    api.on(
      "before_tool_call",
      async (event) => {
        if (event.toolName !== "exec") return;
        const { pluginConfig } = event.context;
        if (pluginConfig.strict === true) return { block: true, blockReason: "Not here." };
        return {
          requireApproval: {
            title: "Run it",
            description: String(event.params.command ?? ""),
            severity: "warning",
            timeoutMs: 60_000,
            timeoutBehavior: "deny",
            onResolution: (decision) => api.logger.info(decision),
          },
        };
      },
      { priority: 50 },
    );
    api.registerSessionExtension({ namespace: "seen", description: "What was seen." });
    api.registerRuntimeLifecycle({ id: "seen", cleanup: ({ reason }) => api.logger.info(reason) });
    later(api);
  },
});

function later(api: OpenClawPluginApi): void {
  api.registerService({
    id: "later",
    async start() {
      const { enqueued } = await api.enqueueNextTurnInjection({ sessionKey: "agent:main:main", text: "Be brief." });
      if (enqueued) api.setRunContext({ runId: "run", namespace: "seen", value: true });
    },
  });
}
`,
    );
    expect(await compile()).toBe('');
  }, 60_000);

  it('is told what is wrong', async () => {
    await add(
      'wrong.ts',
      `import { definePluginEntry } from 'openclaw/plugin-sdk/core';
import { nothingOfTheKind } from 'openclaw/plugin-sdk/core';
export default definePluginEntry({ id: 'x', name: 'X', register(api) {
  api.on('before_tool_cal', () => {});
  api.on('before_tool_call', () => ({ requireApproval: { title: 'T', description: 'D', severity: 'loud' } }));
  api.enqueueNextTurnInjection({ text: 'no session' });
} });
void nothingOfTheKind;
`,
    );
    const said = await compile();
    expect(said.match(/wrong\.ts\(\d+/g)).toEqual(['wrong.ts(2', 'wrong.ts(4', 'wrong.ts(5', 'wrong.ts(6']);
  }, 60_000);

  it('finds a type for everything that a plugin can import', async () => {
    const scratch = await ScratchPlugins.create();
    const bound = createBoundSymbols(await scratch.write('any', ''), recordingHost());
    await scratch.remove();
    const names = Object.keys({ ...SHARED_SYMBOLS, ...bound });
    expect(names.length).toBeGreaterThan(100);
    await add(
      'all.ts',
      `import { ${names.join(', ')} } from 'openclaw/plugin-sdk/core';\nexport default [${names.join(', ')}];\n`,
    );
    expect(await compile()).toBe('');
  }, 60_000);
});
