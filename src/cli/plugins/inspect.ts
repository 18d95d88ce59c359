// `atrium plugins inspect`: all that is known of one plugin, and above all what it registered and what it may do.

import type { PluginHookStatus, PluginStatus } from '../../plugins/plugin-status.ts';
import type { AddCommand } from '../commands.ts';
import { oneLine } from '../output/format-table.ts';
import { formatTime } from '../output/format-time.ts';
import { pluginsGroup } from '../plugins-group.ts';
import { askPlugins, findPlugin } from './ask-plugins.ts';

export const addPluginsInspect: AddCommand = (program, io) => {
  pluginsGroup(program)
    .command('inspect')
    .argument('<id>', 'a plugin, as "atrium plugins list" names it')
    .description('show the state of a plugin, what it may do and what it registered')
    .option('--json', 'print JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  $ atrium plugins inspect greeter
  $ atrium plugins inspect greeter --json | jq '.hooks[] | select(.state != "armed")'

What it registered is known while a gateway runs. Without one no plugin is loaded to find out.`,
    )
    .action(async (id: string, flags: { readonly json?: boolean }) => {
      const { plugins, isRunning } = await askPlugins(io);
      const plugin = findPlugin(plugins, id);
      if (flags.json) io.out(`${JSON.stringify(plugin, null, 2)}\n`);
      else {
        io.out(formatPlugin(plugin, io.environment.timezone));
        if (!isRunning) io.out('No gateway is running, so what it registers is not known.\n');
      }
    });
};

type Line = readonly [label: string, text: string | undefined];

function formatPlugin(plugin: PluginStatus, timezone: string): string {
  const { install } = plugin;
  const lines: readonly Line[] = [
    ['what', plugin.description],
    ['state', `${plugin.state}: ${plugin.reason}`],
    ['version', plugin.version],
    ['found in', `${plugin.rootDir} (${plugin.origin})`],
    ['code', plugin.entryPath ?? 'none'],
    ['runs in', plugin.where === null ? undefined : `the ${PLACES[plugin.where]}: ${plugin.whyThere ?? ''}`],
    ['generation', plugin.where === null ? undefined : `${plugin.generation} since the gateway started`],
    ['installed', install && `from ${install.spec}, ${formatTime(install.installedAt, timezone)}`],
    ['files', install && (install.changed ? 'are not what was installed' : 'are what was installed')],
    ['may read what is said', yesOrNo(plugin.permissions.conversation, plugin.id, 'allowConversationAccess')],
    ['may add to prompts', yesOrNo(plugin.permissions.promptInjection, plugin.id, 'allowPromptInjection')],
    ...plugin.hooks.map((hook): Line => ['hook', formatHook(hook)]),
    ...named('internal hook', plugin.internalHooks),
    ...named('tool', plugin.tools),
    ...named(
      'command',
      plugin.commands.map((name) => `/${name}`),
    ),
    ...named('service', plugin.services),
    ...named('route', plugin.routes),
    ...named('method', plugin.methods),
    ...named(
      'cli',
      plugin.cli.map((name) => `atrium ${name}`),
    ),
    ...named('policy', plugin.policies),
    ...named('session state', plugin.sessionExtensions),
    ...named('also', plugin.others),
    ...named('skills', plugin.skills),
    ...named('of no use here', plugin.unused),
    ...plugin.notes.map(({ level, message }): Line => [NOTE_LABELS[level], message]),
  ];
  const shown = lines.flatMap(([label, text]) => (text === undefined ? [] : [[label, text] as const]));
  const width = Math.max(...shown.map(([label]) => label.length));
  const title = plugin.name === plugin.id ? plugin.id : `${plugin.id} (${plugin.name})`;
  const facts = shown.map(([label, text]) => `  ${label.padEnd(width)}  ${oneLine(text)}\n`);
  return `${oneLine(title)}\n${facts.join('')}`;
}

const PLACES = { worker: 'worker', inline: 'gateway itself' } as const;
const NOTE_LABELS = { info: 'note', warn: 'warning', error: 'error' } as const;

function named(label: string, names: readonly string[]): readonly Line[] {
  return names.map((name): Line => [label, name]);
}

function yesOrNo(isAllowed: boolean, id: string, setting: string): string {
  const change = isAllowed ? 'false' : 'true';
  return `${isAllowed ? 'yes' : 'no'}; set plugins.entries.${id}.hooks.${setting} to ${change} to change it`;
}

function formatHook({ hook, priority, timeoutMs, state, reason }: PluginHookStatus): string {
  const text = `${hook}, ${state}, priority ${priority}, ${timeoutMs} ms`;
  return reason === undefined ? text : `${text}: ${reason}`;
}
