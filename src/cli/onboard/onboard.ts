// `atrium onboard`: from nothing to an agent that answers, in a few questions. Everything is asked first and written at the end,
// so leaving at any question leaves nothing behind. Every answer has a flag; with --yes nothing is asked.

import { join } from 'node:path';
import { resolveDefaultAgentId } from '../../config/agents.ts';
import { withConfigVariables } from '../../config/config-variables.ts';
import type { Environment } from '../../config/environment.ts';
import { loadConfig } from '../../config/load-config.ts';
import { formatModelRef, type ModelChoice, parseModelRef, resolveModelChoice } from '../../config/model-choice.ts';
import { CHANNEL_EXTENSIONS } from '../../gateway/channels/channel-extensions.ts';
import { BadFlagError } from '../../gateway/errors.ts';
import { hasOpenClawState } from '../../gateway/import/has-openclaw-state.ts';
import { docsCommand } from '../../protocol/documents.ts';
import { oneLine } from '../../protocol/one-line.ts';
import { checkNewAccount, listFreePlatforms } from '../channels.ts';
import type { CliIo } from '../cli-io.ts';
import { command } from '../command.ts';
import { FlagCombinationError, OnboardNeedsTerminalError } from '../errors.ts';
import { warnOfRunningOpenClaw } from '../gateway/warn-of-running-openclaw.ts';
import { line } from '../output/text.ts';
import { installService, keysOfThisShell, managerFor, planHere } from '../service/service.ts';
import { managerOfThisSystem } from '../service/service-manager.ts';
import { findModels, listModels, listProviderModels } from './find-models.ts';
import {
  type Answers,
  gatherAnswers,
  isName,
  LONGEST_SHOWN,
  type ModelAnswer,
  NAME_RULE,
  type Surroundings,
} from './gather-answers.ts';
import { openPrompts } from './prompts.ts';
import { modelEdits, withEdits, writeAnswers } from './write-answers.ts';

const YES_OR_NO = ['yes', 'no'] as const;

export const onboard = command({
  path: 'onboard',
  summary: 'set everything up in a few questions: model, name, chat platform, service',
  options: {
    '--yes': 'ask nothing: what no flag says is the default',
    '--non-interactive': 'the same as --yes',
    '--import <answer>': { text: 'bring conversations and jobs of OpenClaw along (default: no)', choices: YES_OR_NO },
    '--model <model>': 'provider/model, or "mirror" (default: what is configured, else the first that is found)',
    '--base-url <url>': 'where the provider of --model is, for a server of your own',
    '--no-test': 'ask neither the model nor the chat platform',
    '--name <name>': 'what the agent is called (default: it finds a name with you)',
    '--channel <platform>': {
      text: 'telegram, discord or slack, or later (default); tokens are asked for, with --yes they are taken from their variables',
      choices: ['later', ...CHANNEL_EXTENSIONS.map(({ id }) => id)],
    },
    '--service <answer>': { text: 'let the system run the gateway (default: no)', choices: YES_OR_NO },
  },
  examples: [
    'onboard',
    'onboard --yes --model anthropic/claude-sonnet-4-6 --name Ada --service yes',
    'onboard --yes --model home/qwen3 --base-url http://127.0.0.1:8080/v1',
    'onboard --yes --channel telegram',
  ],
  notes: `Keys are taken from where they are: variables, .env files, auth profiles. Nothing is written before the last answer; Ctrl-C leaves everything as it was. The tokens of a chat platform stay in their variables too: TELEGRAM_BOT_TOKEN, DISCORD_BOT_TOKEN, SLACK_BOT_TOKEN and SLACK_APP_TOKEN. See "${docsCommand('models')}".`,
  async run(flags, { io, say }) {
    const isAsking = !flags.yes && !flags.nonInteractive;
    if (isAsking && (!io.isTerminal || process.stdin.isTTY !== true)) throw new OnboardNeedsTerminalError();
    if (flags.baseUrl !== undefined && flags.model === undefined)
      throw new FlagCombinationError({
        problem: '--base-url needs --model provider/model, which names the provider at that address.',
      });
    if (flags.name !== undefined && !isName(flags.name))
      throw new BadFlagError({ flag: '--name', value: oneLine(flags.name), expected: NAME_RULE });
    const { config, environment } = await readHome(io.environment);
    const around = await lookAround(config, environment, io);
    const ask = isAsking ? await openPrompts() : undefined;
    ask?.intro('Atrium: a few questions, and nothing is written before the last one. Ctrl-C leaves.');
    const answers = await gatherAnswers(flags, around, ask);
    const files = await writeAnswers(answers, config, io.environment, io.now());
    for (const file of files) say(`Wrote ${file}.`);
    const troubles = await doTheRest(answers, io, say, (text) => flags.json || io.out(text));
    // An import says it itself.
    const running = answers.importFrom === undefined ? await warningOfRunning(config, environment) : [];
    const next = answers.service
      ? 'Talk to it: atrium chat'
      : 'Start it with: atrium start   (then talk to it on the page that it names, or with: atrium chat)';
    ask?.outro(next);
    return {
      json: {
        model: answers.model.name ?? null,
        trial: answers.trial ?? null,
        name: answers.name ?? null,
        files,
        troubles,
      },
      text: ask
        ? undefined
        : `${summary(answers, resolveModelChoice(config, resolveDefaultAgentId(config), environment.variables))}${line(next)}`,
      warnings: [...troubles, ...running],
      ok: troubles.length === 0,
    };
  },
});

