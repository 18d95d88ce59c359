// Plugins that misbehave at random, each in its own way: one throws, one hangs, one answers nonsense, one spins and one
// ends its process. Each does so seldom enough that the gateway is mostly at work, and often enough to be noticed.

import { pluginFiles } from '../src/testkit/plugin-files.ts';

/** For each plugin, by its id, the code that runs for a share of its calls. */
const TEMPERS: Readonly<Record<string, { readonly share: number; readonly code: string }>> = {
  thrower: { share: 0.2, code: "throw new Error('thrower does not feel like it');" },
  hanger: { share: 0.05, code: 'await new Promise(() => {});' },
  babbler: { share: 0.2, code: "return { prependContext: 7, systemPrompt: ['x'] };" },
  spinner: { share: 0.01, code: 'for (;;) {}' },
  leaver: { share: 0.01, code: 'process.exit(0);' },
};

export const ROWDY_IDS = Object.keys(TEMPERS);

export const ROWDY_ENTRIES = Object.fromEntries(
  ROWDY_IDS.map((id) => [id, { hooks: { allowConversationAccess: true, allowPromptInjection: true, timeoutMs: 500 } }]),
);

export function rowdyPluginFiles(): Record<string, string> {
  return Object.assign(
    {},
    ...Object.entries(TEMPERS).map(([id, { share, code }]) =>
      pluginFiles(id, `api.on('before_prompt_build', async () => {\n  if (Math.random() < ${share}) { ${code} }\n});`),
    ),
  );
}
