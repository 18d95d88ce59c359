// A command of `atrium` as one value: its name, its input, what it needs and what it does. Everything that commands
// have in common is done here: flags, help, `--json`, the client of the gateway, the exit code. The list of commands,
// in the order of the help, is in `commands.ts`.
// Errors: an error of `run` goes to `runCli`, which prints one sentence.

import { type Command, Option } from 'commander';
import type { CliIo } from './cli-io.ts';
import type { GROUPS } from './command-groups.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { type GatewayClient, lazyClient, openGatewayClient, openReadingClient } from './gateway/gateway-client.ts';
import { outputWidth } from './output/format-table.ts';
import { line } from './output/text.ts';

/** `gateway` needs a running one; `reading` uses the running one, else reads the store. */
type Needs = 'gateway' | 'reading' | undefined;

/** The words of the command line by name: `<id>`, `[id]`, `<ids...>`. */
type Arguments = Readonly<Record<string, string>>;

/** Flags as they are typed: `--all`, `--limit <number>`, `--no-init`. A plain text is the flag's line in the help. */
export type Options = Readonly<Record<`--${string}`, string | OptionDetail>>;

interface OptionDetail {
  readonly text: string;
  /** The letter of the short form, such as `m` for `-m`. */
  readonly short?: string;
  readonly default?: string;
  readonly isRequired?: true;
  readonly choices?: readonly string[];
  /** It may be given several times. */
  readonly isList?: true;
  /** Throws BadFlagError when the value cannot be used. Gets the default, too. */
  readonly parse?: (text: string) => unknown;
}

/** The result of a command. */
export interface Answer {
  /** Printed with `--json`. */
  readonly json?: unknown;
  /** Printed without `--json`. A command that has printed everything already has none. */
  readonly text?: string | ((width: number) => string) | undefined;
  /** Lines for standard error, printed behind `text`. */
  readonly warnings?: readonly string[] | undefined;
  /** False when the answer is negative: the exit code is then 1. */
  readonly ok?: boolean | undefined;
  /** The exit code, where it is another one. */
  readonly exit?: ExitCode | undefined;
}

interface Tools<N extends Needs> {
  readonly io: CliIo;
  /** Opened with the first request, so that flags can be checked before; closed when the command has ended. */
  readonly client: N extends undefined ? undefined : GatewayClient;
  /** Prints a line at once, for commands with several steps. With `--json` it prints nothing. */
  readonly say: (text: string) => void;
  readonly command: Command;
}

interface CommandText {
  /** `start`, or a group and a name: `cron list`. */
  readonly path: `${keyof typeof GROUPS} ${string}` | Lowercase<string>;
  readonly summary: string;
  /** Help above the examples. */
  readonly about?: string;
  /** They are written without the leading `atrium`. */
  readonly examples?: readonly string[];
  /** The words that the first argument may be, as far as they are known; shells complete them. */
  readonly words?: readonly string[];
  /** Help below the examples. */
  readonly notes?: string;
  /** Set for a command that prints times without needing a gateway; those that need one always may. */
  readonly printsTimes?: true;
  /** False when the command has no output for programs, so that there is no flag `--json`. */
  readonly json?: false;
  /** Changes the commander object, for settings that only this command needs. */
  readonly adapt?: (command: Command) => void;
}

export interface CliCommand extends CommandText {
  readonly args?: Arguments;
  readonly options?: Options;
  readonly needs?: Needs;
  readonly run: (given: never, tools: Tools<never>) => Promise<Answer | ExitCode>;
}

/** Checks that `run` fits what the command takes and needs. */
export function command<
  const A extends Arguments = Record<never, string>,
  const O extends Options = Record<never, string>,
  N extends Needs = undefined,
>(
  value: CommandText & {
    readonly args?: A;
    readonly options?: O;
    readonly needs?: N;
    readonly run: (given: Given<A, O>, tools: Tools<N>) => Promise<Answer | ExitCode>;
  },
): CliCommand {
  return value as unknown as CliCommand;
}

type Given<A, O> = { readonly [Key in keyof A as ArgumentName<Key>]: ArgumentValue<Key> } & FlagsOf<O> & {
    readonly json: boolean;
  };

type ArgumentName<Key> = Key extends `${'<' | '['}${infer Name}...${'>' | ']'}`
  ? Name
  : Key extends `${'<' | '['}${infer Name}${'>' | ']'}`
    ? Name
    : never;

type ArgumentValue<Key> = Key extends `${string}...${string}`
  ? readonly string[]
  : Key extends `[${string}`
    ? string | undefined
    : string;

/** The values of flags under the names that commander gives them. */
export type FlagsOf<O> = { readonly [Key in keyof O as FlagName<Key>]: FlagValue<Key, O[Key]> };

type FlagName<Key> = Key extends `--no-${infer Name}`
  ? CamelCase<Name>
  : Key extends `--${infer Name} <${string}`
    ? CamelCase<Name>
    : Key extends `--${infer Name}`
      ? CamelCase<Name>
      : never;

