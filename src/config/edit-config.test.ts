import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { forAllAsync } from '../testkit/for-all.ts';
import { appendConfigValue, removeConfigValue, resolveConfigFileToEdit, setConfigValue } from './edit-config.ts';
import { readEnvironment } from './environment.ts';
import { loadConfig } from './load-config.ts';

const root = await mkdtemp(path.join(os.tmpdir(), 'atrium-edit-config-'));
afterAll(() => rm(root, { recursive: true, force: true }));

async function fileWith(name: string, text: string | undefined) {
  const file = path.join(await mkdtemp(path.join(root, 'edit-')), name);
  if (text !== undefined) await writeFile(file, text);
  return file;
}

const read = (file: string) => readFile(file, 'utf8');

describe('setting a value in a configuration file', () => {
  it('keeps comments and layout, in both formats', async () => {
    const json = await fileWith(
      'openclaw.json',
      '// mine\n{\n  hooks: { internal: {\n    entries: {\n      // noisy\n      a: { enabled: true }, // for now\n    },\n  } },\n}\n',
    );
    await setConfigValue(json, ['hooks', 'internal', 'entries', 'a', 'enabled'], false);
    await setConfigValue(json, ['hooks', 'internal', 'entries', 'b', 'enabled'], true);
    expect(await read(json)).toBe(
      '// mine\n{\n  hooks: { internal: {\n    entries: {\n      // noisy\n      a: { enabled: false }, // for now\n      b: {\n        enabled: true\n      },\n    },\n  } },\n}\n',
    );

    const yaml = await fileWith(
      'openclaw.yaml',
      '# mine\nhooks:\n    internal:\n        entries:\n            a: {enabled: true}   # for now\n',
    );
    await setConfigValue(yaml, ['hooks', 'internal', 'entries', 'a', 'enabled'], false);
    await setConfigValue(yaml, ['hooks', 'internal', 'entries', 'b', 'enabled'], true);
    expect(await read(yaml)).toBe(
      '# mine\nhooks:\n    internal:\n        entries:\n            a: {enabled: false}   # for now\n            b:\n                enabled: true\n',
    );
  });

  it('makes a file that only its owner can read, and the folders above it', async () => {
    const file = path.join(await mkdtemp(path.join(root, 'edit-')), 'a/b/openclaw.json');
    await setConfigValue(file, ['agents', 'defaults', 'workspace'], '~/x');
    expect(JSON.parse(await read(file))).toEqual({ agents: { defaults: { workspace: '~/x' } } });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(path.dirname(file))).toEqual(['openclaw.json']);
  });

  it('keeps the mode of a file and the link that leads to it', async () => {
    const file = await fileWith('real.json', '{}');
    await chmod(file, 0o640);
    const link = path.join(path.dirname(file), 'openclaw.json');
    await symlink(file, link);
    await setConfigValue(link, ['openboa', 'root'], 'x');
    expect((await stat(file)).mode & 0o777).toBe(0o640);
    expect((await lstat(link)).isSymbolicLink()).toBe(true);
    expect(JSON.parse(await read(file))).toEqual({ openboa: { root: 'x' } });
  });

  it('does not touch a file that says it already', async () => {
    const file = await fileWith('openclaw.json', '{a:1}');
    const before = await stat(file);
    await setConfigValue(file, ['a'], 1);
    expect((await stat(file)).ino).toBe(before.ino);
  });

  it('appends to a list, and makes it when it is missing', async () => {
    for (const name of ['openclaw.json', 'openclaw.yaml']) {
      const file = await fileWith(name, undefined);
      await appendConfigValue(file, ['agents', 'list'], { id: 'a' });
      await appendConfigValue(file, ['agents', 'list'], { id: 'b', workspace: '~/b' });
      const { config } = await loadConfig({ environment: readEnvironment({ HOME: '/h' }), configPath: file });
      expect(config).toEqual({ agents: { list: [{ id: 'a' }, { id: 'b', workspace: '~/b' }] } });
    }
  });

  it('writes only what a file can hold', async () => {
    const file = await fileWith('openclaw.json', '{}');
    await setConfigValue(file, ['a'], { id: 'x', workspace: undefined });
    expect(JSON.parse(await read(file))).toEqual({ a: { id: 'x' } });
    await expect(setConfigValue(file, ['b'], undefined)).rejects.toThrow('there is no value to write');
    await expect(setConfigValue(file, [], {})).rejects.toThrow('a path to a single value is needed');
  });

  it('loses nothing when several edits come at once', async () => {
    for (const name of ['openclaw.json', 'openclaw.yaml']) {
      const file = await fileWith(name, name.endsWith('json') ? '{ /* c */ }' : '# c\n');
      await Promise.all(['a', 'b', 'c', 'd'].map((key) => setConfigValue(file, ['agents', key], 1)));
      const { config } = await loadConfig({ environment: readEnvironment({ HOME: '/h' }), configPath: file });
      expect(config.agents).toEqual({ a: 1, b: 1, c: 1, d: 1 });
    }
  });

  it.each([
    ['openclaw.json', '{ a: "text" }', ['a', 'b'], 'a.b cannot be changed in', 'a is a string'],
    ['openclaw.yaml', 'a: text', ['a', 'b'], 'a.b cannot be changed in', 'a is a string'],
    ['openclaw.json', '{ a: [1] }', ['a', 3], 'a[3] cannot be changed in', 'a is a list of 1'],
    ['openclaw.yaml', 'a: [1]', ['a', 'b'], 'a.b cannot be changed in', 'a is a list of 1'],
    ['openclaw.json', '{ a: {} }', ['a', 0], 'a[0] cannot be changed in', 'a is an object'],
    ['openclaw.json', '{ a: { /* why */ b: 1 } }', ['a'], 'a cannot be changed in', 'a comment would be lost'],
    ['openclaw.yaml', 'a:\n  # why\n  b: 1', ['a'], 'a cannot be changed in', 'lose a comment'],
    ['openclaw.yaml', 'a: &x {p: 2}\nb: {<<: *x}', ['a', 'p'], 'a.p cannot be changed in', 'other values'],
    ['openclaw.json', '{ null: 1 }', ['b'], 'b cannot be changed in', 'the place for it was not found'],
    ['openclaw.json', '{ broken', ['b'], 'this is not JSON5', ''],
  ])('refuses to change %s with %j at %j and leaves it alone', async (name, text, at, ...words) => {
    const file = await fileWith(name, text);
    const error: Error = await setConfigValue(file, at, 1).then(
      () => expect.fail('it was set'),
      (each) => each,
    );
    for (const word of words) expect(error.message).toContain(word);
    expect(await read(file)).toBe(text);
    expect(await readdir(path.dirname(file))).toEqual([name]);
  });

  it('leaves a file that any sequence of edits went through readable and with its comments', async () => {
    const key = fc.constantFrom('a', 'b', 'time-context');
    const step = fc.tuple(
      fc.array(key, { minLength: 1, maxLength: 3 }),
      fc.oneof(fc.string(), fc.boolean(), fc.integer()),
    );
    await forAllAsync(
      [fc.array(step, { minLength: 1, maxLength: 5 }), fc.constantFrom('openclaw.json', 'openclaw.yaml')],
      40,
      async (steps, name) => {
        const file = await fileWith(
          name,
          name.endsWith('json')
            ? '// one\n{ // two\n  x: 1, // three\n  // four\n}\n'
            : '# one\nx: 1 # two\n\n# three\n',
        );
        for (const [at, value] of steps) {
          await setConfigValue(file, at, value).catch((error: { code?: string }) =>
            expect(error.code).toBe('ATRIUM_CONFIG_EDIT'),
          );
        }
        const text = await read(file);
        for (const word of name.endsWith('json')
          ? ['// one', '// two', '// three', '// four']
          : ['# one', '# two', '# three']) {
          expect(text).toContain(word);
        }
        await loadConfig({ environment: readEnvironment({ HOME: '/h' }), configPath: file });
      },
    );
  });
});

