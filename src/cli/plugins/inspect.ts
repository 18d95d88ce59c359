// `atrium plugins inspect`: everything that is known about one plugin, above all what it registered and what it may do.

import { loadConfig } from '../../config/load-config.ts';
import type { HooksStatus } from '../../gateway/services/hook-control.ts';
import type { PluginHookStatus, PluginStatus } from '../../plugins/plugin-status.ts';
import type { CliIo } from '../cli-io.ts';
import { command } from '../command.ts';
import { askRunning } from '../gateway/gateway-client.ts';
import { describeFailures } from '../hooks/describe-failures.ts';
import { type Fact, formatFacts } from '../output/format-table.ts';
import { formatTime } from '../output/format-time.ts';
import { formatList, line, oneLine } from '../output/text.ts';
import { askPlugins, findPlugin, PLUGIN_ARGUMENT } from './ask-plugins.ts';

export const pluginsInspect = command({
  path: 'plugins inspect',
  printsTimes: true,
  summary: 'show the state of a plugin, what it may do and what it registered',
  args: PLUGIN_ARGUMENT,
  options: { '--load': 'without a gateway: load the plugin, even one that is off, to see what it registers' },
  examples: ['plugins inspect greeter', 'plugins inspect greeter --json | jq \'.hooks[] | select(.state != "armed")\''],
  notes:
    'What it registered is known while a gateway has it loaded. With --load its code runs once for this look, in a worker: no hook of it is called and no service starts.',
  async run({ id, load }, { io }) {
    const { plugins, isRunning } = await askPlugins(io);
    const found = findPlugin(plugins, id);
    const isLoadedHere = load === true && found.state !== 'loaded';
    const plugin = isLoadedHere ? await loadOnce(found, io) : found;
    const why = isRunning ? 'The gateway has not loaded it' : 'No gateway is running';
    const unknown = isRunning ? '' : `${why}, so what it registers is not known; --load loads it to see.\n`;
    const note = isLoadedHere ? `${why}; it was loaded for this look only.\n` : unknown;
    const isBroken = isLoadedHere && plugin.notes.some(({ code }) => code === 'load-failed');
    const status = isRunning ? await askRunning(io, (client) => client.get<HooksStatus>('/api/hooks')) : undefined;
    const failures = (status?.handlers ?? []).filter(({ owner }) => owner === id).flatMap(describeFailures);
    const text = formatPlugin(plugin, io.environment.timezone) + note + formatList('Handlers that failed', failures);
    return { json: plugin, text, ok: !isBroken };
  },
});

/** The state stays what it is for a gateway, unless loading the plugin shows that it is broken. */
async function loadOnce(found: PluginStatus, io: CliIo): Promise<PluginStatus> {
  const { environment } = io;
  const { tryPlugin } = await import('../../gateway/plugins/try-plugin.ts');
  const tried = await tryPlugin({
    id: found.id,
    environment,
    loaded: await loadConfig({ environment }),
    now: () => io.now().getTime(),
    log: (pluginId, { level, text }) => {
      if (level !== 'debug') io.err(`${pluginId}: ${oneLine(text)}\n`);
    },
  });
  const { state, reason } = tried.state === 'failed' ? tried : found;
  return { ...tried, state, reason, generation: 0 };
}

function formatPlugin(plugin: PluginStatus, timezone: string): string {
  const { install } = plugin;
  const facts: readonly Fact[] = [
    ['what', plugin.description],
    ['state', `${plugin.state}: ${plugin.reason}`],
    ['version', plugin.version],
    ['found in', `${plugin.rootDir} (${plugin.origin})`],
    ['code', plugin.entryPath ?? 'none'],
    ['runs in', plugin.where === null ? undefined : `the ${PLACES[plugin.where]}: ${plugin.whyThere ?? ''}`],
    ['generation', plugin.generation === 0 ? undefined : `${plugin.generation} since the gateway started`],
    ['installed', install && `from ${install.spec}, ${formatTime(install.installedAt, timezone)}`],
    ['files', install && (install.changed ? 'are not what was installed' : 'are what was installed')],
    ['may read what is said', yesOrNo(plugin.permissions.conversation, plugin.id, 'allowConversationAccess')],
    ['may add to prompts', yesOrNo(plugin.permissions.promptInjection, plugin.id, 'allowPromptInjection')],
    ...plugin.hooks.map((hook): Fact => ['hook', formatHook(hook)]),
    ...named('internal hook', plugin.internalHooks),
    ...named('tool', plugin.tools),
    ...named('command', plugin.commands, '/'),
    ...named('service', plugin.services),
    ...named('route', plugin.routes),
    ...named('method', plugin.methods),
    ...named('cli', plugin.cli, 'atrium '),
    ...named('policy', plugin.policies),
    ...named('session state', plugin.sessionExtensions),
    ...named('also', plugin.others),
    ...named('skills', plugin.skills),
    ...named('of no use here', plugin.unused),
    ...plugin.notes.map(({ level, message }): Fact => [NOTE_LABELS[level], message]),
  ];
  const title = plugin.name === plugin.id ? plugin.id : `${plugin.id} (${plugin.name})`;
  return `${line(title)}${formatFacts(facts, { indent: '  ' })}`;
}

const PLACES = { worker: 'worker', inline: 'gateway itself' } as const;
const NOTE_LABELS = { info: 'note', warn: 'warning', error: 'error' } as const;

function named(label: string, names: readonly string[], before = ''): readonly Fact[] {
  return names.map((name): Fact => [label, `${before}${name}`]);
}

function yesOrNo(isAllowed: boolean, id: string, setting: string): string {
  const change = isAllowed ? 'false' : 'true';
  return `${isAllowed ? 'yes' : 'no'}; set plugins.entries.${id}.hooks.${setting} to ${change} to change it`;
}

function formatHook({ hook, priority, timeoutMs, state, reason }: PluginHookStatus): string {
  const text = `${hook}, ${state}, priority ${priority}, ${timeoutMs} ms`;
  return reason === undefined ? text : `${text}: ${reason}`;
}
