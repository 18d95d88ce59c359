import fc from 'fast-check';
import JSON5 from 'json5';
import { describe, expect, it } from 'vitest';
import { forAll } from '../testkit/for-all.ts';
import { type ConfigPath, withValueAt } from './config-path.ts';
import { parseJson5Source } from './json5-source.ts';

const parse = (text: string) => parseJson5Source('openclaw.json', text);
const edit = (text: string, path: ConfigPath, value: unknown) => parse(text).edit(path, value);

describe('a JSON5 source', () => {
  it('reads comments, bare keys, single quotes and trailing commas', () => {
    expect(parse('// top\n{ a: \'x\', /* b */ "b": [1, 2,], }').value).toEqual({ a: 'x', b: [1, 2] });
  });

  it('means the same for plain JSON as the parser of JSON5', () => {
    const odd = '{"__proto__": {"x": 1}, "a": 1, "b": -0, "a": 1e400, "\\u2028": "\u2028"}';
    expect(parse(odd).value).toEqual(JSON5.parse(odd));
    expect(Object.keys(parse(odd).value as object)).toEqual(Object.keys(JSON5.parse(odd)));
    forAll([fc.dictionary(fc.string(), fc.jsonValue())], (value) => {
      const text = JSON.stringify(value);
      expect(parse(text).value).toEqual(JSON5.parse(text));
    });
  });

  it.each(['', '   \n', '// nothing here yet\n', '/* nothing */'])('reads %j as an empty object', (text) => {
    expect(parse(text).value).toEqual({});
  });

  it('names line, column and problem of a syntax error in one sentence', () => {
    expect(() => parse('{\n  a: 1\n  b: 2\n}')).toThrow("openclaw.json:3:3: this is not JSON5: invalid character 'b'.");
  });

  it.each(['{a:', '{"a": "x', '\0\0\0', '{}}', '/* open', '{a: 1', '[1, 2'])('refuses %j without a crash', (text) => {
    expect(() => parse(text)).toThrow(expect.objectContaining({ code: 'ATRIUM_CONFIG_SYNTAX' }));
  });

  it('refuses values that are nested to exhaust the stack', () => {
    expect(() => parse('['.repeat(200) + ']'.repeat(200))).toThrow('nested more than 100 levels');
    expect(() => parse('['.repeat(100_000))).toThrow(expect.objectContaining({ code: 'ATRIUM_CONFIG_SYNTAX' }));
  });

  it('keeps a key called __proto__ a key', () => {
    const { value } = parse('{ "__proto__": { "polluted": true } }');
    expect(Object.keys(value as object)).toEqual(['__proto__']);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('knows the line of a key, of a list item, and of what is nearest to something missing', () => {
    const source = parse(
      '{\n  agents: {\n    list: [\n      { id: "a" },\n      { id: "b",\n        name: 3 },\n    ],\n  },\n}',
    );
    expect(source.lineOf(['agents', 'list'])).toBe(3);
    expect(source.lineOf(['agents', 'list', 1])).toBe(5);
    expect(source.lineOf(['agents', 'list', 1, 'name'])).toBe(6);
    expect(source.lineOf(['agents', 'list', 0, 'workspace'])).toBe(4);
    expect(source.lineOf(['bootstrap', 'keep'])).toBe(1);
  });

  it('takes the last of two equal keys, as the value does', () => {
    const source = parse('{\n "a": 1,\n "a": 2\n}');
    expect(source.value).toEqual({ a: 2 });
    expect(source.lineOf(['a'])).toBe(3);
    expect(source.edit(['a'], 5)).toBe('{\n "a": 1,\n "a": 5\n}');
  });

  it('still gives a line where the position parser knows less than JSON5', () => {
    const source = parse('{ null: 1, x: +.5 }');
    expect(source.value).toEqual({ null: 1, x: 0.5 });
    expect(source.lineOf(['x'])).toBe(1);
    expect(() => source.edit(['x'], 1)).toThrow(expect.objectContaining({ code: 'ATRIUM_CONFIG_EDIT' }));
  });
});

describe('editing a JSON5 source', () => {
  it('replaces a value and nothing else', () => {
    expect(edit('{\n  // why\n  a: true, // still why\n}\n', ['a'], false)).toBe(
      '{\n  // why\n  a: false, // still why\n}\n',
    );
  });

  it('adds to an empty text, an empty object, and a text of comments', () => {
    expect(edit('', ['a', 'b'], 1)).toBe('{\n  "a": {\n    "b": 1\n  }\n}\n');
    expect(edit('{}\n', ['a'], [])).toBe('{\n  "a": []\n}\n');
    expect(edit('// mine', ['a'], 1)).toBe('// mine\n{\n  "a": 1\n}\n');
    expect(edit('{ /* nothing yet */ }', ['a'], 1)).toBe('{ /* nothing yet */\n  "a": 1\n}');
  });

  it('adds after a last member with and without its comma, before comments at the end', () => {
    expect(edit('{\n  "a": 1\n}', ['b'], 2)).toBe('{\n  "a": 1,\n  "b": 2\n}');
    expect(edit('{\n  a: 1,\n  // the end\n}', ['b'], 2)).toBe('{\n  a: 1,\n  // the end\n  b: 2,\n}');
    expect(edit('{\n  a: 1 // one\n  /* the end, */\n}', ['b'], 2)).toBe(
      '{\n  a: 1, // one\n  /* the end, */\n  b: 2\n}',
    );
  });

  it('stays on one line where the object does', () => {
    expect(edit('{ a: 1 }', ['b'], { c: [1] })).toBe('{ a: 1, b: { c: [1] } }');
    expect(edit('{a:1,}', ['b'], 2)).toBe('{a:1, b: 2,}');
    expect(edit('{ "list": [{ "id": "a" }] }', ['list', 1], { id: 'b' })).toBe(
      '{ "list": [{ "id": "a" }, { "id": "b" }] }',
    );
  });

  it('appends to lists and makes parents that are missing or null', () => {
    expect(edit('{\n  "list": [\n    1, // one\n  ]\n}', ['list', 1], 2)).toBe(
      '{\n  "list": [\n    1, // one\n    2,\n  ]\n}',
    );
    expect(edit('{ "hooks": null }', ['hooks', 'internal', 'enabled'], true)).toBe(
      '{ "hooks": {\n  "internal": {\n    "enabled": true\n  }\n} }',
    );
    expect(edit('{\n}', ['agents', 'list', 0], { id: 'a' })).toBe(
      '{\n  "agents": {\n    "list": [\n      {\n        "id": "a"\n      }\n    ]\n  }\n}',
    );
  });

  it('writes tabs, Windows line ends and quoted keys where the file has them', () => {
    expect(edit('{\r\n\t"a": {\r\n\t\t"b": 1\r\n\t}\r\n}\r\n', ['a', 'c'], { d: 1 })).toBe(
      '{\r\n\t"a": {\r\n\t\t"b": 1,\r\n\t\t"c": {\r\n\t\t\t"d": 1\r\n\t\t}\r\n\t}\r\n}\r\n',
    );
    expect(edit('{ a: 1 }', ['time-context'], 1)).toBe('{ a: 1, "time-context": 1 }');
  });

  it('reads back as the changed value with every comment, for any file', () => {
    forAll([commentedText, path, fc.jsonValue({ maxDepth: 2 })], 400, (text, at, value) => {
      const before = parse(text);
      const target = reachable(before.value, at);
      const after = parse(before.edit(target, value));
      expect(after.value).toEqual(withValueAt(before.value, target, value));
      const inside = replacedComments(before.text, target);
      expect(after.comments()).toEqual(before.comments().filter((comment) => !inside.includes(comment)));
    });
  });
});

const key = fc.constantFrom('a', 'b', 'c', 'time-context', 'agents', 'true');
const path: fc.Arbitrary<ConfigPath> = fc
  .array(fc.oneof(key, fc.nat(2)), { minLength: 1, maxLength: 4 })
  .map(([first, ...rest]) => {
    return [typeof first === 'number' ? 'a' : (first ?? 'a'), ...rest];
  });

/**
 * Turns a random path into one that an edit accepts: lists get indexes, objects get keys, and a scalar ends the path.
 */
function reachable(value: unknown, at: ConfigPath): ConfigPath {
  const result: (string | number)[] = [];
  let current = value;
  for (const part of at) {
    if (Array.isArray(current)) result.push(Math.min(Number(part) || 0, current.length));
    else if (typeof current === 'object' && current !== null) result.push(String(part));
    else if (current === undefined || current === null) result.push(typeof part === 'number' ? 0 : part);
    else break;
    current = (current as Record<string, unknown> | undefined | null)?.[result.at(-1) as string];
  }
  return result;
}

/** Comments inside a value that is replaced as a whole disappear with it. */
function replacedComments(text: string, at: ConfigPath): string[] {
  const marker = 'REPLACED-VALUE';
  const source = parse(text);
  const without = parse(source.edit(at, marker)).comments();
  return source.comments().filter((comment) => !without.includes(comment));
}

let counter = 0;
const gap = fc.constantFrom('', ' ', '\n', '\n  ', 'line', 'block').map((kind) => {
  if (kind === 'line') return ` // note, ${counter++} }\n`;
  if (kind === 'block') return ` /* note ${counter++} ] */ `;
  return kind;
});
const scalar = fc.oneof(
  fc.constantFrom('1', '-2.5', 'true', 'null', '"x // y"', "'it\\'s'", '"}"'),
  fc.string().map((text) => JSON.stringify(text)),
);
const { value: commentedValue } = fc.letrec<{ value: string }>((tie) => {
  const list = fc
    .tuple(fc.array(fc.tuple(gap, tie('value'), gap), { maxLength: 3 }), fc.boolean(), gap)
    .map(
      ([items, comma, end]) =>
        `[${items.map((item) => item.join('')).join(',')}${comma && items.length > 0 ? ',' : ''}${end}]`,
    );
  const member = fc
    .tuple(gap, fc.constantFrom('a', 'b', 'c', "'b'", '"time-context"', '"agents"'), gap, gap, tie('value'), gap)
    .map(([before, name, mid, after, value, end]) => `${before}${name}${mid}:${after}${value}${end}`);
  const object = fc
    .tuple(fc.uniqueArray(member, { maxLength: 3 }), fc.boolean(), gap)
    .map(([members, comma, end]) => `{${members.join(',')}${comma && members.length > 0 ? ',' : ''}${end}}`);
  return { value: fc.oneof({ depthSize: 'small', withCrossShrink: true }, scalar, list, object) };
});
const commentedText = fc
  .tuple(
    gap,
    fc.array(fc.tuple(gap, fc.constantFrom('a', 'b', 'agents'), commentedValue, gap), { maxLength: 3 }),
    fc.boolean(),
    gap,
  )
  .map(([before, members, comma, end]) => {
    const body = members.map(([lead, name, value, trail]) => `${lead}${name}: ${value}${trail}`).join(',');
    return `${before}{${body}${comma && members.length > 0 ? ',' : ''}${end}}`;
  });
