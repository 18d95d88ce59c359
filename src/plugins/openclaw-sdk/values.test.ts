import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forAll } from '../../testkit/for-all.ts';
import {
  buildChannelOutboundSessionRoute,
  normalizeWebhookPath,
  resolveWebhookPath,
  stripChannelTargetPrefix,
} from './channel-route.ts';
import { detectMime, extensionForMime, mediaKindFromMime, mimeTypeFromFilePath } from './media-types.ts';
import {
  coerceSecretRef,
  hasConfiguredSecretInput,
  isSecretRef,
  normalizeResolvedSecretInputString,
  normalizeSecretInput,
  resolveConfiguredSecretInputString,
  resolveConfiguredSecretInputWithFallback,
  resolveRequiredConfiguredSecretRefInputString,
} from './secret-input.ts';
import { normalizeLanguageCode, normalizeSeed, readResponseTextLimited, requireInRange } from './speech.ts';
import {
  chunkItems,
  chunkTextForOutbound,
  isRecord,
  normalizeAtHashSlug,
  normalizeHyphenSlug,
  normalizeSingleOrTrimmedStringList,
  normalizeStringifiedOptionalString,
  parseStrictPositiveInteger,
  sliceUtf16Safe,
  summarizeStringEntries,
  trimToUndefined,
  truncateUtf16Safe,
} from './text-values.ts';

describe('values of any kind', () => {
  it('become what is asked for, or nothing', () => {
    expect([isRecord({}), isRecord([]), isRecord(null)]).toEqual([true, false, false]);
    expect([trimToUndefined(' a '), trimToUndefined(' '), trimToUndefined(1)]).toEqual(['a', undefined, undefined]);
    expect([normalizeStringifiedOptionalString(7), normalizeStringifiedOptionalString({})]).toEqual(['7', undefined]);
    expect([
      parseStrictPositiveInteger('12'),
      parseStrictPositiveInteger('1.5'),
      parseStrictPositiveInteger(0),
    ]).toEqual([12, undefined, undefined]);
    expect([normalizeSingleOrTrimmedStringList(' a '), normalizeSingleOrTrimmedStringList(['a', 1, ''])]).toEqual([
      ['a'],
      ['a'],
    ]);
    expect([normalizeHyphenSlug(' Big News! '), normalizeAtHashSlug('#Big_News')]).toEqual(['big-news', 'big-news']);
    expect(summarizeStringEntries({ entries: ['a', 'b', 'c'], limit: 2 })).toBe('a, b (+1)');
  });

  it('are cut without splitting a pair, and nothing is lost', () => {
    forAll([fc.string({ unit: 'grapheme', maxLength: 60 }), fc.integer({ min: 2, max: 20 })], (text, limit) => {
      const cut = truncateUtf16Safe(text, limit);
      expect(cut.length).toBeLessThanOrEqual(limit);
      expect(/[\ud800-\udbff]$/.test(cut)).toBe(false);
      const chunks = chunkTextForOutbound(text, limit);
      expect(chunks.every((chunk) => chunk.length <= limit)).toBe(true);
      expect(chunks.join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''));
    });
    expect(sliceUtf16Safe('a😀b', 0, 2)).toBe('a');
    expect(chunkTextForOutbound('one two\nthree', 8)).toEqual(['one two', 'three']);
    expect(chunkItems([1, 2, 3], 2)).toEqual([[1, 2], [3]]);
  });

  it('of speech are checked', async () => {
    expect(() => requireInRange(2, 0, 1, 'speed')).toThrow('speed must be between 0 and 1.');
    expect([normalizeLanguageCode('EN'), normalizeSeed(3.7)]).toEqual(['en', 3]);
    expect(() => normalizeLanguageCode('english')).toThrow('two letters');
    expect(await readResponseTextLimited(new Response('x'.repeat(100)), 10)).toHaveLength(10);
  });
});

describe('secrets in a configuration', () => {
  const ref = { source: 'env', provider: 'default', id: 'API_KEY' };

  it('are written out or referred to', () => {
    expect([isSecretRef(ref), isSecretRef({ source: 'env' }), isSecretRef('x')]).toEqual([true, false, false]);
    expect(coerceSecretRef('$' + '{API_KEY}')).toEqual(ref);
    expect([hasConfiguredSecretInput(' '), hasConfiguredSecretInput('k'), hasConfiguredSecretInput(ref)]).toEqual([
      false,
      true,
      true,
    ]);
    expect(normalizeSecretInput(' sk-“x”\n1 ')).toBe('sk-x1');
  });

  it('that are referred to are looked up in the environment, or said to be missing without being shown', async () => {
    const secret = { config: {}, value: ref, path: 'plugins.x.key' };
    expect(await resolveConfiguredSecretInputString({ ...secret, env: { API_KEY: ' k ' } })).toEqual({ value: 'k' });
    const { unresolvedRefReason } = await resolveConfiguredSecretInputString({ ...secret, env: {} });
    expect(unresolvedRefReason).toContain('API_KEY');
    expect(
      await resolveConfiguredSecretInputWithFallback({ ...secret, env: {}, readFallback: () => 'f' }),
    ).toMatchObject({ value: 'f', source: 'fallback' });
    await expect(
      resolveRequiredConfiguredSecretRefInputString({ ...secret, value: { ...ref, source: 'exec' } }),
    ).rejects.toThrow('exec');
    expect(normalizeResolvedSecretInputString({ value: ' k ', path: 'p' })).toBe('k');
    expect(() => normalizeResolvedSecretInputString({ value: ref, path: 'p' })).toThrow('p refers to a secret');
  });
});

describe('kinds of files', () => {
  it('are told by bytes before words, and by words before names', async () => {
    const png = Buffer.from('\x89PNG\r\n\x1a\n....', 'latin1');
    expect(await detectMime({ buffer: png, headerMime: 'text/html', filePath: 'a.txt' })).toBe('image/png');
    expect(await detectMime({ buffer: Buffer.from('hello'), headerMime: 'Text/HTML; charset=utf-8' })).toBe(
      'text/html',
    );
    expect(await detectMime({ headerMime: 'application/octet-stream', filePath: '/x/a.PDF' })).toBe('application/pdf');
    expect(await detectMime({})).toBe(undefined);
    expect([
      mimeTypeFromFilePath('https://x.test/a.webp?b=c.txt'),
      extensionForMime('image/jpeg'),
      mediaKindFromMime('audio/ogg'),
    ]).toEqual(['image/webp', '.jpg', 'audio']);
  });
});

describe('routes of channels', () => {
  it('have the session key that messages there have', () => {
    const route = {
      agentId: 'main',
      channel: 'slack',
      peer: { kind: 'channel', id: 'C1' },
      chatType: 'channel',
      from: 'a',
      to: 'b',
    } as const;
    expect(buildChannelOutboundSessionRoute(route)).toMatchObject({
      sessionKey: 'agent:main:slack:channel:c1',
      to: 'b',
    });
    expect([
      stripChannelTargetPrefix('Slack:C1', 'slack'),
      normalizeWebhookPath('x/'),
      resolveWebhookPath({ webhookUrl: 'https://a.test/y' }),
    ]).toEqual(['C1', '/x', '/y']);
  });
});
