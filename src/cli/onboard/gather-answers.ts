// What onboarding wants to know. Each answer comes from its flag, else from the person, else it is the default; so a script and
// a person go the same way, and what a flag says is not asked. Writes nothing.

import { formatModelRef, parseModelRef } from '../../config/model-choice.ts';
import { keyVariables, MIRROR_PROVIDER } from '../../config/model-provider.ts';
import type { Config } from '../../config/schema.ts';
import type { ExtensionRow } from '../../gateway/channels/channel-extensions.ts';
import type { ModelTrial } from '../../gateway/models/ask-model.ts';
import { countOf } from '../../protocol/count-of.ts';
import { oneLine } from '../../protocol/one-line.ts';
import { FlagCombinationError, OnboardModelError } from '../errors.ts';
import { type FoundModel, PROPOSED_MODELS, type ProviderEntry } from './find-models.ts';
import type { Prompts } from './prompts.ts';

export interface OnboardFlags {
  readonly import?: 'yes' | 'no' | undefined;
  readonly model?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly name?: string | undefined;
  readonly channel?: string | undefined;
  readonly service?: 'yes' | 'no' | undefined;
  readonly test: boolean;
}

export interface Surroundings {
  readonly config: Config;
  /** The environment variables, with those of `.env` files and of the configuration. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** The home of OpenClaw whose conversations and jobs could be brought along. */
  readonly openClawHome: string | undefined;
  readonly found: readonly FoundModel[];
  /** The platforms that have no account yet. */
  readonly platforms: readonly ExtensionRow[];
  /** Undefined where the system has none that we know. */
  readonly serviceManager: string | undefined;
  /** The models of the provider that these answers lead to; empty when it does not say. */
  readonly listModels: (answer: ModelAnswer) => Promise<readonly string[]>;
  /** Asks the model that these answers lead to. */
  readonly tryModel: (answer: ModelAnswer) => Promise<ModelTrial>;
  /** Asks the platform about the tokens; returns what is wrong with them. */
  readonly tryTokens: (row: ExtensionRow, tokens: Readonly<Record<string, string>>) => Promise<string | undefined>;
}

export interface ModelAnswer {
  /** Undefined when nothing is to be changed about it. */
  readonly name?: string | undefined;
  readonly provider?: ProviderEntry | undefined;
  /** A key that was typed, for `<state>/.env`. */
  readonly key?: { readonly variable: string; readonly value: string } | undefined;
}

export interface Answers {
  readonly importFrom: string | undefined;
  readonly model: ModelAnswer;
  readonly trial: ModelTrial | undefined;
  readonly name: string | undefined;
  readonly channel: { readonly row: ExtensionRow; readonly tokens: Readonly<Record<string, string>> } | undefined;
  readonly service: boolean;
}

/** How much of the answer to the trial is shown. */
export const LONGEST_SHOWN = 200;

export async function gatherAnswers(
  flags: OnboardFlags,
  around: Surroundings,
  ask: Prompts | undefined,
): Promise<Answers> {
  const importFrom = await answerImport(flags, around, ask);
  const { model, trial } = await answerModel(flags, around, ask);
  const name =
    flags.name ??
    (await ask?.text('What is the agent called?', {
      placeholder: 'Enter: it finds a name with you',
      check: (text) => (isName(text) ? undefined : `Write ${NAME_RULE}.`),
    }));
  const channel = await answerChannel(flags, around, ask);
  const service =
    flags.service !== undefined
      ? flags.service === 'yes'
      : around.serviceManager !== undefined &&
        ((await ask?.confirm(`Let ${around.serviceManager} run the gateway, from login on?`, false)) ?? false);
  return { importFrom, model, trial, name: name?.trim() || undefined, channel, service };
}

export const NAME_RULE = 'a name of one line, at most 80 characters';

/** A name becomes a line of IDENTITY.md, which the agent reads. An empty one means none. */
export function isName(text: string): boolean {
  const name = text.trim();
  return name.length <= 80 && oneLine(name) === name;
}

async function answerImport(
  flags: OnboardFlags,
  { openClawHome }: Surroundings,
  ask: Prompts | undefined,
): Promise<string | undefined> {
  if (openClawHome === undefined || flags.import === 'no') return undefined;
  if (flags.import === 'yes') return openClawHome;
  const question = `${openClawHome} holds conversations, jobs or keys of OpenClaw. Bring them along? Nothing of OpenClaw is changed.`;
  return (await ask?.confirm(question, true)) ? openClawHome : undefined;
}