type CamelCase<Text> = Text extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Text extends string
    ? Text
    : never;

type FlagValue<Key, Detail> = Key extends `--no-${string}`
  ? boolean
  : Key extends `${string}<${string}`
    ?
        | GivenText<Detail>
        | (Detail extends { readonly default: string } | { readonly isRequired: true } ? never : undefined)
    : boolean | undefined;

type GivenText<Detail> = Detail extends { readonly parse: (text: string) => infer Value }
  ? Value
  : Detail extends { readonly choices: readonly (infer Choice)[] }
    ? Choice
    : Detail extends { readonly isList: true }
      ? readonly string[]
      : string;

/** Adds a command to the program. `exit` sets the exit code of the process. */
export function addCommand(parent: Command, value: CliCommand, outer: CliIo, exit: (code: ExitCode) => void): void {
  const { path, summary, args = {}, options = {}, needs } = value;
  const added = parent.command(path.slice(path.lastIndexOf(' ') + 1)).description(summary);
  for (const [name, text] of Object.entries(args)) added.argument(name, text);
  for (const [flag, detail] of Object.entries(options)) added.addOption(optionOf(flag, detail));
  if (value.json !== false && options['--json'] === undefined) added.option('--json', 'print JSON for programs');
  added.addHelpText('after', helpOf(value));
  value.adapt?.(added);
  added.action(async (...values: readonly unknown[]) => {
    const words = Object.keys(args).map((key, index) => [key.replace(/^[<[]|(?:\.{3})?[>\]]$/g, ''), values[index]]);
    checkRequired(added, options);
    const given = { ...Object.fromEntries(words), ...parsed(added, options) };
    const isJson = given.json === true;
    const printsTimes = !isJson && (needs !== undefined || value.printsTimes);
    const io = printsTimes ? await (await import('./in-user-zone.ts')).inUserZone(outer) : outer;
    const client = needs && lazyClient(() => (needs === 'gateway' ? openGatewayClient(io) : openReadingClient(io)));
    const say = (text: string) => isJson || io.out(line(text));
    try {
      const answer = await value.run(given as never, { io, client, say, command: added } as never);
      exit(show(answer, isJson, io));
    } catch (error) {
      const texts = Object.values(given)
        .flat()
        .filter((each) => typeof each === 'string');
      throw client ? await (await import('./suggest-id.ts')).suggestId(error, texts, client) : error;
    } finally {
      await client?.close();
    }
  });
}

function optionOf(flag: string, detail: string | OptionDetail): Option {
  if (typeof detail === 'string') return new Option(flag, detail);
  const option = new Option(detail.short === undefined ? flag : `-${detail.short}, ${flag}`, detail.text);
  if (detail.default !== undefined) option.default(detail.default);
  if (detail.choices) option.choices(detail.choices);
  if (detail.isList) option.argParser((value: string, values: readonly string[] = []) => [...values, value]);
  return option;
}

function detailOf({ flags }: Option, options: Options): string | OptionDetail | undefined {
  return options[flags.slice(flags.indexOf('--')) as `--${string}`];
}

/** Commander would name a missing flag before one that it does not know, which is often the same flag misspelt. */
function checkRequired(command: Command, options: Options): void {
  for (const option of command.options) {
    const detail = detailOf(option, options);
    const isMissing = command.getOptionValue(option.attributeName()) === undefined;
    if (typeof detail === 'object' && detail.isRequired && isMissing)
      command.error(`error: required option '${option.flags}' not specified`);
  }
}

function parsed(command: Command, options: Options): Record<string, unknown> {
  const flags: Record<string, unknown> = { json: false, ...command.opts() };
  for (const option of command.options) {
    const detail = detailOf(option, options);
    const text = flags[option.attributeName()];
    if (typeof detail === 'object' && detail.parse && typeof text === 'string') {
      flags[option.attributeName()] = detail.parse(text);
    }
  }
  return flags;
}

function helpOf({ about, examples = [], needs, notes }: CliCommand): string {
  const after = [...(needs === 'gateway' ? ['Needs a running gateway.'] : []), ...(notes ? [notes] : [])].join(' ');
  const lines = examples.map((example) => `\n  $ atrium ${example}`);
  const parts = [about, lines.length > 0 ? `Examples:${lines.join('')}` : '', after];
  return parts.flatMap((part) => (part ? [`\n${part}`] : [])).join('\n');
}

function show(answer: Answer | ExitCode, isJson: boolean, io: CliIo): ExitCode {
  if (typeof answer === 'number') return answer;
  const { json, text, warnings = [], ok = true, exit = ok ? EXIT.ok : EXIT.finding } = answer;
  if (isJson) {
    if (json !== undefined) io.out(`${JSON.stringify(json, null, 2)}\n`);
    return exit;
  }
  if (text !== undefined) io.out(typeof text === 'string' ? text : text(outputWidth(io)));
  for (const warning of warnings) io.err(`${warning}\n`);
  return exit;
}