describe('choosing the file to edit', () => {
  const at = ['hooks', 'internal', 'entries', 'x', 'enabled'];

  async function chosen(files: Record<string, string>, where: readonly (string | number)[] = at) {
    const home = await mkdtemp(path.join(root, 'choose-'));
    await mkdir(path.join(home, '.openclaw'));
    for (const [name, text] of Object.entries(files)) await writeFile(path.join(home, '.openclaw', name), text);
    const environment = readEnvironment({ HOME: home });
    const file = await resolveConfigFileToEdit({ environment }, where);
    await setConfigValue(file, where, true);
    const { config } = await loadConfig({ environment });
    const effective = where.reduce<unknown>(
      (value, part) => (value as Record<string, unknown> | undefined)?.[part],
      config,
    );
    expect(effective).toBe(true);
    return path.basename(file);
  }

  it('takes the only one, or the one to be made', async () => {
    expect(await chosen({})).toBe('openclaw.json');
    expect(await chosen({ 'openclaw.json': '{}' })).toBe('openclaw.json');
    expect(await chosen({ 'openclaw.yaml': '' })).toBe('openclaw.yaml');
  });

  it('takes the one in which the change has an effect', async () => {
    const entry = '{ hooks: { internal: { entries: { x: { enabled: false } } } } }';
    expect(await chosen({ 'openclaw.json': entry, 'openclaw.yaml': 'a: 1' })).toBe('openclaw.json');
    expect(
      await chosen({ 'openclaw.json': entry, 'openclaw.yaml': `hooks: {internal: {entries: {x: {enabled: false}}}}` }),
    ).toBe('openclaw.yaml');
    expect(await chosen({ 'openclaw.json': '{ a: 1 }', 'openclaw.yaml': 'b: 1' })).toBe('openclaw.yaml');
    const listed = ['agents', 'list', 0, 'default'];
    expect(
      await chosen({ 'openclaw.json': '{ agents: { list: [{ id: "a" }] } }', 'openclaw.yaml': 'agents: {}' }, listed),
    ).toBe('openclaw.json');
    expect(
      await chosen(
        {
          'openclaw.json': '{ agents: { list: [{ id: "a", name: "x" }] } }',
          'openclaw.yaml': 'agents: {list: [{id: b}]}',
        },
        listed,
      ),
    ).toBe('openclaw.yaml');
  });
});