async function answerModel(flags: OnboardFlags, around: Surroundings, ask: Prompts | undefined) {
  const tried = async (model: ModelAnswer) => {
    const work = () => around.tryModel(model);
    if (!flags.test || model.name === undefined || model.name.startsWith(`${MIRROR_PROVIDER}/`)) return undefined;
    return ask ? ask.during(`Asking ${model.name} one question`, work, (trial) => describe(model, trial)) : work();
  };
  if (flags.model !== undefined || !ask) {
    const model = flags.model === undefined ? byDefault(around) : named(flags.model, flags.baseUrl, around);
    const trial = await tried(model);
    if (trial && !trial.ok) throw new OnboardModelError({ model: model.name ?? '', problem: trial.problem ?? '' });
    return { model, trial };
  }
  for (;;) {
    const model = await chooseModel(around, ask);
    if (!model) continue;
    const trial = await tried(model);
    if (!trial || trial.ok || (await ask.confirm('Use it all the same?', false))) return { model, trial };
  }
}

function describe({ name }: ModelAnswer, trial: ModelTrial): string {
  return trial.ok
    ? `${name} answered "${oneLine(trial.text, LONGEST_SHOWN)}" after ${(trial.ms / 1000).toFixed(1)} s.`
    : `${name} did not answer: ${trial.problem}`;
}

/** What is configured stays; else the first that was found; else the mirror, which needs nothing. */
function byDefault({ config, found }: Surroundings): ModelAnswer {
  if (configuredModel(config) !== undefined) return {};
  const [first] = found;
  return first ? { name: first.name, provider: first.provider } : {};
}

function named(given: string, baseUrl: string | undefined, { config, found }: Surroundings): ModelAnswer {
  const match = found.find(({ name }) => name === given);
  if (match && baseUrl === undefined) return { name: match.name, provider: match.provider };
  const ref = parseModelRef(given, config);
  const address = serverAddress(baseUrl ?? '') ?? baseUrl ?? '';
  const provider = { name: ref.provider, settings: { baseUrl: address, models: [{ id: ref.model }] } };
  return { name: formatModelRef(ref), ...(baseUrl !== undefined && { provider }) };
}

function configuredModel(config: Config): string | undefined {
  const model: unknown = config.agents?.defaults?.model;
  if (typeof model === 'string') return model;
  const primary = (model as { primary?: unknown } | undefined)?.primary;
  return typeof primary === 'string' ? primary : undefined;
}

type ModelChoice =
  | { readonly kind: 'keep' | 'other' | 'key' | 'server' | 'mirror' }
  | { readonly kind: 'found'; readonly model: FoundModel };

/** Undefined when the person went back. */
async function chooseModel(around: Surroundings, ask: Prompts): Promise<ModelAnswer | undefined> {
  const { config, found } = around;
  const configured = configuredModel(config);
  const choice = await ask.choose<ModelChoice>('Which model should answer?', [
    ...(configured === undefined
      ? []
      : [{ value: { kind: 'keep' as const }, label: configured, hint: 'as it is configured' }]),
    ...found.map((model) => ({ value: { kind: 'found' as const, model }, label: model.name, hint: model.because })),
    ...(found.length === 0
      ? []
      : [{ value: { kind: 'other' as const }, label: 'Another model of these', hint: 'choose from their lists' }]),
    { value: { kind: 'key' }, label: 'I have a key', hint: PROPOSED_MODELS.map(({ provider }) => provider).join(', ') },
    { value: { kind: 'server' }, label: 'A server of my own', hint: 'anything that speaks like OpenAI' },
    { value: { kind: 'mirror' }, label: 'None yet', hint: 'the built-in mirror shows what a model would be sent' },
  ]);
  switch (choice.kind) {
    case 'keep':
      return { name: configured };
    case 'found':
      return { name: choice.model.name, provider: choice.model.provider };
    case 'mirror':
      return { name: 'mirror/mirror' };
    case 'other':
      return askOther(around, ask);
    case 'key':
      return askKey(around, ask);
    case 'server':
      return askServer(around, ask);
  }
}

async function askOther(around: Surroundings, ask: Prompts): Promise<ModelAnswer> {
  const providers = new Map(around.found.map((model) => [parseModelRef(model.name, {}).provider, model]));
  const [provider, found] = await ask.choose(
    'Of whom?',
    [...providers].map((value) => ({ value, label: value[0], hint: value[1].because })),
  );
  return pickModel({ name: found.name, provider: found.provider }, provider, around, ask);
}

async function askKey(around: Surroundings, ask: Prompts): Promise<ModelAnswer | undefined> {
  const ref = await ask.choose(
    'A key of whom?',
    PROPOSED_MODELS.map((value) => ({ value, label: value.provider, hint: formatModelRef(value) })),
  );
  const [variable = ''] = keyVariables(ref.provider);
  const value = await ask.secret(
    `${variable} (kept in the .env file of the state directory; Enter without one goes back)`,
    (text) =>
      text === '' || /^[\x21\x23-\x26\x28-\x7e]{8,}$/.test(text) ? undefined : 'That does not look like a key.',
  );
  if (value === '') return undefined;
  return pickModel({ name: formatModelRef(ref), key: { variable, value } }, ref.provider, around, ask);
}

