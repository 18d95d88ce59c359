import { expect, it } from 'vitest';
import type { Config } from '../config/schema.ts';
import { listKnownSecrets } from './known-secrets.ts';

function known(config: object, variables: Record<string, string> = {}, token?: string): readonly string[] {
  return listKnownSecrets({ config: config as Config, variables, token });
}

it('finds keys, tokens and passwords by the names of their settings, at any depth', () => {
  expect(
    known({
      models: { providers: { home: { baseUrl: 'http://127.0.0.1:1/v1', apiKey: 'Garden-Gate-5' } } },
      channels: { telegram: { accounts: { a: { botToken: '12345678:abcdefgh' } } } },
      plugins: { entries: { mail: { config: { credentials: { user: 'Ann-Miller', pass: 'Winter2026!' } } } } },
    }),
  ).toEqual(['Garden-Gate-5', '12345678:abcdefgh', 'Ann-Miller', 'Winter2026!']);
});

it('finds secrets in headers, except in those that never hold one', () => {
  const headers = {
    'x-team': 'TEAM-77-KEY',
    authorization: 'Bearer Riverbank77',
    'anthropic-beta': 'context-1m-2025-08-07',
    'X-Title': 'Our-Company-2026',
    'HTTP-Referer': 'https://example.org/2026',
  };
  expect(known({ models: { providers: { home: { headers } } } })).toEqual([
    'TEAM-77-KEY',
    'Bearer Riverbank77',
    'Riverbank77',
  ]);
});

it('finds secrets in variables by their names, and passwords in addresses', () => {
  expect(
    known(
      { store: { url: 'postgres://me:Sunny%2FDay9@db/atrium' }, env: { vars: { LOG_LEVEL: 'Debug-2026' } } },
      {
        GITHUB_TOKEN: 'Lantern-2026',
        EDITOR: '/usr/bin/Vim-2026',
        HTTP_PROXY: 'http://me:Proxy-Pass1@proxy:1',
        MY_MODEL: 'Falcon-99-Deep',
      },
    ),
  ).toEqual(['Sunny%2FDay9', 'Sunny/Day9', 'Lantern-2026', 'Proxy-Pass1']);
});

it('takes the value of a variable that a setting names in place of its key', () => {
  const config = { models: { providers: { home: { apiKey: 'HOUSE_VAULT' } } } };
  expect(known(config, { HOUSE_VAULT: 'Cellar-Door-1' })).toEqual(['Cellar-Door-1']);
});

it('leaves out what is too short or too ordinary, which would be hidden in every text', () => {
  const keys = ['', 'ollama', 'lm-studio', 'not-needed', 'no key needed', 'abc1', '~/keys/one-2026'];
  for (const apiKey of keys) expect([apiKey, known({ models: { apiKey } })]).toEqual([apiKey, []]);
});

it('leaves out the name of a variable that is not set, which a warning has to name', () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how the configuration names a variable.
  const [url, token] = ['postgres://atrium:${ATRIUM_DB_PASSWORD}@db/atrium', '${ATRIUM_TOKEN}'];
  expect(known({ store: { url }, gateway: { auth: { token } } })).toEqual([]);
});

it('knows the token of the gateway, configured or made', () => {
  expect(known({ gateway: { auth: { token: 'Window-Seat-12' } } })).toEqual(['Window-Seat-12']);
  expect(known({}, { OPENCLAW_GATEWAY_TOKEN: 'Window-Seat-13' })).toEqual(['Window-Seat-13']);
  expect(known({}, {}, 'made-Window-Seat-14')).toEqual(['made-Window-Seat-14']);
});