describe('removing a value from a configuration file', () => {
  it.each([
    ['{ a: 1, b: { c: 2 }, d: 3 }', '{ a: 1, d: 3 }'],
    ['{ a: 1, b: { c: 2 } }', '{ a: 1 }'],
    ['{ b: 2 }', '{ }'],
    [
      '{\n  // one\n  "a": 1,\n  "b": {\n    // inside\n    "c": 2\n  },\n  "d": 3 // end\n}\n',
      '{\n  // one\n  "a": 1,\n  "d": 3 // end\n}\n',
    ],
    ['{\n  "a": 1, // keep\n  "b": 2\n}\n', '{\n  "a": 1 // keep\n}\n'],
  ])('%j becomes %j', async (before, after) => {
    const file = await fileWith('openclaw.json', before);
    expect(await removeConfigValue(file, ['b'])).toBe(true);
    expect((await read(file)).replace(/ +/g, ' ')).toBe(after.replace(/ +/g, ' '));
    expect(await removeConfigValue(file, ['b'])).toBe(false);
  });

  it('keeps the rest of a YAML file, with its comments', async () => {
    const file = await fileWith('openclaw.yaml', '# mine\na: 1 # one\nb:\n  c: 2\nd: 3\n');
    await removeConfigValue(file, ['b', 'c']);
    expect(await read(file)).toBe('# mine\na: 1 # one\nb: {}\nd: 3\n');
  });

  it.each([
    [
      'openclaw.json',
      '{ a: { list: [ { id: "x" }, { id: "y", b: 1, c: 2 } ] } }',
      '{ a: { list: [ { id: "x" }, { id: "y", c: 2 } ] } }',
    ],
    [
      'openclaw.json',
      '{"a": {"list": [\n  {"id": "x"},\n  {"id": "y",\n   "b": 1}\n]}}',
      '{"a": {"list": [\n {"id": "x"},\n {"id": "y"\n }\n]}}',
    ],
    [
      'openclaw.yaml',
      'a:\n  list:\n    - id: x # first\n    - id: y\n      b: 1\n',
      'a:\n list:\n - id: x # first\n - id: y\n',
    ],
  ])('takes a member of an item of a list out of %s', async (name, before, after) => {
    const file = await fileWith(name, before);
    expect(await removeConfigValue(file, ['a', 'list', 1, 'b'])).toBe(true);
    expect((await read(file)).replace(/ +/g, ' ')).toBe(after.replace(/ +/g, ' '));
  });

  it('takes out exactly one member, whatever the file looks like', async () => {
    const key = fc.constantFrom('a', 'b', 'c', 'd');
    const object = fc.dictionary(key, fc.oneof(fc.integer(), fc.dictionary(key, fc.string(), { maxKeys: 3 })), {
      maxKeys: 4,
    });
    await forAllAsync([object, key, fc.constantFrom(undefined, 2)], 60, async (value, name, indent) => {
      const file = await fileWith('openclaw.json', JSON.stringify(value, null, indent));
      const { [name]: removed, ...rest } = value;
      expect(await removeConfigValue(file, [name])).toBe(removed !== undefined);
      expect(JSON.parse(await read(file))).toEqual(rest);
    });
  });
});
