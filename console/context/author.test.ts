import { describe, expect, it } from 'vitest';
import { authorOf } from './author.ts';

describe('the author of a piece of a request', () => {
  it.each([
    ['system', '/home/a/AGENTS.md, lines 3-9', { kind: 'file', name: '/home/a/AGENTS.md', lines: '3-9' }],
    ['system', 'atrium: heading', { kind: 'product', name: 'heading' }],
    ['system', 'handler time-context', { kind: 'handler', name: 'time-context', role: 'handler' }],
    ['system', 'rule quiet-hours from /a/b.md', { kind: 'handler', name: 'quiet-hours' }],
    ['system', 'before_prompt_build of decorator', { kind: 'plugin', name: 'decorator' }],
    ['tools', 'tool read', { kind: 'tool', name: 'read', role: 'tool that is offered' }],
    ['messages', 'tool read', { kind: 'tool', name: 'read', role: 'result of a tool' }],
    ['messages', 'message', { kind: 'message', name: 'message' }],
    ['messages', 'model', { kind: 'model' }],
    ['messages', 'compaction', { kind: 'other' }],
  ] as const)('in the %s is read from "%s"', (where, origin, author) => {
    expect(authorOf({ where, origin })).toMatchObject(author);
  });
});
