import { describe, expect, it } from 'vitest';
import { isSecretName, redactHeaders, redactText, redactUrl, redactValue } from './redact.ts';

// Put together here, so that no scanner takes this file for a leak.
const secret = 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6';
const shapes = [
  `sk-${secret}`,
  `sk-ant-api03-${secret}`,
  `xoxb-${secret}`,
  `ghp_${secret}`,
  `github_pat_${secret}`,
  `AIza${secret}`,
  `Authorization: Bearer ${secret}`,
  `basic ${secret}==`,
  `eyJ${secret}.${secret}.${secret}`,
  `123456789:${secret}`,
  `postgres://admin:${secret}@db/main`,
  `apiKey: "${secret}"`,
  `export OPENAI_API_KEY=${secret}`,
  JSON.stringify(JSON.stringify({ token: secret })),
  `-----BEGIN RSA PRIVATE KEY-----\n${secret}\n-----END RSA PRIVATE KEY-----`,
];

describe('redaction', () => {
  it.each(shapes)('takes the secret out of %s', (text) => {
    const shown = redactText(`before ${text} after`);
    expect(shown).not.toContain(secret);
    expect(shown).toMatch(/^before .*\[redacted\].* after$/s);
  });

  it('leaves ordinary talk as it is', () => {
    const talk =
      'The token budget is 12,000; sk-8 is a bus line. Basic training costs nothing. Ask: key questions, secret gardens, npm_config, a bearer of news, 10:30-11:00.';
    expect(redactText(talk)).toBe(talk);
  });

  it('looks through texts as short as the shortest secret', () => {
    expect(redactText('ab://u:p@')).toBe('ab://[redacted]@');
  });

  it('goes by the names of fields, for any value', () => {
    const value = {
      apiKey: 'short',
      botToken: 'short',
      'x-api-key': 'short',
      nested: [{ password: 'short', tokens: 12, token: 3, keyboard: 'qwerty' }],
    };
    expect(redactValue(value)).toEqual({
      apiKey: '[redacted]',
      botToken: '[redacted]',
      'x-api-key': '[redacted]',
      nested: [{ password: '[redacted]', tokens: 12, token: 3, keyboard: 'qwerty' }],
    });
    expect(['sessionKey', 'monkey', 'maxTokens', 'author'].filter(isSecretName)).toEqual([]);
  });

  it('hides the parts of addresses and headers that give access', () => {
    expect(redactUrl('https://a:b@host/x?key=1&page=2')).toBe('https://host/x?key=%5Bredacted%5D&page=2');
    expect(redactUrl('http://127.0.0.1:8080/v1/messages')).toBe('http://127.0.0.1:8080/v1/messages');
    expect(redactUrl('not an address')).toBe('not an address');
    expect(redactHeaders({ Cookie: 'a=b', Accept: '*/*' })).toEqual({ Cookie: '[redacted]', Accept: '*/*' });
  });

  it('takes no longer for hostile text', () => {
    const units = [
      'eyJ',
      'eyJ-',
      'a-',
      '-----BEGIN PRIVATE KEY-----',
      'sk-',
      'a.b',
      '-----BEGIN ',
      'x://a:',
      '1:',
      'token="',
      'bearer ',
      ' ',
      'a',
      '_',
      '.aaaaaa.',
    ];
    for (const unit of units) redactText(unit.repeat(Math.ceil(300_000 / unit.length)));
  }, 40_000);
});