/** Both would answer on the same chat accounts. */
async function warningOfRunning(config: Surroundings['config'], environment: Environment): Promise<readonly string[]> {
  const found: string[] = [];
  await warnOfRunningOpenClaw({ config, environment }, (sentence) => void found.push(`warning: ${sentence}`));
  return found;
}

async function readHome(environment: Environment) {
  const loaded = await loadConfig({ environment });
  return { config: loaded.config, environment: withConfigVariables(environment, loaded) };
}

async function lookAround(config: Surroundings['config'], environment: Environment, io: CliIo): Promise<Surroundings> {
  const homes = [...new Set([environment.stateDir, join(environment.home, '.openclaw')])];
  const isOpenClaw = await Promise.all(homes.map((dir) => hasOpenClawState({ dir, environment, config })));
  const { isStateLocked } = await import('../../store/state-lock.ts');
  const openClawHome = homes.find((_, at) => isOpenClaw[at]);
  return {
    config,
    variables: environment.variables,
    // An import needs the state directory for itself.
    openClawHome: openClawHome && !(await isStateLocked(environment.stateDir)) ? openClawHome : undefined,
    found: await findModels(config, environment),
    platforms: await listFreePlatforms(io),
    serviceManager: managerOfThisSystem(),
    listModels: (answer) =>
      answer.provider
        ? listModels(answer.provider.settings.baseUrl)
        : listProviderModels(
            config,
            parseModelRef(answer.name ?? '', config).provider,
            variablesWith(environment, answer),
          ),
    tryModel: async (answer) => {
      const [{ askModel }, { ModelRegistry }] = await Promise.all([
        import('../../gateway/models/ask-model.ts'),
        import('../../gateway/models/model-registry.ts'),
      ]);
      const draft = withEdits(config, modelEdits(answer, config));
      const registry = new ModelRegistry(draft, { variables: variablesWith(environment, answer) });
      return askModel(registry, parseModelRef(answer.name ?? '', draft));
    },
    tryTokens: (row, tokens) => checkNewAccount(io, row, tokens),
  };
}

function variablesWith({ variables }: Environment, { key }: ModelAnswer): Environment['variables'] {
  return key ? { ...variables, [key.variable]: key.value } : variables;
}

/** What comes after the settings are written. A step that fails says how it is done again, and the settings stay. */
async function doTheRest(
  answers: Answers,
  io: CliIo,
  say: (text: string) => void,
  show: CliIo['out'],
): Promise<readonly string[]> {
  const troubles: string[] = [];
  if (answers.importFrom !== undefined) {
    const { runCli } = await import('../run-cli.ts');
    const code = await runCli(['import', 'openclaw', '--from', answers.importFrom], {
      ...io,
      // The report has many lines and columns, so it is shown as it is.
      out: show,
    });
    // What was left is named in the report, and would be left again.
    if (code > 1)
      troubles.push(`Nothing was brought along. Again: atrium import openclaw --from ${answers.importFrom}`);
  }
  if (answers.service) {
    try {
      const steps = await installService(
        managerFor(undefined),
        await planHere(io.environment, undefined),
        io.environment,
      );
      for (const step of steps) say(step);
      for (const warning of keysOfThisShell(io.environment)) say(warning);
    } catch (error) {
      troubles.push(`${(error as Error).message} Again: atrium service install`);
    }
  }
  return troubles;
}

function summary({ model, trial, name }: Answers, configured: ModelChoice): string {
  const answered = trial?.ok
    ? ` It answered "${oneLine(trial.text, LONGEST_SHOWN)}" after ${(trial.ms / 1000).toFixed(1)} s.`
    : '';
  return [
    model.name === undefined
      ? line(`The model stays as it is: ${formatModelRef(configured.primary)}.`)
      : line(`The model is ${model.name}.${answered}`),
    ...(name === undefined ? [] : [line(`The agent is called ${name}.`)]),
  ].join('');
}
