import { expect, it } from 'vitest';
import { webFetchSettingsOf } from './web-fetch-settings.ts';

it('has limits, and allows no private host, unless the operator says otherwise', () => {
  const untouched = { allowHosts: [], maxBytes: 5_242_880, maxChars: 50_000, timeoutMs: 30_000 };
  expect(webFetchSettingsOf({})).toEqual(untouched);
  expect(webFetchSettingsOf({ tools: { web: { fetch: {} } } })).toEqual(untouched);
});

it('reads what the operator says', () => {
  const fetch = { allowHosts: ['wiki.lan'], maxBytes: 2_048, maxChars: 1_000, timeoutSeconds: 3 };
  expect(webFetchSettingsOf({ tools: { web: { fetch } } })).toEqual({
    allowHosts: ['wiki.lan'],
    maxBytes: 2_048,
    maxChars: 1_000,
    timeoutMs: 3_000,
  });
});
