// `atrium doctor`: checks everything that can be checked cheaply and reports each result in one line. With `--hooks` it
// tries every handler of the operator's own configuration instead.

import { existsSync } from 'node:fs';
import { listAgentIds } from '../../config/agents.ts';
import { withConfigVariables } from '../../config/config-variables.ts';
import { type LoadedConfig, loadConfig } from '../../config/load-config.ts';
import { pluginSettingsOf } from '../../config/plugin-settings.ts';
import { CHANNEL_EXTENSIONS } from '../../gateway/channels/channel-extensions.ts';
import { listConfiguredAccounts } from '../../gateway/channels/list-configured-accounts.ts';
import type { GatewayStatus } from '../../gateway/services/gateway-status.ts';
import type { HooksStatus } from '../../gateway/services/hook-control.ts';
import { listFaults } from '../../gateway/services/hook-inventory.ts';
import { describeMissing, missingPlugins } from '../../plugins/missing-plugins.ts';
import { countOf } from '../../protocol/count-of.ts';
import { isAtriumError } from '../../protocol/errors.ts';
import { validateAgents } from '../agents/agents.ts';
import type { CliIo } from '../cli-io.ts';
import { command } from '../command.ts';
import { CONFIG_OPTION } from '../common-options.ts';
import { openContext } from '../context/situation-options.ts';
import { describeFailures } from '../hooks/describe-failures.ts';
import { describeKey } from '../output/key-sources.ts';
import { oneLine } from '../output/text.ts';
import { countUnused, groupUnused } from '../output/unused-settings.ts';
import { askPlugins } from '../plugins/ask-plugins.ts';
import type { Section } from './doctor-section.ts';
import { examineModels } from './examine-models.ts';
import { examineNodes } from './examine-nodes.ts';
import { examineRecords } from './examine-records.ts';
import { examineSpending } from './examine-spending.ts';
import { examineTelemetry } from './examine-telemetry.ts';
import { askRunning } from './gateway-client.ts';

const OPTIONS = {
  '--live': 'ask the model of each agent one short question, which costs some tokens',
  '--hooks': 'try every hook handler in a throwaway copy, and say which did not fire and why',
  ...CONFIG_OPTION,
} as const;

export const doctor = command({
  path: 'doctor',
  summary:
    'look for what is wrong: configuration, agents, models, plugins, hooks, chat platforms, records, log, traces; exits 1 when something is',
  options: OPTIONS,
  examples: [
    'doctor',
    'doctor --live     asks your models whether they answer',
    'doctor --hooks    the handlers of your plugins and hook packs, tried with the mirror model',
  ],
  notes: `The trial opens a gateway on a temporary state directory with your configuration. It changes nothing of yours and
calls no model; what your plugins do by themselves when they are loaded or called, they do.

Exit code: 0 when nothing is wrong (remarks are allowed), 1 when something is, 2 when it could not be looked at.`,
  async run(flags, { io }) {
    if (flags.hooks) return (await import('./doctor-hooks.ts')).doctorHooks(flags.config, io);
    const sections = await examine(flags.config, io, flags.live === true);
    const ok = sections.every(({ problems }) => problems.length === 0);
    const text = sections.map(formatSection).join('');
    return { json: { ok, sections }, text, ok };
  },
});

async function examine(configPath: string | undefined, io: CliIo, isLive: boolean): Promise<readonly Section[]> {
  let loaded: LoadedConfig;
  try {
    loaded = await loadConfig({ environment: io.environment, configPath, runsCommands: true });
  } catch (error) {
    if (!isAtriumError(error)) throw error;
    return [{ name: 'configuration', finding: 'cannot be used', problems: [error.message], remarks: [] }];
  }
  return [
    examineConfiguration(loaded, io),
    ...examineUnused(loaded),
    ...examineKeys(loaded),
    await examineAgents(loaded, io),
    await examineModels(loaded, io, isLive),
    await examinePlugins(loaded, io),
    await examineHooks(configPath, io),
    ...(await examineChannels(loaded, io)),
    await examineRecords(loaded, io),
    ...(await examineSpending(loaded, io)),
    ...(await examineNodes(loaded, io)),
    ...(await examineTelemetry(loaded, io)),
  ];
}

function examineConfiguration(loaded: LoadedConfig, io: CliIo): Section {
  const { files, warnings } = loaded;
  const names = files.map(({ path }) => path).join(', ');
  const finding = files.length === 0 ? `none, and none is needed (${io.environment.configPath})` : names;
  return {
    name: 'configuration',
    finding,
    problems: [],
    remarks: warnings.map(({ file, line, message }) => `${file}:${line}: ${message}`),
  };
}

/** What is refused because of a setting is wrong; what merely does not happen is a remark. */
function examineUnused({ unused }: LoadedConfig): readonly Section[] {
  if (unused.length === 0) return [];
  const texts = (isWrong: boolean) =>
    groupUnused(unused)
      .filter(({ refuses }) => (refuses !== null) === isWrong)
      .map(({ text }) => text);
  const rest = unused.filter(({ isAccepted, danger }) => isAccepted || danger === 'harmless').length;
  const others =
    rest === 0
      ? ''
      : `, and ${rest} that ${rest === 1 ? 'does' : 'do'} no harm or ${rest === 1 ? 'is' : 'are'} accepted`;
  const finding = `${countUnused(unused) || 'no setting that matters'}${others} (atrium config check lists them)`;
  return [{ name: 'not used', finding, problems: texts(true), remarks: texts(false) }];
}

