// An address as it may be shown in a sentence or a log: the query, the fragment, the user and the password are left out,
// because each of them can hold a secret. It knows nothing about which names are secret.

const RELATIVE = 'http://relative.invalid';

/** `?…` stands for a query. Undefined for a text that is no address. */
export function shownUrl(address: string): string | undefined {
  if (!URL.canParse(address, RELATIVE)) return undefined;
  const url = new URL(address, RELATIVE);
  return url.origin === RELATIVE ? shownAddress(url).slice(RELATIVE.length) : shownAddress(url);
}

export function shownAddress({ protocol, host, pathname, search }: URL): string {
  if (host === '') return `${protocol}…`;
  return `${protocol}//${host}${pathname}${search === '' ? '' : '?…'}`;
}
