// docs/openclaw-keys.md, made from the table of OpenClaw's keys. `npm run docs:keys` writes it; a test keeps the two equal.

import { fileURLToPath } from 'node:url';
import {
  DIFFERENT_DEFAULTS,
  OPENCLAW_KEYS,
  OPENCLAW_VARIABLES,
  type OpenClawKey,
} from '../src/config/openclaw-keys.ts';
import type { Danger } from '../src/protocol/unused-setting.ts';
import { NEWER_PATHS_FILE, readOpenClawPaths } from './openclaw-paths.ts';

export const KEYS_PAGE = fileURLToPath(new URL('../docs/openclaw-keys.md', import.meta.url));

export function generateKeyDocs(): string {
  const { version, paths } = readOpenClawPaths();
  const sections = KINDS.map(({ title, note, takes }) => {
    const rows = OPENCLAW_KEYS.filter(takes);
    return `## ${title}\n\n${note}\n\n${tableOf('key', rows)}`;
  });
  const newer = readOpenClawPaths(NEWER_PATHS_FILE);
  const count = (list: readonly unknown[]) => list.length.toLocaleString('en-US');
  const introduction = INTRODUCTION.replace('VERSION', version)
    .replace('COUNT', count(paths))
    .replace('NEWER', newer.version)
    .replace('MORE', count(newer.paths));
  const defaults = `## Defaults that differ\n\nIn a home that OpenClaw has worked in, or whose configuration it has written, a setting that is not set is named when it means something else here.\n\n${DIFFERENT_DEFAULTS.map(({ path, sentence }) => `- \`${path}\`: ${sentence}\n`).join('')}`;
  const variables = `## Environment variables\n\nThose of OpenClaw that decide who may do what.\n\n${tableOf('variable', OPENCLAW_VARIABLES)}`;
  return [introduction, ...sections, defaults, variables].join('\n');
}

interface Kind {
  readonly title: string;
  readonly note: string;
  readonly takes: (row: OpenClawKey) => boolean;
}

const isUnused = (danger: Danger) => (row: OpenClawKey) => row.state === 'unused' && row.danger === danger;

const KINDS: readonly Kind[] = [
  {
    title: 'Not used, and dangerous',
    note: 'Each of these would have kept something away. Where the last column names something, that is refused until you decide.',
    takes: isUnused('protects'),
  },
  {
    title: 'Not used: something does not happen',
    note: 'What was asked for is not there.',
    takes: isUnused('missing'),
  },
  {
    title: 'Not used, and harmless',
    note: 'There is nothing that these could concern, or Atrium is as strict by itself.',
    takes: isUnused('harmless'),
  },
  {
    title: 'Used differently',
    note: 'These are read, with a meaning that differs, and are named where that matters.',
    takes: ({ state }) => state === 'different',
  },
  { title: 'Used', note: 'As [config.md](config.md) says.', takes: ({ state }) => state === 'used' },
];

const INTRODUCTION = `# The keys of an OpenClaw configuration

Atrium reads the configuration of OpenClaw as it is, and does not use all of it. OpenClaw VERSION has COUNT paths, and NEWER has
MORE more outside of plugins and other platforms; each is in one of these tables, by itself or by the key above it: \`*\` stands for any name, and \`[]\` for any item of a list. A key that is in none of them and that
[config.md](config.md) does not have either is unknown, and is warned about.

\`atrium start\`, \`status\`, \`doctor\` and \`config check\` print what they find of it as one block, "found and not used, or used differently", the most
dangerous first, and the page shows it above the talk. A section that is switched off (\`enabled: false\`) and a value that asks for what Atrium does anyway are not named; of
a key that is used differently, only the values that mean something else here are. Where a default differs, it is named too, in a home that OpenClaw has worked in or whose configuration it has written.

**What protects and is not there is refused.** Some keys keep a gateway from starting, others make tools refuse. To go on without the
protection, take the setting back, or say that you know:

\`\`\`yaml
# openclaw.yaml, which OpenClaw does not read
acceptUnused:
  - agents.defaults.sandbox # the machine of the gateway is meant
\`\`\`

An entry is the path of a key, or of a section above it; \`agents.list[]\` and \`agents.entries\` stand for all agents. What is accepted stays in the block, at its
end. With a sandbox that is not accepted, \`exec\`, \`process\`, \`write\`, \`edit\` and \`apply_patch\` refuse every call in the sessions that it
was for, and the other tools are those of \`tools.sandbox.tools\`.

This page is made from the code by \`npm run docs:keys\`.
`;

/** Rows with the same words share one, in the order in which they stand. */
function tableOf(title: string, rows: readonly OpenClawKey[]): string {
  const lines = new Map<string, { readonly paths: string[]; readonly cells: readonly string[] }>();
  for (const row of rows) {
    const cells = cellsOf(row);
    const key = row.state === 'used' && title === 'key' ? sectionOf(row.path) : JSON.stringify(cells);
    const line = lines.get(key) ?? { paths: [], cells };
    line.paths.push(`\`${row.path}\``);
    lines.set(key, line);
  }
  const head = ['what follows', 'refused'].slice(
    0,
    Math.max(0, ...[...lines.values()].map(({ cells }) => cells.length)),
  );
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  const body = [...lines.values()].map(({ paths, cells }) =>
    line([paths.join(', '), ...head.map((_, index) => cells[index] ?? '')]),
  );
  return [line([title, ...head]), line([title, ...head].map(() => '---')), ...body].join('');
}

function cellsOf(row: OpenClawKey): readonly string[] {
  if (row.state === 'used') return isVariable(row) ? ['It is used.'] : [];
  if (row.state === 'different') return [row.sentence];
  const except = row.except
    .filter((value) => value !== '')
    .map((value) => `\`${JSON.stringify(value).replaceAll('"', '')}\``)
    .join(', ');
  const sentence = except === '' ? row.sentence : `${row.sentence} Not so with ${except}.`;
  return row.danger === 'protects' ? [sentence, row.gate === undefined ? '' : REFUSED[row.gate]] : [sentence];
}

function isVariable(row: OpenClawKey): boolean {
  return OPENCLAW_VARIABLES.includes(row);
}

const REFUSED = { start: 'the start', tools: 'tools that run or write' } as const;

function sectionOf(path: string): string {
  return path
    .split('.')
    .slice(0, path.startsWith('agents') ? 2 : 1)
    .join('.');
}
