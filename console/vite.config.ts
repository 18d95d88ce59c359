// Builds the console into a document and files whose names have the hash of their content, so that a browser keeps
// them. Parts that few people need at once, such as the highlighter and the plots, are files of their own.

import { defineConfig } from 'vite';

/** The gateway that `npm run console:dev` talks to. It accepts only requests of its own origin. */
const gateway = { target: 'http://127.0.0.1:18790', headers: { origin: 'http://127.0.0.1:18790' }, changeOrigin: true };

export default defineConfig({
  base: '/',
  build: {
    outDir: '../build/console',
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 400,
  },
  server: { proxy: { '/api': gateway, '/ws': { ...gateway, ws: true } } },
});
