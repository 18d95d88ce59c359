// Looks through the files that a package brings for what its code uses, and says file and line. It matches
// words and does not understand the code: a finding says "uses", and code without findings may still do harm. Dependencies that npm fetches are not there yet
// and not looked through; those that the package itself brings are. Bounded in files and bytes, and what was left out is a
// finding of its own.

import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { InstallFinding } from '../../hooks/lifecycle-hooks.ts';
import { isJsonObject, type JsonObject } from '../../protocol/json.ts';
import { SCAN_RULES, type ScanKind } from './scan-rules.ts';

export interface PluginScan {
  readonly scannedFiles: number;
  readonly findings: readonly ScanFinding[];
}

export interface ScanFinding extends InstallFinding {
  readonly kind: ScanKind;
}

export interface ScanLimits {
  readonly files: number;
  readonly bytes: number;
  readonly fileBytes: number;
  /** How many findings of one rule are kept for one file; a bundle may have thousands. */
  readonly findingsPerRule: number;
  readonly findings: number;
}

export const SCAN_LIMITS: ScanLimits = {
  files: 5_000,
  bytes: 64 * 1024 * 1024,
  fileBytes: 8 * 1024 * 1024,
  findingsPerRule: 20,
  findings: 2_000,
};

export async function scanPlugin(dir: string, limits: ScanLimits = SCAN_LIMITS): Promise<PluginScan> {
  const findings: ScanFinding[] = [];
  const leftOut = (file: string, message: string) =>
    findings.push({ ruleId: 'not-scanned', kind: 'not-scanned', severity: 'warn', file, line: 1, message });
  let scannedFiles = 0;
  let bytes = 0;
  for (const file of ownFilesFirst(await listFiles(dir, ''))) {
    if (findings.length >= limits.findings) {
      leftOut(file, 'there are so many findings that the rest was not looked at');
      break;
    }
    const finding = findingOfName(file);
    if (finding) findings.push(finding);
    if (!mayBeText(file)) continue;
    const { size } = await stat(join(dir, file));
    if (size > limits.fileBytes) {
      leftOut(file, `the file has ${size.toLocaleString('en-US')} bytes, which is too many to look at`);
      continue;
    }
    if (scannedFiles >= limits.files || bytes + size > limits.bytes) {
      leftOut(file, 'from this file on nothing was looked at, because there is too much');
      break;
    }
    const content = await readFile(join(dir, file));
    if (content.subarray(0, 8_000).includes(0) && !CODE.test(file)) {
      leftOut(file, 'the file is no text');
      continue;
    }
    scannedFiles += 1;
    bytes += size;
    findings.push(...findingsIn(content.toString('utf8'), file, limits.findingsPerRule));
  }
  return { scannedFiles, findings };
}

/** What is no code by its name: prose, data, pictures. Everything else is read, whatever it is called. */
const NO_CODE =
  /\.(?:md|markdown|txt|rst|json|json5|jsonc|lock|map|css|scss|html?|svg|xml|ya?ml|toml|csv|png|jpe?g|gif|webp|ico|avif|woff2?|ttf|otf|eot|mp[34]|wav|ogg|pdf|gz|tgz|zip|wasm|node)$/i;
const PROSE = /\.(?:md|markdown|txt)$/i;
const CODE = /\.[cm]?[jt]sx?$/i;
const DECLARATIONS = /\.d\.[cm]?ts$/i;
const SCRIPTS = /\.(?:sh|bash|zsh|fish|py|rb|pl|php|ps1|bat|cmd|lua)$/i;

function mayBeText(file: string): boolean {
  if (file === 'package.json' || PROSE.test(file)) return true;
  return !NO_CODE.test(file) && !DECLARATIONS.test(file);
}

function findingOfName(file: string): ScanFinding | undefined {
  const of = (kind: ScanKind, severity: InstallFinding['severity'], message: string): ScanFinding => {
    return { ruleId: `${kind}-file`, kind, severity, file, line: 1, message };
  };
  const extension = extname(file).toLowerCase();
  if (extension === '.node') return of('native', 'critical', 'is machine code');
  if (extension === '.wasm') return of('native', 'info', 'is WebAssembly');
  if (SCRIPTS.test(file)) return of('script', 'warn', 'is a script for another program');
  return undefined;
}

/** Characters that change what is seen: they turn the direction of text or take no room. */
const UNSEEN = /[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069]|[\u{e0000}-\u{e007f}]/gu;
/** Joiners stand in words of some scripts and in pictures made of several. */
const JOINERS = /[\u200c\u200d]/;

function findingsIn(text: string, file: string, most: number): readonly ScanFinding[] {
  const lineOf = lineFinder(text);
  const places = (pattern: RegExp, isMeant: (match: string) => boolean = () => true): readonly number[] => {
    const lines = new Set<number>();
    for (const match of text.matchAll(pattern)) {
      if (isMeant(match[0])) lines.add(lineOf(match.index));
      if (lines.size >= most) break;
    }
    return [...lines];
  };
  const unseen = places(UNSEEN, (match) => !JOINERS.test(match)).map(
    (line): ScanFinding => ({
      ruleId: 'hidden-text',
      kind: 'hidden-text',
      severity: 'warn',
      file,
      line,
      message: 'has characters that cannot be seen or that turn text around',
    }),
  );
  if (file === 'package.json') return [...unseen, ...installScriptsIn(text, lineOf)];
  if (PROSE.test(file)) return unseen;
  const used = SCAN_RULES.flatMap(({ id, kind, severity, message, pattern }) =>
    places(pattern).map((line): ScanFinding => ({ ruleId: id, kind, severity, file, line, message })),
  );
  return [...unseen, ...used];
}

/** What npm would have run. */
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall', 'prepare'];

function installScriptsIn(text: string, lineOf: (index: number) => number): readonly ScanFinding[] {
  const scripts = scriptsOf(text);
  return INSTALL_SCRIPTS.flatMap((name): ScanFinding[] => {
    const script = scripts[name];
    if (typeof script !== 'string') return [];
    const line = lineOf(Math.max(0, text.indexOf(`"${name}"`)));
    const message = `has the script "${name}" (${script.slice(0, 120)}), which is not run`;
    return [
      { ruleId: 'install-script', kind: 'install-script', severity: 'info', file: 'package.json', line, message },
    ];
  });
}

function scriptsOf(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) && isJsonObject(value.scripts) ? value.scripts : {};
  } catch {
    return {};
  }
}

function lineFinder(text: string): (index: number) => number {
  const breaks: number[] = [];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) breaks.push(at);
  return (index) => {
    let low = 0;
    let high = breaks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((breaks[middle] ?? 0) < index) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  };
}

async function listFiles(root: string, prefix: string): Promise<string[]> {
  const entries = await readdir(join(root, prefix), { withFileTypes: true });
  const found = await Promise.all(
    entries.map(async (entry) => {
      if (entry.isDirectory()) return listFiles(root, `${prefix}${entry.name}/`);
      return entry.isFile() ? [prefix + entry.name] : [];
    }),
  );
  return found.flat();
}

/** The plugin's own files come first, so that a large dependency cannot use up the limits of the scan. */
function ownFilesFirst(files: readonly string[]): readonly string[] {
  const isOthers = (file: string) => file.startsWith('node_modules/');
  const sorted = [...files].sort();
  return [...sorted.filter((file) => !isOthers(file)), ...sorted.filter(isOthers)];
}