async function askServer(around: Surroundings, ask: Prompts): Promise<ModelAnswer | undefined> {
  const written = await ask.text('Its address (Enter without one goes back)', {
    placeholder: 'http://127.0.0.1:8080/v1',
    check: (text) =>
      text === '' || serverAddress(text) !== undefined
        ? undefined
        : 'Write an address such as http://127.0.0.1:8080/v1.',
  });
  const baseUrl = serverAddress(written);
  if (baseUrl === undefined) return undefined;
  return pickModel({ provider: { name: 'home', settings: { baseUrl, models: [] } } }, 'home', around, ask);
}

/** People leave out the beginning of an address on their own machine: `127.0.0.1:8080` or `localhost:1234/v1`. */
export function serverAddress(text: string): string | undefined {
  const isShort = /^(?:localhost|[\w-]+(?:\.[\w-]+)+|\[[\da-f:]+\])(?::\d{1,5})?(?:\/\S*)?$/i.test(text);
  const address = isShort ? `http://${text}` : text;
  return URL.canParse(address) && /^https?:\/\//i.test(address) ? address : undefined;
}

/** One of the models that the provider has; where it does not say, the proposed one, or the one that the person names. */
async function pickModel(
  answer: ModelAnswer,
  provider: string,
  around: Surroundings,
  ask: Prompts,
): Promise<ModelAnswer> {
  const names = await ask.during(
    `Asking ${provider} which models it has`,
    () => around.listModels(answer),
    (list) =>
      list.length === 0 ? `${provider} has no list of models.` : `${countOf(list.length, 'model')} of ${provider}.`,
  );
  const proposed = answer.name?.slice(provider.length + 1);
  if (names.length === 0 && proposed !== undefined) return answer;
  const id =
    names.length > 0
      ? await ask.pick('Which model?', names, proposed)
      : await ask.text('The name of the model there', {
          check: (text) => (text === '' ? 'Write its name.' : undefined),
        });
  const entry = answer.provider;
  const models = entry?.settings.models.some((model) => model.id === id)
    ? entry.settings.models
    : [...(entry?.settings.models ?? []), { id }];
  return {
    ...answer,
    name: `${provider}/${id}`,
    ...(entry && { provider: { ...entry, settings: { ...entry.settings, models } } }),
  };
}

async function answerChannel(
  { channel, test }: OnboardFlags,
  { platforms, tryTokens, variables }: Surroundings,
  ask: Prompts | undefined,
): Promise<Answers['channel']> {
  if (channel === 'later' || platforms.length === 0) return undefined;
  if (!ask)
    return channel === undefined ? undefined : channelOfVariables(channel, { platforms, tryTokens, variables }, test);
  const row =
    platforms.find(({ id }) => id === channel) ??
    (await ask.choose<ExtensionRow | undefined>('Talk to it on a chat platform?', [
      { value: undefined, label: 'Later', hint: 'atrium channels add' },
      ...platforms.map((value) => ({ value, label: value.name })),
    ]));
  if (!row) return undefined;
  for (;;) {
    const tokens: Record<string, string> = {};
    for (const { key, from, form } of row.tokens) {
      const isUsable = (text: string) =>
        text === '' || form.test(text)
          ? undefined
          : `That does not look like one. It is ${from}. Enter without a token: later.`;
      const token = await ask.secret(`${row.name}, ${key} (${from}; Enter without one: later)`, isUsable);
      if (token === '') return undefined;
      tokens[key] = token;
    }
    const problem = await ask.during(
      `Asking ${row.name} about the account`,
      () => tryTokens(row, tokens),
      (wrong) => wrong ?? `${row.name} takes it.`,
    );
    if (problem === undefined) return { row, tokens };
    if (!(await ask.confirm('Try again with another token?', true))) return undefined;
  }
}

/**
 * Tokens are never flags, because other people of the machine could read them. So a script has them in variables, where
 * they stay: the configuration only says that the platform is used.
 */
async function channelOfVariables(
  channel: string,
  { platforms, tryTokens, variables }: Pick<Surroundings, 'platforms' | 'tryTokens' | 'variables'>,
  isTried: boolean,
): Promise<Answers['channel']> {
  const row = platforms.find(({ id }) => id === channel);
  if (!row) return undefined;
  const missing = row.tokens.map(({ variable }) => variable).filter((variable) => !variables[variable]?.trim());
  if (missing.length > 0)
    throw new FlagCombinationError({
      problem: `--channel ${channel} needs ${missing.join(' and ')} in the environment or in a .env file, because --yes asks nothing. Or leave it out, and then use: atrium channels add ${channel}`,
    });
  const tokens = Object.fromEntries(row.tokens.map(({ key, variable }) => [key, variables[variable]?.trim() ?? '']));
  const problem = isTried ? await tryTokens(row, tokens) : undefined;
  if (problem !== undefined)
    throw new FlagCombinationError({
      problem: `${row.name} does not take what ${row.tokens.map(({ variable }) => variable).join(' and ')} says, so nothing was written. ${problem}`,
    });
  return { row, tokens: {} };
}
