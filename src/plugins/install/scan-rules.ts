// What the scan looks for in code, one row a rule. The rows match words and not meaning, so code can hide from them.
// Comments are matched like code, because a scan that skips comments can be made to skip code. `severity` says how far the
// thing reaches: `critical` can do anything that the operator can, `warn` reaches out of the plugin's folder.

import type { InstallFinding } from '../../hooks/lifecycle-hooks.ts';
import { words } from '../../protocol/words.ts';

/** What people are shown, in this order. */
export const SCAN_KINDS = {
  'child-process': 'starts other programs',
  'dynamic-code': 'runs code that is made while it runs',
  native: 'brings or loads machine code',
  network: 'talks to the network',
  files: 'reads or writes files',
  'files-outside': 'names places outside of its folder',
  environment: 'reads environment variables',
  'install-script': 'has install scripts, which are not run',
  script: 'brings scripts for other programs',
  'hidden-text': 'has text that cannot be seen',
  'not-scanned': 'could not be looked at',
} as const;

export type ScanKind = keyof typeof SCAN_KINDS;

export interface ScanRule {
  readonly id: string;
  readonly kind: ScanKind;
  readonly severity: InstallFinding['severity'];
  readonly message: string;
  /** Global, and without anything that could take long on a long line. */
  readonly pattern: RegExp;
}

export const SCAN_RULES: readonly ScanRule[] = [
  moduleRule(
    'child-process',
    'critical',
    'imports a module that starts programs',
    'child_process cluster execa cross-spawn shelljs zx node-pty @lydell/node-pty',
  ),
  moduleRule('dynamic-code', 'critical', 'imports a module that runs code from text', 'vm vm2 repl isolated-vm'),
  rule('eval', 'dynamic-code', 'critical', 'uses eval', /(?<![\w$.])eval\s*\(/g),
  rule(
    'function-constructor',
    'dynamic-code',
    'critical',
    'makes a function from text',
    /\bnew\s+Function\b|(?<![\w$.])Function\s*\(/g,
  ),
  rule(
    'computed-import',
    'dynamic-code',
    'warn',
    'imports a module whose name is computed',
    /(?<![\w$.])(?:import|require)\s*\((?!\s*(?:["'`][^"'`$]*["'`]|\/[*/]|\))|[\w$,\s]*\)\s*\{)/g,
  ),
  rule('create-require', 'dynamic-code', 'info', 'makes its own require', /\bcreateRequire\b/g),
  moduleRule(
    'native',
    'critical',
    'imports a module that loads machine code',
    'bindings node-gyp-build ffi-napi koffi',
  ),
  rule('dlopen', 'native', 'critical', 'loads machine code', /\bprocess\s*\.\s*(?:dlopen|binding)\b/g),
  rule('webassembly', 'native', 'info', 'uses WebAssembly', /\bWebAssembly\b/g),
  moduleRule(
    'network',
    'warn',
    'imports a module for the network',
    'http https http2 net tls dgram dns dns/promises inspector inspector/promises ws undici axios node-fetch cross-fetch got ky needle superagent socket.io-client nats',
  ),
  rule(
    'fetch',
    'network',
    'warn',
    'uses fetch',
    /(?<![\w$])fetch\s*\(|[=(,:?|]\s*fetch\s*(?=[,;)}\n])|\bglobalThis\s*(?:\?\.|\.)\s*fetch\b/g,
  ),
  rule(
    'address',
    'network',
    'info',
    'names an address',
    /["'`](?:https?|wss?|ftp):\/\/(?!json-schema\.org|www\.w3\.org)/g,
  ),
  rule('socket', 'network', 'warn', 'opens a connection', /\bnew\s+(?:WebSocket|XMLHttpRequest|EventSource)\b/g),
  moduleRule('files', 'info', 'imports a module for files', 'fs fs/promises fs-extra graceful-fs'),
  rule('home-folder', 'files-outside', 'warn', 'looks for the home folder', /\bhomedir\b|["'`]~\//g),
  rule(
    'absolute-path',
    'files-outside',
    'warn',
    'names an absolute path',
    /["'`](?:\/(?:etc|home|root|Users|var|usr|opt|proc|sys|dev|tmp|mnt|bin|sbin|Library)(?:\/|["'`])|[A-Za-z]:\\)/g,
  ),
  rule(
    'secret-file',
    'files-outside',
    'warn',
    'names a place where secrets lie',
    /\.(?:ssh|aws|gnupg|netrc|npmrc|kube|docker)(?:\/|["'`])|id_(?:rsa|ed25519)\b/g,
  ),
  rule(
    'environment',
    'environment',
    'warn',
    'reads environment variables',
    /\bprocess\s*(?:\?\.|\.)\s*env\b|\bprocess\s*\[\s*["'`]env["'`]|\benv\b[^\n;]{0,40}\bfrom\s*["'](?:node:)?process["']|\{[^}\n]{0,80}\benv\b[^}\n]{0,80}\}\s*=\s*process\b/g,
  ),
];

function rule(id: string, kind: ScanKind, severity: ScanRule['severity'], message: string, pattern: RegExp): ScanRule {
  return { id, kind, severity, message, pattern };
}

/** `import 'x'`, `from "node:x"`, `import(`x`)`, `require('x')`, with or without a path behind the name. */
function moduleRule(kind: ScanKind, severity: ScanRule['severity'], message: string, names: string): ScanRule {
  const alternatives = words(names)
    .map((name) => name.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'))
    .join('|');
  const pattern = new RegExp(
    `(?:\\bfrom|\\bimport|\\brequire|\\bgetBuiltinModule)\\s*(?:\\(\\s*)?["'\`](?:node:)?(?:${alternatives})["'\`]`,
    'g',
  );
  return rule(`${kind}-module`, kind, severity, message, pattern);
}
