import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { forAll } from '../testkit/for-all.ts';
import { type ConfigPath, withValueAt } from './config-path.ts';
import { parseYamlSource } from './yaml-source.ts';

const parse = (text: string) => parseYamlSource('openclaw.yaml', text);
const edit = (text: string, path: ConfigPath, value: unknown) => parse(text).edit(path, value);

describe('a YAML source', () => {
  it('reads maps, lists, block text, anchors and merge keys', () => {
    const text = 'a: &base {x: 1}\nb:\n  <<: *base\n  y: |\n    two\n    lines\nc:\n- 22-6\n- on\n';
    expect(parse(text).value).toEqual({ a: { x: 1 }, b: { x: 1, y: 'two\nlines\n' }, c: ['22-6', 'on'] });
  });

  it.each(['', '\n\n', '# nothing yet\n', '---\n'])('reads %j as an empty object', (text) => {
    expect(parse(text).value).toEqual({});
  });

  it('names line, column and problem of a syntax error in one sentence', () => {
    expect(() => parse('a: 1\nb: [1, 2\nc: 3\n')).toThrow(
      /^openclaw\.yaml:\d:\d: this is not YAML: .*\. Correct this line/,
    );
    expect(() => parse('a: 1\na: 2\n')).toThrow('openclaw.yaml:2:1: this key was given before in the same place.');
    expect(() => parse('a: 1\n---\nb: 2\n')).toThrow('openclaw.yaml:2:1: a second YAML document begins here');
    expect(() => parse('x: 1\na: *nobody\n')).toThrow(/^openclaw\.yaml:2:4: .*nobody/);
  });

  it('refuses files that are made to exhaust memory or the stack', () => {
    const bomb = [
      'a0: &a0 [x, x, x, x, x, x, x, x, x, x]',
      ...Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i}, `.repeat(10)}x]`),
    ];
    const refused = expect.objectContaining({ code: 'ATRIUM_CONFIG_SYNTAX' });
    expect(() => parse(bomb.join('\n'))).toThrow(refused);
    expect(() => parse('['.repeat(50_000))).toThrow(refused);
    expect(() => parse(`${'- '.repeat(50_000)}x`)).toThrow(refused);
    expect(() => parse(Array.from({ length: 2_000 }, (_, i) => `${' '.repeat(i)}a:`).join('\n'))).toThrow(refused);
  });

  it('keeps a key called __proto__ a key', () => {
    expect(Object.keys(parse('__proto__: {polluted: true}').value as object)).toEqual(['__proto__']);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('knows the line of a key, of a list item, and of what is nearest to something missing', () => {
    const source = parse('# top\nagents:\n  list:\n    - id: a\n    - id: b\n      name: 3\n');
    expect(source.lineOf(['agents', 'list'])).toBe(3);
    expect(source.lineOf(['agents', 'list', 1])).toBe(5);
    expect(source.lineOf(['agents', 'list', 1, 'name'])).toBe(6);
    expect(source.lineOf(['agents', 'list', 0, 'workspace'])).toBe(4);
    expect(source.lineOf(['bootstrap'])).toBe(2);
    expect(parse('').lineOf(['bootstrap'])).toBe(1);
  });
});

