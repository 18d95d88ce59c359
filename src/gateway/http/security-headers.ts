// The headers that keep a browser from using an answer for anything but what was asked. Every answer has them.

const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** An answer may have one of them with another value. */
export function securityHeaders({
  strictTransportSecurity: hsts,
}: {
  readonly strictTransportSecurity?: string | undefined;
}): Readonly<Record<string, string>> {
  return { ...SECURITY_HEADERS, ...(hsts !== undefined && { 'strict-transport-security': hsts }) };
}
