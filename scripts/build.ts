// The command behind `npm run build`: `jiti scripts/build.ts [--only dist|build] [--if-needed]`. It makes two folders.
// `dist/` is the product, with the types that package.json promises; only this one is shipped. `build/` holds the parts of
// the product that the programs of tests and benchmarks begin with, bundled in the same way.
//
// A build is made in a folder of its own and takes effect when all of it is there; see put-in-place.ts.

import { execFile } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import type { InlineConfig, Rolldown } from 'tsdown';
import { HELP_WIDTHS } from '../src/cli/launch/ready-help.ts';
import { putInPlace, stagingFolder } from './put-in-place.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const packs = readdirSync(join(root, 'src/hooks/bundled'), { withFileTypes: true }).filter((pack) =>
  pack.isDirectory(),
);

/** Entries that no module imports: the product finds them by their path. */
const FOUND_BY_PATH = [
  'src/plugins/isolation/plugin-worker.ts',
  'src/gateway/composer/handler-program.ts',
  'src/gateway/webhooks/transform-program.ts',
  ...packs.map(({ name }) => `src/hooks/bundled/${name}/handler.ts`),
];

/** The kinds of processes, and the modules with which each of them begins. */
const BEGINNINGS = {
  /** Any command, and the one that is asked most. */
  command: [
    'src/protocol/import-module.ts',
    'src/cli/run-process.ts',
    'src/cli/in-user-zone.ts',
    'src/cli/gateway/status.ts',
    'src/config/json5-source.ts',
    'src/store/state-lock.ts',
  ],
  /** Some commands, of those that do not do themselves what a gateway does. */
  commands: [
    ...listFiles('src/cli', /^(?!(?:context|hooks|replay|fixtures)\/|gateway\/doctor|tour|commands\.ts)/),
    ...['src/config/list-vain-acceptances.ts', 'src/config/validate-config.ts'],
  ],
  worker: [
    ...FOUND_BY_PATH,
    ...listFiles('src/plugins/isolation', /^worker-/),
    ...['src/public/context.ts', 'src/public/own-modules.ts', 'src/public/plugin-sdk.ts'],
  ],
  gateway: [
    'src/gateway/start-gateway.ts',
    'src/gateway/parts/create-log.ts',
    'src/gateway/parts/create-redactor.ts',
    'src/store/sqlite/open-sqlite-store.ts',
  ],
};
type ProcessKind = keyof typeof BEGINNINGS;
const PROCESS_KINDS = Object.keys(BEGINNINGS) as ProcessKind[];

/** Packages that most commands or every start needs. */
const BUNDLED_PACKAGES = ['@hono/node-server', '@humanwhocodes/momoa', 'commander', 'json5'];

/** Packages that are ES modules only, which CommonJS cannot load in every version of Node, and what they bring along. */
const ES_PACKAGES = [
  ...['htmlparser2', 'domelementtype', 'domhandler', 'domutils', 'dom-serializer', 'entities'],
  ...[
    '@clack/prompts',
    '@clack/core',
    'sisteransi',
    'fast-string-width',
    'fast-string-truncated-width',
    'fast-wrap-ansi',
  ],
];

