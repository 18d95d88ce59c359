// The page: the console as it was built. One document, which is served at every path of the page, and the files that it
// names, which have the hash of their content in their names. Files are read on request. Nothing of it is a secret; the token comes
// from the part of the address behind the `#`, which browsers never send.

import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

export interface Page {
  /** `pictureHosts` are the hosts whose pictures are loaded without asking. */
  document(pictureHosts: readonly string[]): string;
  /**
   * `host` is the one under which the page was requested: some browsers do not count a socket of the same host as the
   * page's own.
   */
  securityPolicy(host: string, pictureHosts: readonly string[]): string;
}

export interface PageFile {
  /** Compressed with gzip. */
  readonly bytes: Uint8Array;
  readonly type: string;
  /** Names with a hash never get another content. */
  readonly isImmutable: boolean;
}

/** Undefined when the console was not built, which happens only where the gateway runs from its sources. */
export async function readPage(): Promise<Page | undefined> {
  const html = await findFile('index.html');
  if (!html) return undefined;
  return { document: (pictureHosts) => withPictureHosts(html.toString('utf8'), pictureHosts), securityPolicy };
}

/** Undefined when the page has no such file. Names come from addresses, so only plain ones are looked up. */
export async function readPageFile(name: string): Promise<PageFile | undefined> {
  const [, ending = ''] = /^[\w-][\w.-]*\.([a-z0-9]+)$/.exec(name) ?? [];
  const type = TYPES[ending];
  if (type === undefined) return undefined;
  const known = packed.get(name);
  if (known) return known;
  const bytes = await findFile(`assets/${name}`);
  if (!bytes) return undefined;
  const isImmutable = /-[\w-]{8}\.(?:js|css)$/.test(name);
  const file = { bytes: await promisify(gzip)(bytes), type, isImmutable };
  if (isImmutable) packed.set(name, file);
  return file;
}

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  webmanifest: 'application/manifest+json',
};

/** The page has a few dozen files, so all of them may stay in memory once they were asked for. */
const packed = new Map<string, PageFile>();

async function findFile(name: string): Promise<Buffer | undefined> {
  for (const place of PLACES) {
    const bytes = await readFile(new URL(name, place)).catch(() => undefined);
    if (bytes !== undefined) return bytes;
  }
  return undefined;
}

/** Relative to a chunk of the build, and relative to this file when it runs from the sources. */
const PLACES = ['../console/', '../../../build/console/'].map((path) => new URL(path, import.meta.url));

/** Only a plain name of a host may stand in the document and in the policy, whatever the configuration has. */
const PLAIN_HOST = /^[\w.-]+(?::\d{1,5})?$/;

function withPictureHosts(html: string, hosts: readonly string[]): string {
  const plain = hosts.filter((host) => PLAIN_HOST.test(host));
  if (plain.length === 0) return html;
  return html.replace('</head>', `<meta name="picture-hosts" content="${plain.join(' ')}">\n</head>`);
}

function securityPolicy(host: string, pictureHosts: readonly string[]): string {
  const socket = /^[\w.:[\]-]+$/.test(host) ? ` ws://${host} wss://${host}` : '';
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `connect-src 'self'${socket}`,
    [
      "img-src 'self' data: blob:",
      ...pictureHosts.filter((each) => PLAIN_HOST.test(each)).map((each) => `https://${each}`),
    ].join(' '),
    // A picture from elsewhere that a person asked for; see remote-picture.ts.
    "frame-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    // This keeps text from becoming markup anywhere in the page, even by a mistake in our code.
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}
