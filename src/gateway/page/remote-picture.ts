// A picture of another server, shown on the page because a person asked for it. It has a document of its own, which the
// page puts into a frame, with a policy that lets this one address be loaded and nothing else. So the policy of the page
// itself never has to allow what people or models name.

export interface RemotePicture {
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

export const REMOTE_PICTURE_PATH = '/remote-picture';

/** Undefined for what is not the address of something on the web. */
export function remotePicture(address: string): RemotePicture | undefined {
  const url = readAddress(address);
  if (!url || address.length > LONGEST_ADDRESS) return undefined;
  return {
    html: `<!doctype html><html lang="en"><meta charset="utf-8"><title>Picture</title><img alt="" src="${escapeHtml(url.href)}">`,
    headers: {
      'content-security-policy': `default-src 'none'; img-src ${sourceOf(url)}; frame-ancestors 'self'`,
      'x-frame-options': 'SAMEORIGIN',
    },
  };
}

function readAddress(address: string): URL | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  return isWeb && url.username === '' && url.password === '' ? url : undefined;
}

/** A policy separates its parts by these characters. */
function sourceOf({ origin, pathname }: URL): string {
  return origin + pathname.replace(/[;,'"\s]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`);
}

const LONGEST_ADDRESS = 4_096;
