import fc from 'fast-check';
import { expect, it } from 'vitest';
import { redactText } from './redact.ts';
import { StreamedText } from './streamed-text.ts';

function stream(pieces: readonly string[]): readonly string[] {
  const stream = new StreamedText();
  const out = pieces.flatMap((text, at) => stream.add({ text, at }));
  return [...out, ...stream.end()].map(({ text }) => text);
}

it('hands on pieces as they came when there is no secret in them', () => {
  const pieces = ['Hel', 'lo', ' there', ', how', ' are', ' you?'];
  expect(stream(pieces)).toEqual(pieces);
});

it('hands on what came before a blank without waiting for the end', () => {
  const text = new StreamedText();
  expect(text.add({ text: 'Hello', at: 1 })).toEqual([]);
  expect(text.add({ text: ' there', at: 2 })).toEqual([{ text: 'Hello', at: 1 }]);
});

it('holds a bounded amount', () => {
  const text = new StreamedText();
  let out = 0;
  for (let at = 0; at < 1_000; at++) out += text.add({ text: 'x'.repeat(100), at }).length;
  expect(out).toBeGreaterThan(800);
});

it('shows no secret, however the text is cut', () => {
  const secrets = [
    `sk-${'a1b2'.repeat(8)}`,
    `Authorization: Bearer ${'q9w8'.repeat(8)}`,
    `password = "${'hunter22'.repeat(2)}"`,
    `-----BEGIN PRIVATE KEY-----\n${'MIIE abcd\n'.repeat(20)}-----END PRIVATE KEY-----`,
  ];
  fc.assert(
    fc.property(
      fc.constantFrom(...secrets),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 20 }),
      (secret, sizes) => {
        const text = `Here it is: ${secret} and so on.`;
        const pieces: string[] = [];
        for (let at = 0, turn = 0; at < text.length; turn++) {
          const size = sizes[turn % sizes.length] ?? 1;
          pieces.push(text.slice(at, at + size));
          at += size;
        }
        expect(stream(pieces).join('')).toBe(redactText(text));
      },
    ),
  );
});
