// `atrium hooks info`: everything that is known about one handler, rule or hook pack.

import { formatConfigPath, valueAt } from '../../config/config-path.ts';
import { resolveConfigFileOf } from '../../config/edit-config.ts';
import { loadConfig } from '../../config/load-config.ts';
import type { HookItem } from '../../gateway/services/hook-inventory.ts';
import type { HookRequirements } from '../../hooks/packs/hook-metadata.ts';
import type { HookPack } from '../../hooks/packs/hook-pack.ts';
import { command } from '../command.ts';
import { type Fact, formatFacts } from '../output/format-table.ts';
import { line, oneLine } from '../output/text.ts';
import { askHooks, findHookItem, HOOK_ARGUMENT, HOOK_OPTIONS } from './ask-hooks.ts';

export const hooksInfo = command({
  path: 'hooks info',
  summary: 'show what one handler, rule or hook pack is, where it comes from and how it is set up',
  args: HOOK_ARGUMENT,
  options: { '--json': 'print JSON for programs', ...HOOK_OPTIONS },
  examples: [
    'hooks info time-context        a bundled handler and its settings',
    'hooks info rule:quiet-hours    a rule of the configuration',
    'hooks info greeter             a hook pack: its files, events and needs',
  ],
  async run({ name, ...flags }, { io }) {
    const { inventory, warnings } = await askHooks(flags, io);
    const { items, problems } = inventory;
    const item = findHookItem(items, name);
    const location = { environment: io.environment, configPath: flags.config };
    const { config } = await loadConfig(location);
    const settings: HookSettings = {
      path: formatConfigPath(item.settings),
      file: await resolveConfigFileOf(location, item.settings),
      value: valueAt(config, item.settings),
      possible: item.kind === 'bundled handler' ? await listPossibleSettings(item) : [],
    };
    const place = item.state === 'on' ? items.indexOf(item) + 1 : undefined;
    const own = problems.filter((problem) => problem !== item.why && isAbout(problem, item));
    return {
      json: toJson(item, settings, place),
      text: formatItem(item, settings, place),
      warnings: [...warnings, ...own.map((problem) => `warning: ${oneLine(problem)}`)],
    };
  },
});

interface HookSettings {
  readonly path: string;
  readonly file: string;
  readonly value: unknown;
  readonly possible: readonly { readonly name: string; readonly description: string }[];
}

function toJson({ pack, hasSwitch: _, call, ...item }: HookItem, settings: HookSettings, place: number | undefined) {
  const { priority, stability, onError, timeoutMs } = call;
  return { ...item, place, priority, stability, onError, timeoutMs, settings, pack };
}

function formatItem(item: HookItem, settings: HookSettings, place: number | undefined): string {
  const { call, pack } = item;
  const facts: readonly Fact[] = [
    ['what', `${item.kind}${item.description === '' ? '' : `: ${item.description}`}`],
    ['state', place === undefined ? `${item.state}: ${item.why}` : `on, called as number ${place} on agent:bootstrap`],
    ['priority', `${call.priority} (lower runs first)`],
    ['stability', call.stability ?? 'not declared'],
    ['if it fails', call.onError === 'abort' ? 'the composition fails' : 'its change is dropped and reported'],
    ['time limit', `${call.timeoutMs} ms`],
    ...(pack === undefined ? [] : packFacts(pack)),
    ['settings', `${settings.path} in ${settings.file}`],
    ['set to', settings.value === undefined ? 'nothing; the defaults apply' : JSON.stringify(settings.value)],
  ];
  return `${line(item.id)}${formatFacts(facts, { indent: '  ' })}${formatPossible(settings)}`;
}

const PLACES: Readonly<Record<HookPack['source'], string>> = {
  'openclaw-bundled': 'comes with Atrium',
  'openclaw-plugin': 'brought by a plugin',
  'openclaw-managed': 'installed by the operator',
  'openclaw-workspace': 'workspace',
};

function packFacts({ source, dir, hookMdPath, handlerPath, metadata }: HookPack): readonly Fact[] {
  const exported = metadata?.export === undefined ? '' : ` (export ${metadata.export})`;
  return [
    ['found in', `${dir} (${PLACES[source]})`],
    ['described in', hookMdPath],
    ['code', `${handlerPath}${exported}`],
    ['events', metadata?.events.join(', ') || 'none: add metadata.openclaw.events to HOOK.md'],
    ['platforms', metadata?.os?.join(', ')],
    ['needs', describeNeeds(metadata?.requires)],
    ['always', metadata?.always ? 'yes: its needs are not checked' : undefined],
    ['homepage', metadata?.homepage],
  ];
}

function describeNeeds(requires: HookRequirements | undefined): string {
  const needs = [
    ['programs', requires?.bins],
    ['one of the programs', requires?.anyBins],
    ['variables', requires?.env],
    ['configuration', requires?.config],
  ] as const;
  const given = needs.flatMap(([what, names]) => (names?.length ? [`${what} ${names.join(', ')}`] : []));
  return given.join('; ') || 'nothing';
}

function formatPossible({ possible }: HookSettings): string {
  if (possible.length === 0) return '';
  const width = Math.max(...possible.map(({ name }) => name.length));
  const lines = possible.map(({ name, description }) => `    ${name.padEnd(width)}  ${description}`.trimEnd());
  return `  possible settings\n${lines.join('\n')}\n`;
}

/** The list comes from the schema, so that it is always complete. */
async function listPossibleSettings({ settings }: HookItem): Promise<HookSettings['possible']> {
  const { configJsonSchema } = await import('../../config/schema.ts');
  const path = settings.flatMap((part) => ['properties', part]);
  const properties = valueAt(configJsonSchema(), [...path, 'properties']) ?? {};
  return Object.entries(properties).map(([name, schema]) => {
    const description = valueAt(schema, ['description']);
    return { name, description: typeof description === 'string' ? description : '' };
  });
}

function isAbout(problem: string, { id, name, pack }: HookItem): boolean {
  return (
    problem.includes(`"${id}"`) || problem.includes(`"${name}"`) || (pack !== undefined && problem.includes(pack.dir))
  );
}
