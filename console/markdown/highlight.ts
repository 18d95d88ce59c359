// Colours code. The highlighter and each language are loaded when they are first needed. The result is data, never HTML.

import { createLowlight, type LanguageFn } from 'lowlight';

/** Text, or a piece of code with its kind as a class of the style sheet. */
export type CodeNode = string | { readonly kind: string; readonly children: readonly CodeNode[] };

const lowlight = createLowlight();

/** Undefined for a language that is not known. */
export async function highlight(code: string, language: string): Promise<readonly CodeNode[] | undefined> {
  const name = ALIASES[language.toLowerCase()] ?? language.toLowerCase();
  const load = LANGUAGES[name];
  if (!load) return undefined;
  if (!lowlight.registered(name)) lowlight.register(name, (await load()).default);
  return toNodes(lowlight.highlight(name, code).children);
}

type LoadLanguage = () => Promise<{ readonly default: LanguageFn }>;

const LANGUAGES: Readonly<Record<string, LoadLanguage>> = {
  bash: () => import('highlight.js/lib/languages/bash'),
  c: () => import('highlight.js/lib/languages/c'),
  cpp: () => import('highlight.js/lib/languages/cpp'),
  csharp: () => import('highlight.js/lib/languages/csharp'),
  css: () => import('highlight.js/lib/languages/css'),
  diff: () => import('highlight.js/lib/languages/diff'),
  dockerfile: () => import('highlight.js/lib/languages/dockerfile'),
  go: () => import('highlight.js/lib/languages/go'),
  ini: () => import('highlight.js/lib/languages/ini'),
  java: () => import('highlight.js/lib/languages/java'),
  javascript: () => import('highlight.js/lib/languages/javascript'),
  json: () => import('highlight.js/lib/languages/json'),
  kotlin: () => import('highlight.js/lib/languages/kotlin'),
  lua: () => import('highlight.js/lib/languages/lua'),
  makefile: () => import('highlight.js/lib/languages/makefile'),
  markdown: () => import('highlight.js/lib/languages/markdown'),
  nginx: () => import('highlight.js/lib/languages/nginx'),
  php: () => import('highlight.js/lib/languages/php'),
  python: () => import('highlight.js/lib/languages/python'),
  ruby: () => import('highlight.js/lib/languages/ruby'),
  rust: () => import('highlight.js/lib/languages/rust'),
  scss: () => import('highlight.js/lib/languages/scss'),
  sql: () => import('highlight.js/lib/languages/sql'),
  swift: () => import('highlight.js/lib/languages/swift'),
  typescript: () => import('highlight.js/lib/languages/typescript'),
  xml: () => import('highlight.js/lib/languages/xml'),
  yaml: () => import('highlight.js/lib/languages/yaml'),
};

const ALIASES: Readonly<Record<string, string>> = {
  'c++': 'cpp',
  cjs: 'javascript',
  console: 'bash',
  cs: 'csharp',
  docker: 'dockerfile',
  html: 'xml',
  js: 'javascript',
  json5: 'json',
  jsonc: 'json',
  jsx: 'javascript',
  kt: 'kotlin',
  make: 'makefile',
  md: 'markdown',
  mjs: 'javascript',
  patch: 'diff',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  sh: 'bash',
  shell: 'bash',
  svg: 'xml',
  toml: 'ini',
  ts: 'typescript',
  tsx: 'typescript',
  yml: 'yaml',
  zsh: 'bash',
};

interface HastNode {
  readonly type: string;
  readonly value?: string;
  readonly children?: readonly unknown[];
  readonly properties?: { readonly className?: unknown };
}

function toNodes(children: readonly unknown[]): readonly CodeNode[] {
  return (children as readonly HastNode[]).map((node) => {
    if (node.type === 'text') return node.value ?? '';
    const { className } = node.properties ?? {};
    return { kind: Array.isArray(className) ? className.join(' ') : '', children: toNodes(node.children ?? []) };
  });
}
