import { defineConfig } from 'tsdown';

// Bundled, because finding and reading hundreds of small modules was most of the time that a start takes. Of the
// packages only those with many modules are taken in, as far as they are used; the rest stays where npm put it. Names
// and lines stay as they are, so that a stack can be read; comments are left out, which saves reading them each time.
export default defineConfig({
  entry: [
    'src/cli/main.ts',
    'src/public/context.ts',
    'src/public/plugin-sdk.ts',
    'src/public/testkit.ts',
    // Where the programs of tests and benchmarks begin; they share every module with those above.
    'src/cli/format-banner.ts',
    'src/config/environment.ts',
    'src/config/load-config.ts',
    'src/context/sources/file-source.ts',
    'src/gateway/context-engine.ts',
    'src/gateway/create-records.ts',
    'src/gateway/start-gateway.ts',
    'src/hooks/hook-statistics.ts',
    'src/hooks/isolated-copy.ts',
    'src/hooks/runner.ts',
    'src/plugins/isolation/worker-plugins.ts',
    // The program of the worker that third-party plugins run in.
    'src/plugins/isolation/plugin-worker.ts',
    // Loaded by path, beside their HOOK.md, when an operator wants them.
    'src/hooks/bundled/*/handler.ts',
  ],
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  deps: {
    alwaysBundle: [/^zod(\/|$)/, /^hono(\/|$)/, '@hono/node-server'],
    onlyBundle: ['zod', 'hono', '@hono/node-server', 'typebox'],
  },
  outputOptions: {
    chunkFileNames: 'chunks/[name]-[hash].js',
    comments: { legal: true, annotation: true, jsdoc: false },
  },
  copy: [{ from: 'src/hooks/bundled/*/HOOK.md', flatten: false }],
  dts: true,
  clean: true,
  fixedExtension: false,
});
