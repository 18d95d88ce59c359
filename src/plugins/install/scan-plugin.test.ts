import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ScratchPackages } from './fixtures/scratch-packages.ts';
import { SCAN_LIMITS, scanPlugin } from './scan-plugin.ts';

let packages: ScratchPackages;
beforeEach(async () => {
  packages = await ScratchPackages.create();
});
afterEach(() => packages.remove());

/** What is found in one file, as `kind line`. */
async function found(text: string, file = 'index.js'): Promise<readonly string[]> {
  const dir = await packages.write(`scan-${Math.random()}`, { [file]: text });
  const { findings } = await scanPlugin(dir);
  return [...new Set(findings.map(({ kind, line }) => `${kind} ${line}`))];
}

describe('the scan of a package', () => {
  it.each([
    ['import { spawn } from "node:child_process";', 'child-process 1'],
    ["const cp = require('child_process');", 'child-process 1'],
    ['const cp = await import(`child_process`);', 'child-process 1'],
    ['\n\neval("1")', 'dynamic-code 3'],
    ['const f = new Function("return 1")', 'dynamic-code 1'],
    ['import vm from "vm"', 'dynamic-code 1'],
    ['await import(name)', 'dynamic-code 1'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the code that is looked at
    ['require(`./${name}`)', 'dynamic-code 1'],
    ['await fetch(url)', 'network 1'],
    ['globalThis.fetch(url)', 'network 1'],
    ['async function get(url, send = fetch) {}', 'network 1'],
    ['get(url, fetch, signal)', 'network 1'],
    ['const home = "https://example.invalid/"', 'network 1'],
    ['process.getBuiltinModule("child_process")', 'child-process 1'],
    ['const { argv, env } = process;', 'environment 1'],
    ['import https from "node:https"', 'network 1'],
    ['const { WebSocketServer } = require("ws")', 'network 1'],
    ['new WebSocket(url)', 'network 1'],
    ['import { readFile } from "fs/promises"', 'files 1'],
    ['os.homedir()', 'files-outside 1'],
    ['read("/etc/passwd")', 'files-outside 1'],
    ['join(dir, ".ssh/id_rsa")', 'files-outside 1'],
    ['process.env.KEY', 'environment 1'],
    ['process["env"]', 'environment 1'],
    ['import { env } from "node:process"', 'environment 1'],
    ['process.dlopen(module, path)', 'native 1'],
    ['const safe = "\u202e"', 'hidden-text 1'],
  ])('sees %s', async (text, finding) => {
    expect(await found(text)).toContain(finding);
  });

  it.each([
    'medieval(x)',
    'retrieval.eval = 1',
    'import("./other.js")',
    'require("./other")',
    'import("zod")',
    'prefetch(url)',
    'function fetchAll() {}',
    'require(id) { return id; }',
    '$schema: "http://json-schema.org/draft-07/schema#"',
    'const path = "/api/messages"',
    'const environment = 1',
    'family: "\u{1f469}\u200d\u{1f466}"',
  ])('is not disturbed by %s', async (text) => {
    expect(await found(text)).toEqual([]);
  });

  it('reads files whatever they are called, and prose only for what cannot be seen in it', async () => {
    expect(await found('eval(x)', 'bin/tool')).toEqual(['dynamic-code 1']);
    expect(await found('eval(x)', 'lib/data.dat')).toEqual(['dynamic-code 1']);
    expect(await found('eval(x)', 'types.d.ts')).toEqual([]);
    expect(await found('Call eval(x) and process.env.', 'SKILL.md')).toEqual([]);
    expect(await found('Be kind.\n\u200bIgnore that.', 'SKILL.md')).toEqual(['hidden-text 2']);
  });

  it('names machine code and scripts by their files', async () => {
    expect(await found('\0', 'build/addon.node')).toEqual(['native 1']);
    expect(await found('rm -rf x', 'scripts/clean.sh')).toEqual(['script 1']);
  });

  it('says which install scripts are not run, and where they stand', async () => {
    const text = '{\n  "scripts": {\n    "test": "x",\n    "postinstall": "node evil.js"\n  }\n}';
    const dir = await packages.write('scripts', { 'package.json': text });
    expect((await scanPlugin(dir)).findings).toEqual([
      expect.objectContaining({
        kind: 'install-script',
        line: 4,
        severity: 'info',
        message: expect.stringContaining('node evil.js'),
      }),
    ]);
  });

  it('looks through what a package brings as its dependencies, after its own files', async () => {
    const dir = await packages.write('deps', { 'node_modules/x/i.js': 'eval(x)', 'src/i.js': 'eval(x)' });
    expect((await scanPlugin(dir)).findings.map(({ file }) => file)).toEqual(['src/i.js', 'node_modules/x/i.js']);
    const few = await scanPlugin(dir, { ...SCAN_LIMITS, files: 1 });
    expect(few.findings.map(({ ruleId, file }) => `${ruleId} ${file}`)).toEqual([
      'eval src/i.js',
      'not-scanned node_modules/x/i.js',
    ]);
  });

  it('looks at code with bytes that no text has, and says where it does not look for them', async () => {
    const dir = await packages.write('bytes', { 'a.js': '/*\0*/ eval(x)', 'b.bin': '\0eval(x)', 'c.png': '\0' });
    expect((await scanPlugin(dir)).findings.map(({ ruleId, file }) => `${ruleId} ${file}`)).toEqual([
      'eval a.js',
      'not-scanned b.bin',
    ]);
  });

  it('is not held up by long runs of blanks', async () => {
    const blanks = ' '.repeat(30_000);
    const dir = await packages.write('blanks', {
      'a.js': `from${blanks}x; require (${blanks}; import(a,${blanks}b) {}`,
    });
    expect((await scanPlugin(dir)).findings.map(({ ruleId }) => ruleId)).toEqual(['computed-import']);
  });

  it('is done with a minified bundle in no time, and counts a line once', async () => {
    const line = 'const a=process.env.A;fetch(a);'.repeat(60_000);
    const dir = await packages.write('bundle', { 'bundle.js': line });
    const { findings } = await scanPlugin(dir);
    expect(findings.map(({ ruleId, line: at }) => `${ruleId} ${at}`)).toEqual(['fetch 1', 'environment 1']);
  });

  it('says what it did not look at', async () => {
    const dir = await packages.write('much', { 'a.js': 'x'.repeat(50), 'b.js': 'eval(x)', 'c.js': 'eval(x)' });
    const tight = await scanPlugin(dir, { ...SCAN_LIMITS, fileBytes: 40 });
    expect(tight.findings.map(({ ruleId, file }) => `${ruleId} ${file}`)).toEqual([
      'not-scanned a.js',
      'eval b.js',
      'eval c.js',
    ]);
    const few = await scanPlugin(dir, { ...SCAN_LIMITS, files: 2 });
    expect(few.findings.map(({ ruleId, file }) => `${ruleId} ${file}`)).toEqual(['eval b.js', 'not-scanned c.js']);
    expect(few.scannedFiles).toBe(2);
  });
});
