import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ToldSpan } from '../client/gateway-client.ts';
import { layRequest } from './lay-request.ts';

const span = (where: ToldSpan['where'], index: number, text: string): ToldSpan => ({
  where,
  index,
  origin: 'x',
  chars: text.length,
  text,
});

describe('a request, laid out by author', () => {
  const spans = [
    span('system', 0, 'You are "Ann".\n'),
    span('system', 0, 'Be kind.'),
    span('tools', 0, 'read'),
    span('tools', 0, '{"type":"object"}'),
    span('messages', 0, 'read the file'),
  ];
  const system = 'You are "Ann".\nBe kind.';
  const bodies = {
    'the system first': {
      system,
      tools: [{ name: 'read', input_schema: { type: 'object' } }],
      messages: [{ content: 'read the file' }],
    },
    'the system as a message': {
      messages: [{ role: 'system', content: system }, { content: 'read the file' }],
      tools: [{ function: { name: 'read', parameters: { type: 'object' } } }],
    },
    'parameters as text': {
      tools: [{ name: 'read', parameters: '{"type":"object"}' }],
      input: ['read the file'],
      system,
    },
  };

  it.each(Object.entries(bodies))('is the body again, with every author in it: %s', (_, value) => {
    const body = JSON.stringify(value);
    const { parts, starts } = layRequest(body, spans);
    expect(parts.map(({ text }) => text).join('')).toBe(body);
    expect(starts.every((start) => start !== undefined)).toBe(true);
    const said = parts.find(({ span: index }) => index === 4);
    expect(said?.text).toBe('read the file');
  });

  it('is the body again, whatever the spans say', () => {
    const told = fc.record({
      where: fc.constantFrom('system', 'tools', 'messages'),
      text: fc.string({ maxLength: 6 }),
    });
    fc.assert(
      fc.property(fc.array(told, { maxLength: 12 }), fc.json({ maxDepth: 3 }), (all, rest) => {
        const body = JSON.stringify({ a: all.map(({ text }) => text), rest });
        const { parts } = layRequest(
          body,
          all.map(({ where, text }) => span(where as ToldSpan['where'], 0, text)),
        );
        expect(parts.map(({ text }) => text).join('')).toBe(body);
      }),
      { numRuns: 200 },
    );
  });
});
