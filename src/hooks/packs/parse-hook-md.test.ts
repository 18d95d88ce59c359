import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forAllAsync } from '../../testkit/for-all.ts';
import { parseHookMd } from './parse-hook-md.ts';

function hookMd(...lines: string[]): string {
  return ['---', ...lines, '---', '# body'].join('\n');
}

describe('the front matter of a HOOK.md', () => {
  it('is read the same with Windows line ends', async () => {
    const text = hookMd('name: h', 'metadata:', '  openclaw:', '    events: [command]');
    const [unix, windows] = await Promise.all([parseHookMd(text), parseHookMd(text.replaceAll('\n', '\r\n'))]);
    expect(windows).toEqual(unix);
    expect(windows.metadata?.events).toEqual(['command']);
  });

  it('is nothing without a closing line', async () => {
    expect((await parseHookMd('---\nname: h\n')).frontmatter).toEqual({});
  });

  it('turns numbers and booleans into text and keeps block scalars whole', async () => {
    const { frontmatter } = await parseHookMd(hookMd('a: 1e3', 'b: true', 'c: |', '  one: 1', '  two', 'd: ""'));
    expect(frontmatter).toEqual({ a: '1000', b: 'true', c: 'one: 1\ntwo', d: '' });
  });

  it('keeps a word that YAML reads as null, because the author wrote it', async () => {
    expect((await parseHookMd(hookMd('a: null', 'b: ~', 'c:'))).frontmatter).toEqual({ a: 'null', b: '~' });
  });

  it('takes the last of two equal keys, which YAML refuses', async () => {
    expect((await parseHookMd(hookMd('a: 1', "a: 'two'"))).frontmatter).toEqual({ a: 'two' });
  });

  it('lets structures over several lines through as JSON, colon or not', async () => {
    const { frontmatter } = await parseHookMd(hookMd('tags:', '  - a:b', '  - c'));
    expect(frontmatter).toEqual({ tags: '["a:b","c"]' });
  });

  it('has no key that would change an object', async () => {
    const { frontmatter } = await parseHookMd(hookMd('__proto__: x', 'constructor: y'));
    expect(Object.entries(frontmatter)).toEqual([['constructor', 'y']]);
  });

  it('survives an anchor that contains itself', async () => {
    expect((await parseHookMd(hookMd('a: &x [*x]', 'b: 1'))).frontmatter).toMatchObject({ b: '1' });
  });

  it('reads any text without throwing', async () => {
    const line = fc.oneof(fc.string(), fc.stringMatching(/^[a-z_]{1,9}:[ \t]?[-[\]{}"',:&*|>#a-z0-9 ]{0,20}$/));
    await forAllAsync([fc.array(line, { maxLength: 8 })], async (lines) => {
      const { frontmatter } = await parseHookMd(hookMd(...lines));
      expect(Object.values(frontmatter).every((value) => typeof value === 'string')).toBe(true);
      expect(Object.getPrototypeOf(frontmatter)).toBe(Object.prototype);
    });
  });
});

describe('the metadata of a hook', () => {
  async function metadataOf(section: unknown) {
    return parseHookMd(hookMd(`metadata: ${JSON.stringify({ openclaw: section })}`));
  }

  it('declares how a bootstrap handler is to be run', async () => {
    const declared = { priority: 40, stability: 'session', onError: 'abort', timeoutMs: 250 };
    const { metadata, problems } = await metadataOf({ events: ['agent:bootstrap'], ...declared });
    expect(metadata).toEqual({ events: ['agent:bootstrap'], ...declared });
    expect(problems).toEqual([]);
  });

  it('drops and names what it cannot use', async () => {
    const { metadata, problems } = await metadataOf({
      events: 'agent:bootstrap',
      priority: 'high',
      stability: 'forever',
      onError: 'explode',
      timeoutMs: 0,
    });
    expect(metadata).toEqual({ events: ['agent:bootstrap'] });
    expect(problems.map((problem) => problem.message)).toEqual([
      '"priority" must be a number, found "high"; the default applies',
      '"stability" must be one of static, session, run, found "forever"; the default applies',
      '"onError" must be one of skip, abort, found "explode"; the default applies',
      '"timeoutMs" must be a number of milliseconds above 0, found 0; the default applies',
    ]);
  });

  it('suggests the field that was probably meant, and lets strangers pass', async () => {
    const { problems } = await metadataOf({ events: ['command'], prioritty: 1, somethingOfTomorrow: true });
    expect(problems).toEqual([
      { code: 'metadata-field-unknown', message: 'unknown field "prioritty"; did you mean "priority"?' },
    ]);
  });

  it('says when it cannot be read, instead of a hook that silently never fires', async () => {
    const broken = await parseHookMd(hookMd('metadata: {"openclaw":{'));
    expect(broken.metadata).toBeUndefined();
    expect(broken.problems.map((problem) => problem.code)).toEqual(['metadata-unreadable']);
    const foreign = await parseHookMd(hookMd('metadata: {"other":{}}'));
    expect(foreign.problems.map((problem) => problem.code)).toEqual(['metadata-section-missing']);
  });

  it('keeps only installs of a known kind', async () => {
    const install = [{ type: ' NPM ', package: 'p', bins: 'a,b', id: 1 }, { kind: 'brew' }, null, 'npm'];
    expect((await metadataOf({ install })).metadata?.install).toEqual([
      { kind: 'npm', bins: ['a', 'b'], package: 'p' },
    ]);
  });

  it('is not fooled by values that refuse to become text', async () => {
    const { metadata } = await metadataOf({ events: [{ toString: 1 }, ['a', 'b']] });
    expect(metadata?.events).toEqual(['[object Object]', 'a,b']);
  });
});