describe('editing a YAML source', () => {
  it('replaces a value and keeps every space around it', () => {
    expect(edit('# why\na:   true    # still why\n\n\nb: 2\n', ['a'], false)).toBe(
      '# why\na:   false    # still why\n\n\nb: 2\n',
    );
    expect(edit("a: 'x'\n", ['a'], 'y: z')).toBe('a: "y: z"\n');
  });

  it('adds to an empty text and a text of comments', () => {
    expect(edit('', ['a', 'b'], 1)).toBe('a:\n  b: 1\n');
    expect(edit('# mine', ['a'], 1)).toBe('# mine\na: 1\n');
  });

  it('adds to blocks in the indentation that they have', () => {
    expect(edit('a:\n    b: 1 # one\n    # the end\nc: 2\n', ['a', 'd'], { e: true })).toBe(
      'a:\n    b: 1 # one\n    d:\n        e: true\n    # the end\nc: 2\n',
    );
    expect(edit('list:\n- id: a   # first\n- id: b', ['list', 2], { id: 'c', x: 1 })).toBe(
      'list:\n- id: a   # first\n- id: b\n- id: c\n  x: 1\n',
    );
    expect(edit('a: 1\r\nb: 2\r\n', ['c'], 3)).toBe('a: 1\r\nb: 2\r\nc: 3\r\n');
  });

  it('adds after block text', () => {
    expect(edit('a:\n  t: |\n    one\n\n    two\n\nb: 1\n', ['a', 'c'], 1)).toBe(
      'a:\n  t: |\n    one\n\n    two\n  c: 1\n\nb: 1\n',
    );
  });

  it('adds inside brackets', () => {
    expect(edit('a: {}\n', ['a', 'b'], 1)).toBe('a: { "b": 1 }\n');
    expect(edit('a: { b: 1 } # c\n', ['a', 'c', 'd'], 1)).toBe('a: { b: 1, "c": {"d":1} } # c\n');
    expect(edit('list: [x]\n', ['list', 1], 'y')).toBe('list: [x, "y"]\n');
  });

  it('fills keys that were written without a value', () => {
    expect(edit('hooks:  # later\nb: 1\n', ['hooks', 'internal', 'enabled'], true)).toBe(
      'hooks:  # later\n  internal:\n    enabled: true\nb: 1\n',
    );
    expect(edit('a:\nb: 1\n', ['a'], 5)).toBe('a: 5\nb: 1\n');
  });

  it('refuses a change that would reach through an alias', () => {
    const text = 'a: &x {p: 1, q: 1}\nb: *x\n';
    expect(() => edit(text, ['b', 'p'], 2)).toThrow(expect.objectContaining({ code: 'ATRIUM_CONFIG_EDIT' }));
  });

  it('refuses a change that would lose a comment', () => {
    expect(() => edit('a:\n  # inside\n  b: 1\n', ['a'], 2)).toThrow('lose a comment');
  });

  it('reads back as the changed value with every comment, for any file', () => {
    forAll([commentedText, path, newValue], 400, (text, at, value) => {
      const before = parse(text);
      const target = growing(before.value, at);
      const after = parse(before.edit(target, value));
      expect(after.value).toEqual(withValueAt(before.value, target, value));
      expect(after.comments()).toEqual(before.comments());
    });
  });
});

const key = fc.constantFrom('a', 'b', 'c', 'time-context', 'with: colon', '#x');
const path: fc.Arbitrary<ConfigPath> = fc.array(key, { minLength: 1, maxLength: 4 });
const words = fc.oneof(
  fc.string(),
  fc.constantFrom('x', 'yes', '- a', '# no comment', 'a: b', 'two\nlines\n', ' # x\n\n  y', '$HOME'),
);
const newValue = fc.oneof(
  words,
  fc.integer(),
  fc.boolean(),
  fc.array(words, { maxLength: 2 }),
  fc.dictionary(key, words, { maxKeys: 2, noNullPrototype: true }),
);

/** Turns a random path into one that adds a value or replaces a scalar: lists grow, and objects are entered. */
function growing(value: unknown, at: ConfigPath): ConfigPath {
  const result: (string | number)[] = [];
  let current = value;
  for (const part of at) {
    if (Array.isArray(current)) result.push(current.length);
    else if (typeof current === 'object' && current !== null) result.push(part);
    else if (current === undefined || current === null) result.push(part);
    else break;
    current = (current as Record<string, unknown> | undefined | null)?.[result.at(-1) as string];
  }
  if (typeof current === 'object' && current !== null) result.push(Array.isArray(current) ? current.length : 'added');
  return result;
}

const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(words, fc.integer(), fc.boolean(), fc.constant(null)),
    fc.dictionary(key, tie('tree'), { maxKeys: 3, noNullPrototype: true }),
    fc.array(tie('tree'), { maxLength: 3 }),
  ),
}));
let counter = 0;

/**
 * Makes a printed document with comments in the places where YAML allows them: on lines of their own and after simple
 * values.
 */
const commentedText = fc
  .tuple(
    fc.dictionary(key, tree, { maxKeys: 4, noNullPrototype: true }),
    fc.constantFrom(2, 4),
    fc.boolean(),
    fc.infiniteStream(fc.nat(5)),
  )
  .map(([value, indent, indentSeq, choices]) => {
    let inBlock = -1;
    const lines = stringify(value, { indent, indentSeq, lineWidth: 0 }).split('\n');
    return lines
      .flatMap((line) => {
        const depth = line.search(/\S/);
        if (inBlock >= 0 && (depth === -1 || depth > inBlock)) return [line];
        inBlock = -1;
        if (/[|>][-+0-9]*$/.test(line)) {
          inBlock = Math.max(depth, 0);
          return [line];
        }
        const choice = choices.next().value;
        if (choice === 0) return [`${' '.repeat(Math.max(depth, 0))}# note ${counter++}`, line];
        if (choice === 1 && /^[^"'#]*[\w\]}:]$/.test(line)) return [`${line}   # note ${counter++}`];
        return choice === 2 ? ['', line] : [line];
      })
      .join('\n');
  })
  .filter((text) => {
    try {
      return Boolean(parse(text));
    } catch {
      return false;
    }
  });
