// Reads an address that a model or a page wrote. What comes out is http or https, names no user, and has a host in the
// one spelling that the rest of this folder compares: numbers in decimal, octal or hex have become plain addresses.

import { WebUrlError } from '../errors.ts';

export const MAX_URL_CHARS = 2_048;

/** `base` is where a redirect came from; its targets may be relative. */
export function checkUrl(text: string, base?: URL): URL {
  const url = parse(text.trim(), base);
  if (!url) throw new WebUrlError({ url: text, problem: 'it is no address' });
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new WebUrlError({ url: text, problem: 'only http and https addresses are fetched' });
  }
  if (url.username !== '' || url.password !== '') {
    throw new WebUrlError({ url: url.host, problem: 'an address with a name or password in it is not fetched' });
  }
  // The fragment is never sent.
  url.hash = '';
  if (url.href.length > MAX_URL_CHARS)
    throw new WebUrlError({ url: text, problem: `it is longer than ${MAX_URL_CHARS} characters` });
  return url;
}

/** The host without the brackets of IPv6 and without the dot that ends a full name. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

function parse(text: string, base: URL | undefined): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
