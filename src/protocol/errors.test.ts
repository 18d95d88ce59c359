import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as errors from './errors.ts';

const source = readFileSync(new URL('./errors.ts', import.meta.url), 'utf8');
const page = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8');

/** Read from the source, because a code is set by the constructor and each constructor wants other facts. */
const declared = [...source.matchAll(/^export class (\w+) extends AtriumError \{\s+readonly code = '([^']+)';/gm)].map(
  ([, name = '', code = '']) => ({ name, code }),
);
const documented = [...page.matchAll(/^\|\s*`([^`]+)`\s*\|\s*`(\w+)`\s*\|([^|]+)\|([^|]+)\|$/gm)].map(
  ([, code = '', name = '', meaning = '', remedy = '']) => ({ name, code, meaning, remedy }),
);

describe('the errors', () => {
  it('are all declared in the one way that the other tests here can read', () => {
    const exported = Object.entries(errors)
      .filter(([, value]) => typeof value === 'function' && value.prototype instanceof errors.AtriumError)
      .map(([name]) => name);
    expect(declared.map(({ name }) => name).sort()).toEqual(exported.sort());
  });

  it('have a code each, and no two the same', () => {
    for (const { code } of declared) expect(code).toMatch(/^ATRIUM_[A-Z]+(_[A-Z]+)+$/);
    expect(new Set(declared.map(({ code }) => code)).size).toBe(declared.length);
  });

  it('are on the page in docs, with the same code and class, and nothing else is', () => {
    const rows = documented.map(({ name, code }) => `${code} ${name}`).sort();
    expect(rows).toEqual(declared.map(({ name, code }) => `${code} ${name}`).sort());
  });

  it('are explained there: what happened, and what to do', () => {
    for (const { code, meaning, remedy } of documented) {
      expect(meaning.trim(), code).toMatch(/\S+ \S+/);
      expect(remedy.trim(), code).toMatch(/\S+ \S+/);
    }
  });
});

describe('an error', () => {
  it('is called by its class and keeps its facts and its cause', () => {
    const cause = new Error('boom');
    const error = new errors.HandlerAbortError('agent:bootstrap', 'mine', 'boom', { cause });
    expect(error).toMatchObject({ name: 'HandlerAbortError', code: 'ATRIUM_HOOK_ABORTED', id: 'mine', cause });
    expect(error.message).toContain('set its onError to "skip"');
  });

  it('says by how much kept sections are too long', () => {
    const error = new errors.KeptSectionsOverBudgetError('AGENTS.md', 130, 100, 'bootstrapMaxChars');
    expect(error.overBy).toBe(30);
    expect(error.message).toContain('30 more than the 100 allowed');
    const tokens = new errors.KeptSectionsOverTokenBudgetError(['AGENTS.md', 'SOUL.md'], 50, 40);
    expect(tokens.overBy).toBe(10);
    expect(tokens.message).toContain('AGENTS.md, SOUL.md');
  });

  it('offers the likely word when there is one, and another way when there is none', () => {
    expect(new errors.UnknownHookError('agent:bootstrp', 'agent:bootstrap').message).toContain('Did you mean');
    expect(new errors.UnknownHookError('x', undefined).message).toContain('docs/hooks.md');
    expect(new errors.UnknownAgentError('x', ['main'], undefined).message).toContain('Known agents: main');
  });
});

describe('isAtriumError', () => {
  it('knows errors of another copy of this package by their code', () => {
    const foreign = Object.assign(new Error('from elsewhere'), { code: 'ATRIUM_HOOK_DUPLICATE' });
    expect(errors.isAtriumError(foreign)).toBe(true);
    expect(errors.isAtriumError(new errors.WorkspaceNotFoundError('/nowhere'))).toBe(true);
  });

  it('takes nothing else for one', () => {
    const strangers = [
      new Error('x'),
      Object.assign(new Error('x'), { code: 'ENOENT' }),
      { code: 'ATRIUM_X' },
      null,
      'x',
    ];
    for (const stranger of strangers) expect(errors.isAtriumError(stranger)).toBe(false);
  });
});
