// The built command as processes, on a copy of the build, so that nothing is kept in the real one.

import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { readEnvironment } from '../../config/environment.ts';
import { VERSION } from '../../protocol/version.ts';
import { GatewayProcess } from '../../testkit/gateway-process.ts';

const repository = fileURLToPath(new URL('../../..', import.meta.url));
let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'atrium-launch-'));
  const door = readFileSync(join(repository, 'dist/cli/main.js'), 'utf8');
  const build = /builds\/([^/]+)\//.exec(door)?.[1] ?? '';
  for (const part of ['cli', join('builds', build)])
    cpSync(join(repository, 'dist', part), join(root, 'dist', part), { recursive: true });
  symlinkSync(join(repository, 'node_modules'), join(root, 'node_modules'));
  writeFileSync(join(root, 'package.json'), readFileSync(join(repository, 'package.json')));
});
afterEach(() => rmSync(root, { recursive: true }));

const main = () => join(root, 'dist', 'cli', 'main.js');
const code = () => join(root, 'dist', 'code');
const caches = () => readdirSync(code()).map((name) => join(code(), name));

/** What the process said, and how many modules of the build and builtins of Node it had loaded at its end. */
function atrium(...argv: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--require', probe(), main(), ...argv], {
    cwd: root,
    env: { PATH: readEnvironment().variables.PATH, HOME: root, TZ: 'UTC' },
    encoding: 'utf8',
  });
  const told = /^PROBE (.*)$/m.exec(stderr)?.[1] ?? '{}';
  const { builtins, scripts, rejected, bytes } = JSON.parse(told) as Probe;
  return { status, out: stdout, err: stderr.replace(/^PROBE .*\n/m, ''), builtins, scripts, rejected, bytes };
}

interface Probe {
  readonly builtins: readonly string[];
  /** Scripts that were made, and those whose compiled code was taken or refused. */
  readonly scripts: { readonly made: number; readonly taken: number };
  readonly rejected: number;
  readonly bytes: number;
}

/** Counts what the process compiles, by standing between it and `vm.Script`. */
function probe(): string {
  const file = join(root, 'probe.cjs');
  writeFileSync(
    file,
    `const vm = require('node:vm');
    const scripts = { made: 0, taken: 0 };
    let rejected = 0;
    let bytes = 0;
    vm.Script = class extends vm.Script {
      constructor(text, options) {
        super(text, options);
        scripts.made++;
        bytes += text.length;
        if (this.cachedDataRejected === true) rejected++;
        if (this.cachedDataRejected === false) scripts.taken++;
      }
    };
    process.on('exit', () => {
      const builtins = process.moduleLoadList.filter((name) => name.startsWith('NativeModule ')).map((name) => name.slice(13));
      require('node:fs').writeSync(2, 'PROBE ' + JSON.stringify({ builtins, scripts, rejected, bytes }) + '\\n');
    });`,
  );
  return file;
}

it('says its version before anything of the program is loaded', () => {
  const { status, out, err, scripts, builtins } = atrium('--version');
  expect({ status, out, err, scripts }).toEqual({
    status: 0,
    out: `${VERSION}\n`,
    err: '',
    scripts: { made: 0, taken: 0 },
  });
  // One small file: everything that it needs is in it.
  const launcher = /require\('(.*)'\)/.exec(readFileSync(main(), 'utf8'))?.[1] ?? '';
  expect(statSync(join(dirname(main()), launcher)).size).toBeLessThan(20_000);
  expect(builtins).not.toContain('http');
});

it('tells its help without the program, in the words of the program', () => {
  const ready = atrium('--help');
  expect(ready).toMatchObject({ status: 0, err: '', scripts: { made: 0 } });
  expect(atrium('-h').out).toBe(ready.out);
  // With commands of plugins the program makes it; here there is the file, and no command in it.
  mkdirSync(join(root, '.openclaw', 'atrium'), { recursive: true });
  writeFileSync(join(root, '.openclaw', 'atrium', 'plugin-commands.json'), '{"commands":[]}');
  const made = atrium('--help');
  expect(made.scripts.made).toBeGreaterThan(0);
  expect(made.out).toBe(ready.out);
});

it('loads for a command what that command needs', () => {
  const { status, out, bytes, builtins, scripts } = atrium('status');
  expect(status).toBe(1);
  expect(out).toContain('No gateway is running');
  // The whole program has some five million characters, and the list of all commands half a million.
  expect(bytes).toBeLessThan(760_000);
  expect(scripts.made).toBeLessThan(20);
  expect(builtins).not.toContain('internal/deps/undici/undici');
  expect(builtins).not.toContain('child_process');
});