/** The clients of chat platforms. Bundled, they take a fraction of the time and memory; each is loaded when it is needed. */
const CHAT_CLIENTS = [/^@discordjs\//, /^@slack\//, /^grammy(\/|$)/, 'marked'];

/** Those clients and what they bring along. */
const CHAT_PACKAGES = [
  ...['@discordjs/collection', '@discordjs/rest', '@discordjs/util', '@discordjs/ws', 'discord-api-types'],
  ...['@sapphire/async-queue', '@sapphire/snowflake', '@vladfrangu/async_event_emitter', 'magic-bytes.js', 'tslib'],
  ...['@slack/logger', '@slack/socket-mode', '@slack/types', '@slack/web-api', 'eventemitter3', 'retry'],
  ...['p-finally', 'p-queue', 'p-retry', 'p-timeout', 'grammy', 'marked', 'undici'],
];

/** Modules of Node that a process seldom needs, and that take a millisecond or more. */
const SELDOM_USED = ['node:child_process', 'node:dns/promises', 'node:https', 'node:perf_hooks', 'node:worker_threads'];

interface Output {
  readonly name: 'dist' | 'build';
  /** The files that others name; they keep their place from build to build. */
  readonly doors: readonly string[];
  readonly madeFrom: readonly string[];
  /** They run side by side, and each writes into the folder that it is given. */
  readonly steps: readonly ((folder: string) => unknown)[];
  /** What needs the finished program. */
  readonly finish?: (folder: string) => unknown;
}

const OUTPUTS: readonly Output[] = [
  {
    name: 'dist',
    doors: promisedFiles(),
    madeFrom: ['src', 'extensions', 'console', 'scripts', 'package.json', 'tsconfig.json', 'tsconfig.types.json'],
    steps: [
      (folder) =>
        bundleProgram(folder, [
          'src/cli/run-process.ts',
          'src/protocol/import-module.ts',
          'src/public/context.ts',
          'src/public/own-modules.ts',
          'src/public/plugin-sdk.ts',
          'src/public/testkit.ts',
          ...FOUND_BY_PATH,
        ]),
      bundleLauncher,
      (folder) =>
        bundleTypes(folder, [
          'src/public/context.ts',
          'src/public/plugin-sdk.ts',
          'src/public/openclaw-sdk.ts',
          'src/public/testkit.ts',
        ]),
      (folder) => bundleConsole(join(folder, 'console')),
      copyPackFiles,
      copyProcessGuard,
    ],
    finish: writeHelp,
  },
  {
    name: 'build',
    doors: ['cli/fixtures/gateway-program.js', 'bench/parts.js'],
    madeFrom: ['src', 'extensions', 'console', 'scripts', 'package.json', 'bench/parts.ts', 'bench/receipts'],
    steps: [
      (folder) => bundle(folder, ['src/cli/fixtures/gateway-program.ts', 'bench/parts.ts', ...FOUND_BY_PATH]),
      // Where a gateway that runs from its sources finds the page.
      () => bundleConsole(join(root, 'build/console')),
      copyPackFiles,
      copyProcessGuard,
    ],
  },
];

const { values: flags } = parseArgs({ options: { only: { type: 'string' }, 'if-needed': { type: 'boolean' } } });
const asked = OUTPUTS.filter(({ name }) => flags.only === undefined || flags.only === name);
const outputs = flags['if-needed'] ? asked.filter((output) => !isUpToDate(output)) : asked;
if (flags['if-needed'] && outputs.length > 0) console.log('Building, which is done once ...');
await Promise.all(outputs.map(make));

async function make({ name, doors, steps, finish }: Output): Promise<void> {
  const startedAt = new Date();
  const folder = join(root, name);
  const staging = stagingFolder(folder);
  await Promise.all(steps.map((step) => step(staging)));
  await finish?.(staging);
  putInPlace({ staging, folder, doors, startedAt });
}

/** Every file of `dist/` that package.json names. */
function promisedFiles(): string[] {
  const { bin, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    bin: Record<string, string>;
    exports: Record<string, string | Record<string, string>>;
  };
  const named = [...Object.values(bin), ...Object.values(exports).flatMap((door) => Object.values(door))];
  const inDist = named.map((path) => /^(?:\.\/)?dist\/(.+)$/.exec(path)?.[1]).filter((path) => path !== undefined);
  return [...new Set(inDist)];
}

/**
 * Bundled, because finding and reading hundreds of small modules was most of the time that a start takes. Of the packages
 * only those are taken in that a start needs or that have many modules, as far as they are used; the rest stays where npm
 * put it. Names and lines stay as they are, so that a stack can be read; comments are left out, which saves reading them
 * each time.
 */
async function bundle(folder: string, entries: readonly string[], options: InlineConfig = {}): Promise<void> {
  const { outputOptions, ...others } = options;
  await runBundler({
    ...entriesAt(folder, entries),
    deps: {
      alwaysBundle: [/^zod(\/|$)/, /^hono(\/|$)/, ...BUNDLED_PACKAGES, ...ES_PACKAGES, ...CHAT_CLIENTS],
      onlyBundle: ['zod', 'hono', 'typebox', ...BUNDLED_PACKAGES, ...ES_PACKAGES, ...CHAT_PACKAGES],
    },
    outputOptions: {
      chunkFileNames: 'chunks/[name]-[hash].js',
      comments: { legal: true, annotation: true, jsdoc: false },
      ...outputOptions,
    },
    dts: false,
    ...others,
  });
}

/**
 * The product is CommonJS when it is built: V8 keeps the compiled code of scripts, and of ES modules only in newer
 * versions of Node (docs/decisions/0012-compiled-code-is-kept.md). Programs import the doors as they import any module.
 */
async function bundleProgram(folder: string, entries: readonly string[]): Promise<void> {
  await bundle(folder, entries, {
    format: 'cjs',
    outputOptions: {
      entryFileNames: '[name].js',
      exports: 'named',
      dynamicImportInCjs: false,
      codeSplitting: { groups: loadedTogether() },
    },
    plugins: [keepImport(join(root, 'src/protocol/import-module.ts')), whenUsed(SELDOM_USED), plainLetters()],
  });
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ type: 'commonjs' })}\n`);
}

interface ModuleInfos {
  getModuleInfo(module: string): { readonly importedIds: readonly string[] } | null;
}

/**
 * What a command or a gateway loads is in few chunks, since finding, reading and compiling a file costs more than the
 * few characters in most of them. The modules that the same kinds of processes load are one chunk, so that none reads
 * what only another kind needs. The rest is split as the bundler sees fit.
 */
function loadedTogether(): { name: (module: string, modules: ModuleInfos) => string | null; priority: number }[] {
  let loadedBy: ReadonlyMap<string, readonly ProcessKind[]> | undefined;
  return PROCESS_KINDS.map((_, index) => ({
    // A chunk takes along what its modules import, so what more kinds load is given out first.
    priority: index + 1,
    name: (module, modules) => {
      loadedBy ??= findLoaders(modules);
      const kinds = loadedBy.get(module) ?? [];
      const isStart = kinds.includes('command') || kinds.includes('gateway');
      return isStart && kinds.length === index + 1 ? kinds.join('-') : null;
    },
  }));
}

/** The kinds of processes that load a module when they begin. */
function findLoaders(modules: ModuleInfos): ReadonlyMap<string, readonly ProcessKind[]> {
  const loadedBy = new Map<string, ProcessKind[]>();
  for (const kind of PROCESS_KINDS) {
    const reach = (module: string) => {
      const kinds = loadedBy.get(module) ?? [];
      if (kinds.at(-1) === kind) return;
      loadedBy.set(module, [...kinds, kind]);
      modules.getModuleInfo(module)?.importedIds.forEach(reach);
    };
    for (const path of BEGINNINGS[kind]) reach(join(root, path));
  }
  return loadedBy;
}

function listFiles(folder: string, named: RegExp): string[] {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  const isSource = (file: string) => /(?<!\.test)\.ts$/.test(file) && named.test(file);
  return files.filter(isSource).map((file) => join(folder, file));
}

/** One file with everything that it needs, which loads the program. */
async function bundleLauncher(folder: string): Promise<void> {
  await bundle(folder, ['src/cli/main.ts'], { format: 'cjs', outputOptions: { entryFileNames: '[name].js' } });
}

/** The bundler makes `require` of every `import()`; in this module it stays as it is. */
function keepImport(module: string): Rolldown.Plugin {
  const HIDDEN = 'IMPORT_OF_NODE(';
  return {
    name: 'keep-import',
    transform: (code, id) => (id === module ? code.replace(/\bimport\(/, HIDDEN) : undefined),
    renderChunk: (code) => (code.includes(HIDDEN) ? code.replace(HIDDEN, 'import(') : undefined),
  };
}

/** Modules of Node are loaded where they are used, not where the chunk, or a module that is CommonJS, begins. */
function whenUsed(names: readonly string[]): Rolldown.Plugin {
  const moveAll = (code: string) => names.reduce(moveRequire, code);
  const moveRequire = (code: string, name: string) => {
    const declared = new RegExp(`^(?:let|const) (\\w+) = require\\(['"]${name}['"]\\);\\n`, 'm');
    const [declaration, variable] = declared.exec(code) ?? [];
    const rest = code.replace(declaration ?? '', '');
    // Where the whole module is handed on, it stays as it is.
    if (declaration === undefined || new RegExp(`\\b${variable}\\b(?!\\.)`).test(rest)) return code;
    // In brackets, because `new require("…").Worker()` would make an object of `require` itself.
    return rest.replaceAll(new RegExp(`\\b${variable}\\.`, 'g'), `(require("${name}")).`);
  };
  return {
    name: 'when-used',
    transform: (code, id) => (/[\\/]node_modules[\\/]/.test(id) ? moveAll(code) : undefined),
    renderChunk: moveAll,
  };
}

