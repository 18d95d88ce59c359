// The page at `/`: the console as it was built, one document with its style and script inside, and a policy that lets a
// browser run exactly those. It is read from its file on request. It contains no secret; the token comes from the part
// of the address behind the `#`, which browsers never send.

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

export interface Page {
  readonly html: string;
  /**
   * `host` is the one under which the page was requested: some browsers do not count a socket of the same host as the
   * page's own.
   */
  securityPolicy(host: string): string;
}

/** Undefined when the console was not built, which happens only where the gateway runs from its sources. */
export async function readPage(): Promise<Page | undefined> {
  const html = await findHtml();
  return html === undefined ? undefined : toPage(html);
}

async function findHtml(): Promise<string | undefined> {
  for (const place of PLACES) {
    const html = await readFile(place, 'utf8').catch(() => undefined);
    if (html !== undefined) return html;
  }
  return undefined;
}

/** Relative to a chunk of the build, and relative to this file when it runs from the sources. */
const PLACES = ['../console/index.html', '../../../build/console/index.html'].map(
  (path) => new URL(path, import.meta.url),
);

function toPage(html: string): Page {
  const script = hashOf(/<script type="module">([\s\S]*?)<\/script>/.exec(html)?.[1]);
  const style = hashOf(/<style>([\s\S]*?)<\/style>/.exec(html)?.[1]);
  return {
    html,
    securityPolicy: (host) => {
      const socket = /^[\w.:[\]-]+$/.test(host) ? ` ws://${host} wss://${host}` : '';
      return [
        "default-src 'none'",
        `script-src '${script}'`,
        `style-src '${style}'`,
        `connect-src 'self'${socket}`,
        'img-src data: blob:',
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        // This keeps text from becoming markup anywhere in the page, even by a mistake in our code.
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
      ].join('; ');
    },
  };
}

function hashOf(text = ''): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
