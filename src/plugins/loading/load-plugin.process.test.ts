import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recordingHost, ScratchPlugins } from '../fixtures/scratch-plugins.ts';
import type { AgentEventRegistration, CommandRegistration, ServiceRegistration } from '../registration.ts';
import { loadPlugin } from './load-plugin.ts';

let scratch: ScratchPlugins;
beforeEach(async () => {
  scratch = await ScratchPlugins.create();
});
afterEach(() => scratch.remove());

/** On a busy machine a plugin may take longer to register than a gateway would wait for it. */
const UNHURRIED = { registerTimeoutMs: 60_000 };

async function load(files: Record<string, string> | string, host = recordingHost()) {
  const setup = await scratch.write('nice', files);
  const draft = await loadPlugin(setup, host, UNHURRIED);
  if (!draft.ok) throw new Error('reason' in draft ? draft.reason : draft.needsInline.join());
  return { ...draft, host, setup };
}

describe('loading a plugin', () => {
  it('passes agent events on to listeners that come when registering is over', async () => {
    const { registrations } = await load(`
      let seen = 0;
      export default (api: any) => {
        let undo: () => void;
        api.registerService({ id: 's', start: () => { undo = api.runtime.events.onAgentEvent((event: any) => { seen += event.n; }); }, stop: () => undo() });
        api.registerCommand({ name: 'seen', description: 'Seen.', handler: () => ({ text: String(seen) }) });
      }`);
    const [events, service, command] = registrations as [
      AgentEventRegistration,
      ServiceRegistration,
      CommandRegistration,
    ];
    expect(registrations.map(({ kind }) => kind)).toEqual(['agent-event', 'service', 'command']);
    await events.handle({ n: 1 });
    await service.start();
    await events.handle({ n: 10 });
    await service.stop?.();
    await events.handle({ n: 100 });
    expect(await command.handler({ channel: 'cli', isAuthorizedSender: true, commandBody: '/seen' })).toEqual({
      text: '10',
    });
  });

  it('holds up nobody while it reads a large bundle', async () => {
    const part = (n: number) => `const f${n} = ({ a = ${n}, ...rest } = {}) => [a?.b ?? ${n}, \`\${a}\`, rest];`;
    const bundle = Array.from({ length: 3_500 }, (_, n) => part(n)).join('\n');
    let longestMs = 0;
    let last = performance.now();
    const began = last;
    const look = () => {
      longestMs = Math.max(longestMs, performance.now() - last);
      last = performance.now();
    };
    const watch = setInterval(look, 5);
    try {
      const { registrations } = await load({
        'index.js': `${bundle}\nexport default (api) => api.registerCommand({ name: 'f', description: 'F.', handler: () => ({ text: String(f7()[0]) }) });`,
      });
      look();
      expect(longestMs).toBeLessThan((performance.now() - began) / 2);
      const [command] = registrations as [CommandRegistration];
      expect(await command.handler({ channel: 'cli', isAuthorizedSender: true, commandBody: '/f' })).toEqual({
        text: '7',
      });
    } finally {
      clearInterval(watch);
    }
  });

  it('names the line of a mistake in a large bundle', async () => {
    const bundle = `${'// One line of many that say nothing at all.\n'.repeat(8_000)}const = 2;\n`;
    const setup = await scratch.write('nice', { 'index.js': bundle });
    expect(await loadPlugin(setup, recordingHost())).toMatchObject({
      ok: false,
      reason: expect.stringContaining('index.js:8001'),
    });
  });

  it('gives the SDK to what bundlers make of require', async () => {
    const { registrations } = await load({
      'index.js': `
        import module, { createRequire, builtinModules } from 'node:module';
        import { createRequire as older } from 'module';
        const require = createRequire(import.meta.url);
        const { definePluginEntry } = require('openclaw/plugin-sdk/plugin-entry');
        const { Type } = older(import.meta.url)('@sinclair/typebox');
        const found = [
          require('openclaw/plugin-sdk/plugin-entry') === module.createRequire(import.meta.url)('openclaw/plugin-sdk/plugin-entry'),
          require('node:path').basename(require.resolve('./names.cjs')),
          require('./names.cjs').first,
          Type.Object({}).type,
          builtinModules.includes('fs'),
        ];
        export default definePluginEntry({
          id: 'nice',
          register: (api) => api.registerCommand({ name: 'f', description: 'F.', handler: () => ({ text: found.join() }) }),
        });`,
      'names.cjs': `exports.first = 'Ada';`,
    });
    const [command] = registrations as [CommandRegistration];
    expect(await command.handler({ channel: 'cli', isAuthorizedSender: true, commandBody: '/f' })).toEqual({
      text: 'true,names.cjs,Ada,object,true',
    });
  });

  it('reads JSON, whichever keyword says what it is', async () => {
    const { registrations } = await load({
      'index.js': `
        import older from './names.json' assert { type: 'json' };
        import newer from './names.json' with { type: 'json' };
        export default (api) => api.registerService({ id: older.first + newer.first, start() {} });`,
      'names.json': '{ "first": "Ada" }',
    });
    expect(registrations).toMatchObject([{ id: 'AdaAda' }]);
  });

  it('lets Node load the packages that it brings, whatever their text looks like', async () => {
    const looksLikeModule = 'exports.example = `\nimport { client } from "big-sdk";\nexport default client;\n`;';
    const files = {
      'index.ts': `
        import { isKept, next } from 'big-sdk';
        import { place } from 'typeless';
        import { later } from 'late-names';
        import helper from './helper.cjs';
        export default (api: any) => { api.logger.info(isKept, next(), place, helper.isKept, later); }`,
      'node_modules/late-names/package.json': '{"main":"main.js"}',
      'node_modules/late-names/main.js': `for (const name of ['later']) module.exports[name] = name;`,
      'helper.cjs': `exports.isKept = require('other-sdk').isKept;`,
      'node_modules/big-sdk/package.json': '{"main":"main.js"}',
      'node_modules/big-sdk/main.js': `${looksLikeModule}\nlet n = 0; exports.next = () => ++n; exports.isKept = require.cache[__filename] === module;`,
      'node_modules/other-sdk/package.json': '{"main":"main.js"}',
      'node_modules/other-sdk/main.js': `${looksLikeModule}\nexports.isKept = require.cache[__filename] === module;`,
      'node_modules/typeless/package.json': '{"exports":{"import":"./main.mjs"}}',
      'node_modules/typeless/main.mjs': 'export const place = new Error().stack.match(/file:/)?.[0] ?? "compiled";',
    };
    const { host, setup } = await load(files);
    const again = await load(files);
    expect([host, again.host].map(({ logged }) => logged[0]?.text)).toEqual([
      'true 1 file: true later',
      'true 2 file: true later',
    ]);
    expect(await readdir(join(setup.stateDir, 'cache', 'plugin-code')), 'its own two files').toHaveLength(2);
  });

  it('does not hide the error of a package behind a second attempt', async () => {
    const setup = await scratch.write('nice', {
      'index.ts': `import 'needs-key'; export default () => {}`,
      'node_modules/needs-key/package.json': '{"type":"module","exports":"./main.js"}',
      'node_modules/needs-key/main.js': `globalThis.attempts = (globalThis.attempts ?? 0) + 1; throw new Error('no key, attempt ' + globalThis.attempts);`,
    });
    expect(await loadPlugin(setup, recordingHost())).toMatchObject({
      ok: false,
      reason: expect.stringContaining('no key, attempt 1'),
    });
  });

  it('compiles a package only when Node cannot read it', async () => {
    const { host } = await load({
      'index.ts': `
        import { typed } from 'typed'; import { kind } from 'uses-sdk';
        export default (api: any) => { api.logger.info(typed, kind); }`,
      'node_modules/typed/package.json': '{"exports":"./main.ts"}',
      'node_modules/typed/main.ts': `enum Word { One = 'one' } export const typed: string = Word.One;`,
      'node_modules/uses-sdk/package.json': '{"main":"main.js"}',
      'node_modules/uses-sdk/main.js': `exports.text = "\\nimport x from 'y';"; exports.kind = typeof require('openclaw/plugin-sdk/core').jsonResult;`,
    });
    expect(host.logged[0]?.text).toBe('one function');
  });

  it('holds up nobody while it reads a large file of its own that is not the entry', async () => {
    const part = (n: number) => `const f${n} = ({ a = ${n}, ...rest } = {}) => [a?.b ?? ${n}, \`\${a}\`, rest];`;
    const chunk = Array.from({ length: 3_500 }, (_, n) => part(n)).join('\n');
    let turns = 0;
    const watch = setInterval(() => turns++, 5);
    try {
      const { host } = await load({
        'index.js': `export const name = 'nice';
          export default async (api) => {
            const [{ f, own }, { twice }] = await Promise.all([import('./chunk.js'), import('./twice.js')]);
            api.logger.info(f(), own(), twice());
          };`,
        'twice.js': `import { f } from './chunk.js'; export const twice = () => f() + f();`,
        'chunk.js': `import { name } from './index.js';\n${chunk}\nexport const f = () => f7()[0]; export const own = () => name;`,
      });
      expect(host.logged[0]?.text).toBe('7 nice 14');
      expect(turns).toBeGreaterThan(20);
    } finally {
      clearInterval(watch);
    }
  });

  it('says that registering late has no effect', async () => {
    const { registrations, host } = await load(`
      export default (api: any) => {
        api.registerService({ id: 's', start: () => api.on('agent_end', () => {}) });
      }`);
    await (registrations[0] as ServiceRegistration).start();
    expect(registrations).toHaveLength(1);
    expect(host.logged).toMatchObject([{ level: 'warn', text: expect.stringContaining('no effect') }]);
  });

  it('lets a plugin look whether something is there, and says what it did not find', async () => {
    const { host, notes } = await load(`
      import * as sdk from 'openclaw/plugin-sdk';
      export default async (api: any) => {
        const later = await import('openclaw/plugin-sdk/core');
        const unknown = await import('openclaw/plugin-sdk/not-there').catch((error) => error.code);
        api.logger.info(typeof sdk.jsonResult, typeof (sdk as any).shinyNewThing, typeof later.jsonResult, unknown, 'jsonResult' in sdk);
      }`);
    expect(host.logged.map(({ text }) => text)).toEqual([
      'It looks for shinyNewThing in openclaw/plugin-sdk, which Atrium does not have.',
      'function undefined function ATRIUM_PLUGIN_SDK_MISSING true',
    ]);
    expect(notes).toMatchObject([{ level: 'info', code: 'legacy' }]);
  });

  it('gives every module of the SDK, under every name, the same symbols', async () => {
    const { host } = await load({
      'index.ts': `
        import sdk, { jsonResult } from 'openclaw/plugin-sdk';
        import { jsonResult as b } from 'atrium/plugin-sdk';
        import { jsonResult as c } from 'openclaw/plugin-sdk/tool-results';
        import { jsonResult as d } from 'clawdbot/plugin-sdk';
        import { e } from './other.cjs';
        import type { Nothing } from 'openclaw/plugin-sdk/types-cost-nothing';
        export default (api: any) => { api.logger.info([b, c, d, e, sdk.jsonResult].map((each) => each === jsonResult).join()); }`,
      'other.cjs': `exports.e = require('openclaw/plugin-sdk/core').jsonResult;`,
    });
    expect(host.logged[0]?.text).toBe('true,true,true,true,true');
  });

  it('takes CommonJS that a compiler made as it is, and compiles what only looks like it', async () => {
    const head = '"use strict";\nObject.defineProperty(exports, "__esModule", { value: true });\n';
    const setup = await scratch.write('nice', {
      'index.js': `${head}const word_1 = require("./word.js");\nexports.default = (api) => api.logger.info(word_1.word);`,
      'word.js': `${head}const core_1 = require("openclaw/plugin-sdk/core");\nexports.word = typeof core_1.jsonResult;`,
    });
    const host = recordingHost();
    expect(await loadPlugin(setup, host)).toMatchObject({ ok: true });
    expect(host.logged.map(({ text }) => text)).toEqual(['function']);
    await expect(readdir(join(setup.stateDir, 'cache', 'plugin-code'))).rejects.toThrow('ENOENT');
    await writeFile(
      join(setup.rootDir, 'word.js'),
      `${head}exports.word = [import.meta.url.slice(0, 5), typeof import("./index.js").then].join();`,
    );
    expect(await loadPlugin(setup, host)).toMatchObject({ ok: true });
    expect(host.logged.at(-1)?.text).toBe('file:,function');
    await writeFile(
      join(setup.rootDir, 'word.js'),
      `${head}const core_1 = require("openclaw/plugin-sdk/core");\nexports.word = (0, core_1.noSuchThing)();`,
    );
    expect(await loadPlugin(setup, host)).toMatchObject({ ok: false, reason: expect.stringContaining('#noSuchThing') });
  });

  it('sees edits of every file, also of CommonJS and JSON', async () => {
    const files = (word: string) => ({
      'index.cjs': `const { word } = require('./word.cjs'); const data = require('./data.json'); module.exports = (api) => api.logger.info(word + data.word);`,
      'word.cjs': `exports.word = '${word}';`,
      'data.json': `{"word":"${word}"}`,
    });
    const first = await load(files('one'));
    const second = await load(files('two'));
    expect([first.host.logged[0]?.text, second.host.logged[0]?.text]).toEqual(['oneone', 'twotwo']);
  });

  it('keeps modules of one load together, however they are imported', async () => {
    const { host } = await load({
      'index.ts': `
        import { state, back } from './b.js';
        export const own = {};
        export default async (api: any) => {
          const again = await import('./b');
          api.logger.info(again.state === state, require('./b').state === state, back() === own);
        }`,
      'b.ts': `import { own } from './index.js'; export const state = {}; export const back = () => own;`,
    });
    expect(host.logged[0]?.text).toBe('true true true');
  });

  it('has no more of a plugin that registers without end than it needs', async () => {
    const { registrations } = await load(
      `export default (api: any) => { for (let i = 0; i < 5_000; i++) api.on('agent_end', () => {}); }`,
    );
    expect(registrations).toHaveLength(2_000);
  });

  it('names the file that cannot be compiled', async () => {
    const setup = await scratch.write('nice', {
      'index.ts': `import './part.js'; export default () => {}`,
      'part.ts': 'let x = ;',
    });
    const draft = await loadPlugin(setup, recordingHost());
    expect(draft).toMatchObject({ ok: false, reason: expect.stringContaining('part.ts') });
    await writeFile(join(setup.rootDir, 'part.ts'), 'export {};');
    expect(await loadPlugin(setup, recordingHost())).toMatchObject({ ok: true });
  });
});