it('is written with plain letters, which the launcher does not decode', () => {
  const builds = join(root, 'dist', 'builds');
  const files = readdirSync(builds, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'));
  // The page is for browsers, and the door is loaded by Node itself.
  const own = files.filter((name) => !name.includes('console') && !name.endsWith(join('cli', 'main.js')));
  expect(own.filter((name) => readFileSync(join(builds, name)).some((byte) => byte > 0x7f))).toEqual([]);
  expect(own.length).toBeGreaterThan(100);
});

it('takes what an earlier process has compiled, and keeps what it had to compile itself', () => {
  const first = atrium('status');
  expect(first.scripts.taken).toBe(0);
  const second = atrium('status');
  expect(second.scripts).toEqual({ made: first.scripts.made, taken: first.scripts.made });
  expect({ out: second.out, err: second.err }).toEqual({ out: first.out, err: first.err });
  const other = atrium('agents', 'list');
  expect(other.scripts.taken).toBeLessThan(other.scripts.made);
  expect(atrium('agents', 'list').scripts).toEqual({ made: other.scripts.made, taken: other.scripts.made });
  // What the first command kept is still there.
  expect(atrium('status').scripts.taken).toBe(first.scripts.made);
  expect(caches()).toHaveLength(1);
});

it('works without what was kept when that is damaged, foreign or not safe, and then keeps its own', () => {
  const { out, scripts } = atrium('status');
  const [cache = ''] = caches();
  const whole = readFileSync(cache);
  const spoil: Record<string, () => void> = {
    'cut off': () => writeFileSync(cache, whole.subarray(0, whole.length / 2)),
    'another byte in the middle': () => {
      const at = Math.floor(whole.length / 2);
      writeFileSync(cache, Buffer.concat([whole.subarray(0, at), Buffer.from([1, 2, 3]), whole.subarray(at + 3)]));
    },
    empty: () => writeFileSync(cache, ''),
    'not ours': () => writeFileSync(cache, 'process.exit(7)'),
    'writable for others': () => chmodSync(cache, 0o666),
  };
  for (const [how, make] of Object.entries(spoil)) {
    make();
    const answer = atrium('status');
    expect({ how, out: answer.out, err: answer.err, taken: answer.scripts.taken }).toEqual({
      how,
      out,
      err: '',
      taken: 0,
    });
    expect({ how, taken: atrium('status').scripts.taken }).toEqual({ how, taken: scripts.made });
  }
  chmodSync(code(), 0o777);
  expect(atrium('status').scripts.taken).toBe(0);
});

it('does not take the code of a file that has changed, although it is as long as before', () => {
  atrium('status');
  const builds = join(root, 'dist', 'builds');
  const file = readdirSync(builds, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.js'))
    .map((name) => join(builds, name))
    .find((path) => readFileSync(path, 'utf8').includes('say whether a gateway runs here'));
  writeFileSync(
    file ?? '',
    readFileSync(file ?? '', 'utf8').replace('say whether a gateway runs here', 'SAY WHETHER A GATEWAY RUNS HERE'),
  );
  expect(atrium('status', '--help').out).toContain('SAY WHETHER A GATEWAY RUNS HERE');
});

it('keeps no compiled code where neither the build nor the state directory can be written', () => {
  writeFileSync(code(), 'a file where the folder should be');
  writeFileSync(join(root, '.openclaw'), 'likewise');
  expect(atrium('help').status).toBe(0);
  expect(statSync(code()).isFile()).toBe(true);
});

it('shows lines of the build in a stack, as if Node had loaded it', () => {
  const builds = join(root, 'dist', 'builds');
  const [build = ''] = readdirSync(builds);
  const file = join(builds, build, 'cli', 'run-process.js');
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, `throw new Error('on the first line');${text}`);
  expect(atrium('status').err).toContain(`${file}:1:7`);
});

it('gives a gateway the flag that keeps its heap small once its code is kept, and a command none', async () => {
  const gateway = await GatewayProcess.create();
  const flags = join(root, 'flags.cjs');
  const said = join(root, 'flags.txt');
  writeFileSync(said, '');
  writeFileSync(
    flags,
    `const v8 = require('node:v8');
    const set = v8.setFlagsFromString;
    v8.setFlagsFromString = (flag) => { require('node:fs').appendFileSync(${JSON.stringify(said)}, flag); set(flag); };`,
  );
  const under = ['env', `NODE_OPTIONS=--require ${flags}`];
  execFileSync(process.execPath, ['--require', flags, main(), 'help'], { cwd: root, env: { HOME: root } });
  expect(readFileSync(said, 'utf8')).toBe('');
  try {
    const kept: Buffer[] = [];
    for (const flagged of ['--heap-growing-percent=30', '--heap-growing-percent=30'.repeat(2)]) {
      expect(await gateway.start({ command: main(), under })).toBe('ready');
      await vi.waitFor(() => expect(readFileSync(said, 'utf8')).toBe(flagged), { timeout: 30_000 });
      // This loads more of the program, which must not be kept instead of what a start needs.
      expect((await fetch(`${gateway.url}/api/nothing`)).status).toBeGreaterThanOrEqual(400);
      await gateway.stop();
      const [cache = '', ...others] = caches().filter((name) => name.includes('-gateway-'));
      expect(others).toEqual([]);
      kept.push(readFileSync(cache));
    }
    // What the first process has kept fits the second.
    expect(kept[1]?.equals(kept[0] ?? Buffer.alloc(0))).toBe(true);
  } finally {
    await gateway.close();
  }
}, 90_000);
