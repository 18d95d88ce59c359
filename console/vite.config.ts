// Builds the console into one document with its style and script inside, so that the gateway serves one answer whose
// security policy names both by their hashes, and the browser requests nothing else.

import { defineConfig, type Plugin } from 'vite';

/** The gateway that `npm run console:dev` talks to. It accepts only requests of its own origin. */
const gateway = { target: 'http://127.0.0.1:18790', headers: { origin: 'http://127.0.0.1:18790' }, changeOrigin: true };

export default defineConfig({
  base: './',
  build: {
    outDir: '../build/console',
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: false,
  },
  server: { proxy: { '/api': gateway, '/ws': { ...gateway, ws: true } } },
  plugins: [inlineEverything()],
});

function inlineEverything(): Plugin {
  return {
    name: 'inline-everything',
    enforce: 'post',
    generateBundle(_options, bundle) {
      const page = bundle['index.html'];
      if (page?.type !== 'asset') throw new Error('The console has no index.html.');
      let html = String(page.source);
      for (const [name, output] of Object.entries(bundle)) {
        if (output === page) continue;
        if (output.type === 'chunk') {
          html = replaceOnce(html, /<script type="module"[^>]*><\/script>/, '');
          // The text "</script" in a string would end the script element.
          const code = output.code.trim().replaceAll('</script', '<\\/script');
          html = replaceOnce(html, /(?=<\/body>)/, `<script type="module">${code}</script>\n`);
        } else {
          html = replaceOnce(html, /<link rel="stylesheet"[^>]*>/, `<style>${String(output.source).trim()}</style>`);
        }
        delete bundle[name];
      }
      page.source = html;
    },
  };
}

/** Fails when there is more than one script or style, because the page would then request a file that is not served. */
function replaceOnce(text: string, pattern: RegExp, replacement: string): string {
  const parts = text.split(pattern);
  if (parts.length !== 2) throw new Error(`Expected ${pattern} once in the console's document.`);
  return parts.join(replacement);
}