/** Where each key comes from; one that is named and not there is wrong. */
function examineKeys({ keys }: LoadedConfig): readonly Section[] {
  if (keys.length === 0) return [];
  const texts = (isWrong: boolean) =>
    keys.filter(({ problem }) => (problem !== undefined) === isWrong).map(describeKey);
  return [{ name: 'keys', finding: countOf(keys.length, 'key'), problems: texts(true), remarks: texts(false) }];
}

async function examineAgents({ config }: LoadedConfig, io: CliIo): Promise<Section> {
  const results = await validateAgents(config, io.environment, listAgentIds(config));
  // The first start makes what is not there, so before it nothing is wrong.
  const isUnmade = new Map(results.map(({ agent }) => [agent.agentId, !existsSync(agent.workspaceDir)]));
  const sentences = (severity: 'error' | 'warning') =>
    results
      .filter(({ agent }) => !isUnmade.get(agent.agentId))
      .flatMap(({ agent, findings }) =>
        findings
          .filter((each) => (each.severity === 'error') === (severity === 'error'))
          .map(({ message }) => `${agent.agentId}: ${message}`),
      );
  const unmade = results
    .filter(({ agent }) => isUnmade.get(agent.agentId))
    .map(
      ({ agent }) => `${agent.agentId}: There is no workspace at ${agent.workspaceDir} yet. "atrium start" makes it.`,
    );
  const finding = results.map(({ agent }) => agent.agentId).join(', ');
  return { name: 'agents', finding, problems: sentences('error'), remarks: [...unmade, ...sentences('warning')] };
}

async function examinePlugins({ config }: LoadedConfig, io: CliIo): Promise<Section> {
  const { plugins, isRunning } = await askPlugins(io);
  const settings = pluginSettingsOf(config, io.environment.home);
  const inState = (...states: readonly string[]) => plugins.filter(({ state }) => states.includes(state));
  const count = isRunning
    ? `${inState('loaded').length} of ${plugins.length} loaded`
    : `${inState('pending').length} of ${plugins.length} would be loaded`;
  return {
    name: 'plugins',
    finding: plugins.length === 0 ? 'none' : count,
    problems: [
      ...missingPlugins(settings, plugins, isRunning ? 'loaded' : 'pending').map(describeMissing),
      ...inState('failed', 'suspended').map(({ id, state, reason }) => `${id} is ${state}. ${reason}`),
    ],
    remarks: [],
  };
}

/** The handlers of the running gateway; without one, what loading them shows. */
async function examineHooks(config: string | undefined, io: CliIo): Promise<Section> {
  const status = await askRunning(io, (client) => client.get<HooksStatus>('/api/hooks'));
  if (status) {
    const inState = (...states: readonly string[]) => status.handlers.filter(({ state }) => states.includes(state));
    const sentences = (handlers: HooksStatus['handlers']) =>
      handlers.map(({ hook, owner, state, reason }) => `${hook} of ${owner} is ${state}. ${reason ?? ''}`);
    return {
      name: 'hooks',
      finding: `${inState('armed').length} of ${status.handlers.length} handlers are called`,
      problems: [
        ...sentences(inState('suspended', 'failed')),
        ...inState('armed').flatMap(({ hook, owner, calls, notCalled }) =>
          notCalled > 0 && calls === 0
            ? [`${hook} of ${owner} was due ${countOf(notCalled, 'time')} and never called.`]
            : [],
        ),
      ],
      remarks: [...sentences(inState('blocked')), ...status.handlers.flatMap(describeFailures)],
    };
  }
  const { engine, loaded } = await openContext({ config }, io);
  const problems = new Set<string>();
  for (const agentId of listAgentIds(loaded.config)) {
    const prepared = await engine.prepare({ agentId, at: io.now() });
    for (const problem of listFaults(prepared)) problems.add(problem);
  }
  return {
    name: 'hooks',
    finding: 'no gateway is running; "atrium doctor --hooks" tries them all',
    problems: [...problems],
    remarks: [],
  };
}

/** One line for each account of a chat platform, as the running gateway has it; without one, as the configuration does. */
async function examineChannels(loaded: LoadedConfig, io: CliIo): Promise<readonly Section[]> {
  const { config } = loaded;
  const environment = withConfigVariables(io.environment, loaded);
  const platforms = await Promise.all(
    CHANNEL_EXTENSIONS.map(async (row) => ({ row, ...(await listConfiguredAccounts(row, config, environment)) })),
  );
  if (platforms.every(({ accounts }) => accounts.length === 0)) return [];
  const running = await askRunning(io, (client) => client.get<GatewayStatus>('/api/status'));
  return platforms.flatMap(({ row, accounts, remarks }) =>
    accounts.map(({ accountId, state, problem }, index): Section => {
      const now = running?.channels
        .find(({ id }) => id === row.id)
        ?.accounts?.find((each) => each.accountId === accountId);
      const told = [now?.detail, now?.nextStep].filter(Boolean).join(' ');
      const isFailed = now?.state === 'failed';
      return {
        name: 'channels',
        finding: `${row.id} (${accountId}): ${(state === 'on' && now?.state) || state}`,
        problems: [...(problem === undefined ? [] : [problem]), ...(isFailed ? [told || 'It has failed.'] : [])],
        remarks: [...(index === 0 ? remarks : []), ...(told && !isFailed ? [told] : [])],
      };
    }),
  );
}

function formatSection({ name, finding, problems, remarks }: Section): string {
  const verdict = problems.length === 0 ? 'ok' : `${problems.length} wrong`;
  const lines = [
    ...problems.map((problem) => `  wrong: ${oneLine(problem)}\n`),
    ...remarks.map((remark) => `  note: ${oneLine(remark)}\n`),
  ];
  return `${name.padEnd(15)}${verdict.padEnd(9)}${oneLine(finding)}\n${lines.join('')}`;
}
