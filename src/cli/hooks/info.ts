// `atrium hooks info`: all that is known about one handler, rule or hook pack.

import { formatConfigPath, valueAt } from '../../config/config-path.ts';
import { resolveConfigFileToEdit } from '../../config/edit-config.ts';
import type { HookRequirements } from '../../hooks/packs/hook-metadata.ts';
import type { HookPack } from '../../hooks/packs/hook-pack.ts';
import type { AddCommand } from '../commands.ts';
import { openContext } from '../context/situation-options.ts';
import { addHookOptions, type HookFlags, hooksGroup } from '../hooks-group.ts';
import { oneLine } from '../output/format-table.ts';
import { writeWarnings } from '../output/warnings.ts';
import { findHookItem, type HookItem, listHookItems } from './hook-inventory.ts';

export const addHooksInfo: AddCommand = (program, io) => {
  const command = hooksGroup(program)
    .command('info')
    .argument('<name>', 'a handler, a rule or a hook pack, as "atrium hooks list" names it')
    .description('show what one handler, rule or hook pack is, where it comes from and how it is set up')
    .option('--json', 'print JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  $ atrium hooks info time-context        a bundled handler and its settings
  $ atrium hooks info rule:quiet-hours    a rule of the configuration
  $ atrium hooks info greeter             a hook pack: its files, events and needs`,
    );
  addHookOptions(command).action(async (name: string, flags: HookFlags) => {
    const { engine, request, loaded } = await openContext(flags, io);
    const prepared = await engine.prepare(request);
    const items = listHookItems({ config: loaded.config, environment: io.environment, prepared });
    const item = findHookItem(items, name);
    const location = { environment: io.environment, configPath: flags.config };
    const settings: HookSettings = {
      path: formatConfigPath(item.settings),
      file: await resolveConfigFileToEdit(location, item.settings),
      value: valueAt(loaded.config, item.settings),
      possible: item.kind === 'bundled handler' ? await listPossibleSettings(item) : [],
    };
    const place = item.state === 'on' ? items.indexOf(item) + 1 : undefined;
    if (flags.json) io.out(`${JSON.stringify(toJson(item, settings, place), null, 2)}\n`);
    else io.out(formatItem(item, settings, place));
    const warnings = prepared.registry.problems.filter((problem) => problem !== item.why && isAbout(problem, item));
    writeWarnings(loaded, { warnings }, io);
  });
};

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
  const lines: [label: string, text: string | undefined][] = [
    ['what', `${item.kind}${item.description === '' ? '' : `: ${item.description}`}`],
    ['state', place === undefined ? `${item.state}: ${item.why}` : `on, called as number ${place} on agent:bootstrap`],
    ['priority', `${call.priority} (lower runs first)`],
    ['stability', call.stability ?? 'not declared'],
    ['if it fails', call.onError === 'abort' ? 'the composition fails' : 'its change is dropped and reported'],
    ['time limit', `${call.timeoutMs} ms`],
    ...(pack === undefined ? [] : packLines(pack)),
    ['settings', `${settings.path} in ${settings.file}`],
    ['set to', settings.value === undefined ? 'nothing; the defaults apply' : JSON.stringify(settings.value)],
  ];
  const width = Math.max(...lines.map(([label]) => label.length));
  const facts = lines.map(([label, text]) =>
    text === undefined ? '' : `  ${label.padEnd(width)}  ${oneLine(text)}\n`,
  );
  return `${oneLine(item.id)}\n${facts.join('')}${formatPossible(settings)}`;
}

const PLACES: Readonly<Record<HookPack['source'], string>> = {
  'openclaw-bundled': 'comes with Atrium',
  'openclaw-plugin': 'brought by a plugin',
  'openclaw-managed': 'installed by the operator',
  'openclaw-workspace': 'workspace',
};

function packLines({ source, dir, hookMdPath, handlerPath, metadata }: HookPack): [string, string | undefined][] {
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

/** From the schema, so that this list cannot fall behind it. */
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