/**
 * Every other letter is written as its number. V8 needs two bytes for each character of a text with a single letter that is
 * not Latin, and the launcher need not decode what has only plain ones.
 */
function plainLetters(): Rolldown.Plugin {
  const numberOf = (letter: string) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return {
    name: 'plain-letters',
    // At the very end, because the bundler writes texts once more after it has rendered a chunk.
    generateBundle: (_, files) => {
      for (const file of Object.values(files))
        if (file.type === 'chunk') file.code = file.code.replace(/[^\0-\x7f]/g, numberOf);
    },
  };
}

/** The native compiler writes a declaration for each module, and the bundler takes what the doors need of them. */
async function bundleTypes(folder: string, entries: readonly string[]): Promise<void> {
  const declarations = `${folder}-declarations`;
  const compiler = join(root, 'node_modules/ts7/bin/tsc');
  const emit = ['--noEmit', 'false', '--emitDeclarationOnly', '--noCheck', '--rewriteRelativeImportExtensions'];
  // The root is the whole project, because the gateway names the extensions; else their declarations would land beside them.
  const places = ['--rootDir', root, '--outDir', declarations];
  await promisify(execFile)(process.execPath, [compiler, '-p', join(root, 'tsconfig.types.json'), ...emit, ...places]);
  const { entry } = entriesAt(folder, entries);
  const written = Object.keys(entry).map((name) => [name, join(declarations, 'src', `${name}.d.ts`)]);
  await runBundler({
    outDir: folder,
    entry: Object.fromEntries(written),
    outputOptions: { chunkFileNames: 'types/[name].js' },
    dts: { emitDtsOnly: true, dtsInput: true },
    // The marks of regions name the temporary folder, and the same sources must give the same build.
    plugins: [{ name: 'no-regions', renderChunk: (code) => code.replace(/^\/\/#(end)?region.*\n/gm, '') }],
  });
  rmSync(declarations, { recursive: true });
}

async function runBundler(options: InlineConfig): Promise<void> {
  const { build } = await import('tsdown');
  await build({
    cwd: root,
    config: false,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    fixedExtension: false,
    clean: false,
    logLevel: 'error',
    ...options,
  });
}

function entriesAt(outDir: string, paths: readonly string[]) {
  const named = paths.map((path) => [path.replace(/^src\//, '').replace(/\.ts$/, ''), path]);
  return { outDir, entry: Object.fromEntries(named) };
}

/** The page, as one document; see console/vite.config.ts. */
async function bundleConsole(outDir: string): Promise<void> {
  const { build } = await import('vite');
  // On a busy machine it would warn that its own plugins take their time.
  const rolldownOptions = { checks: { pluginTimings: false } };
  await build({ root: join(root, 'console'), logLevel: 'warn', build: { outDir, rolldownOptions } });
}

/** Packs are read from beside their handler. */
function copyPackFiles(folder: string): void {
  for (const { name } of packs) {
    const file = `hooks/bundled/${name}/HOOK.md`;
    cpSync(join(root, 'src', file), join(folder, file));
  }
}

/** Node loads it by its path, before the program of the plugin worker. */
function copyProcessGuard(folder: string): void {
  const file = 'plugins/isolation/process-guard.cjs';
  cpSync(join(root, 'src', file), join(folder, file));
}

/** Lets the program print its help, as wide as it is wanted, in a home with nothing in it. */
async function writeHelp(folder: string): Promise<void> {
  const program = JSON.stringify(join(folder, 'cli/run-process.js'));
  await Promise.all(
    Object.entries(HELP_WIDTHS).map(async ([name, width]) => {
      const script = `Object.assign(process.stdout, { isTTY: true, columns: ${width} }); require(${program}).runProcess(['--help']);`;
      const { stdout } = await promisify(execFile)(process.execPath, ['-e', script], { env: { HOME: folder } });
      writeFileSync(join(folder, 'cli', name), stdout);
    }),
  );
}

/** True when no source is newer than the build. A folder counts too: its time changes when a file is added or removed. */
function isUpToDate({ name, doors, madeFrom }: Output): boolean {
  try {
    const made = Math.min(...doors.map((door) => statSync(join(root, name, door)).mtimeMs));
    return made >= Math.max(...madeFrom.map((path) => newestIn(join(root, path))));
  } catch {
    return false;
  }
}

function newestIn(path: string): number {
  const status = statSync(path);
  if (!status.isDirectory()) return path.endsWith('.test.ts') ? 0 : status.mtimeMs;
  return Math.max(status.mtimeMs, ...readdirSync(path).map((name) => newestIn(join(path, name))));
}
