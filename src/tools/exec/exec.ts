// `exec`: a command in a folder of the workspace. It runs when a rule names it, when a person has seen it and said yes, or
// when the operator wants no questions; otherwise it asks. What a rule allows is run as its words, never by a shell.

import type { JsonObject } from '../../protocol/json.ts';
import type { Store } from '../../store/store.ts';
import type { ProcessRow } from '../../store/tables.ts';
import { CommandNotGrantedError, ProgramMissingError, ToolInputError } from '../errors.ts';
import type { AllowedCommand, Tool, ToolCaller, ToolContext, ToolDecision, ToolOutput } from '../tool.ts';
import type { BackgroundProcesses } from './background-processes.ts';
import { type CollectedOutput, CommandOutput } from './command-output.ts';
import { describeCommand, severityOf } from './describe-command.ts';
import { execEnvironment, searchPath, type Variables } from './exec-environment.ts';
import { findProgram, foldersOutside, isInWorkspace } from './find-program.ts';
import { matchAllowRule } from './match-allow-rule.ts';
import { LONGEST_COMMAND, parseSimpleCommand } from './parse-simple-command.ts';
import { withoutLastLineEnds } from './readable-output.ts';
import { type CommandEnd, runCommand, type SpawnedCommand } from './run-command.ts';
import { runsOtherPrograms } from './runs-other-programs.ts';
import { openWorkingFolder, resolveWorkingFolder, type WorkingFolder } from './working-folder.ts';

/** What an agent's commands may do. */
export interface ExecPolicy {
  readonly security: 'deny' | 'allowlist' | 'full';
  /** Why commands are denied, where the configuration does not say it. */
  readonly deniedBy?: string | undefined;
  readonly ask: 'off' | 'on-miss' | 'always';
  readonly allow: readonly string[];
  readonly env: readonly string[];
  readonly timeoutSeconds: number;
  readonly maxOutputChars: number;
}

export interface ExecOptions {
  readonly store: Store;
  readonly processes: BackgroundProcesses;
  readonly policyOf: (agentId: string) => ExecPolicy;
  /** The agents of the sessions that a child works for; empty for a session that no other session spawned. */
  readonly agentsAbove: (sessionKey: string) => Promise<readonly string[]>;
  /** The gateway's own environment; commands see little of it. */
  readonly variables: Variables;
  readonly now: () => number;
  /** What a leading `~` in a path stands for. */
  readonly home?: string | undefined;
}

interface ExecParams {
  readonly command: string;
  readonly cwd?: string;
  readonly timeoutSeconds?: number;
  readonly background?: boolean;
}

/** The largest value of the setting, and time to end a command that does not end by itself. */
const LONGEST_RUN_MS = 86_400_000 + 60_000;
/** More than the largest value of the setting, so that the text around the output is never cut. */
const MOST_CHARS = 1_010_000;

export function createExecTool(options: ExecOptions): Tool {
  return {
    name: 'exec',
    maxChars: MOST_CHARS,
    description:
      'Run a command in the workspace and read what it prints. It has no input and no terminal. Plain commands of one program may run at once; others may need a person to approve them first. Use background for what should go on, such as a server, and process to look after it.',
    parameters: {
      type: 'object',
      properties: {
        command: {
          type: 'string',
          minLength: 1,
          maxLength: LONGEST_COMMAND,
          description: 'The command, as for a POSIX shell.',
        },
        cwd: { type: 'string', minLength: 1, description: 'The folder to run it in; the workspace by default.' },
        timeoutSeconds: {
          type: 'integer',
          minimum: 1,
          description: 'Ends it after so long; by default after the longest time that is allowed. Not for background.',
        },
        background: {
          type: 'boolean',
          description: 'Return at once and let it go on, without a time limit. False by default.',
        },
      },
      required: ['command'],
      additionalProperties: false,
    },
    idempotent: false,
    timeoutMs: LONGEST_RUN_MS,
    decide: async (params, caller) => decide(options, params as unknown as ExecParams, caller),
    run: async (params, context) => run(options, params as unknown as ExecParams, context),
  };
}

/** The policies that a command has to meet, all of them: that of the agent first, then those of the agents above it. */
type ExecPolicies = readonly [own: ExecPolicy, ...above: ExecPolicy[]];

async function policiesOf(
  { policyOf, agentsAbove }: ExecOptions,
  { agentId, sessionKey }: Pick<ToolCaller, 'agentId' | 'sessionKey'>,
): Promise<ExecPolicies> {
  const above = new Set(await agentsAbove(sessionKey));
  above.delete(agentId);
  return [policyOf(agentId), ...[...above].map(policyOf)];
}

async function decide(options: ExecOptions, params: ExecParams, caller: ToolCaller): Promise<ToolDecision> {
  const policies = await policiesOf(options, caller);
  const denying = policies.find(({ security }) => security === 'deny');
  if (denying) return { kind: 'deny', reason: switchedOff(denying) };
  const timeoutSeconds = checkedTimeLimit(policies, params);
  const place = { workspaceDir: caller.workspaceDir, home: options.home };
  const { cwd, isDirect } = await resolveWorkingFolder(place, params.cwd);
  const { command } = params;
  const argv = parseSimpleCommand(command);
  const rules = argv && (await rulesFor(options, policies, caller.agentId, { argv, cwd }));
  const asking = policies.filter((policy, index) => {
    if (policy.ask === 'always') return true;
    return policy.security !== 'full' && rules?.[index] === undefined;
  });
  if (asking.length === 0) {
    const rule = rules?.find((each, index) => policies[index]?.security !== 'full' && each !== undefined);
    const grant =
      argv && rule !== undefined
        ? ({ kind: 'rule', rule, argv } as const)
        : ({ kind: 'policy', rule: FULL_SECURITY } as const);
    return { kind: 'allow', grant };
  }
  if (asking.some(({ ask }) => ask === 'off')) return { kind: 'deny', reason: NO_RULE };
  // The link could lead elsewhere when the answer comes.
  if (!isDirect) return { kind: 'deny', reason: `A link leads there. Ask for ${JSON.stringify(cwd)} by its own name.` };
  // A rule of this agent would not keep the agents above it from asking.
  const [own] = policies;
  const mayLast = asking.every((policy) => policy === own);
  const rule = mayLast ? await lastingRule(options, own, caller, { command, cwd }) : null;
  const limit = params.background ? undefined : timeoutSeconds;
  return {
    kind: 'ask',
    title: params.background ? 'Run a command in the background' : 'Run a command',
    description: describeCommand({ command, cwd, timeoutSeconds: limit, mayLast: rule !== null }),
    severity: severityOf(command),
    rule,
  };
}

const switchedOff = ({ deniedBy = DENIED }: ExecPolicy) => `Commands are switched off here: ${deniedBy}. Do without.`;
const DENIED = 'tools.exec.security is "deny"';
const FULL_SECURITY = 'tools.exec.security "full"';
const NO_RULE =
  'No rule allows this command, and no person is asked here: tools.exec.ask is "off". Only commands that tools.exec.allow names can run.';

function checkedTimeLimit(policies: ExecPolicies, { timeoutSeconds, background, command }: ExecParams): number {
  const longest = Math.min(...policies.map((policy) => policy.timeoutSeconds));
  const problems: string[] = [];
  if (command.trim() === '') problems.push('command must not be empty.');
  if (command.includes('\0')) problems.push('command holds a NUL character, which no program can be given.');
  if (timeoutSeconds !== undefined && background)
    problems.push('timeoutSeconds is not for commands in the background.');
  if (timeoutSeconds !== undefined && timeoutSeconds > longest) {
    problems.push(`timeoutSeconds must be at most ${longest}; use background for longer.`);
  }
  if (problems.length > 0) throw new ToolInputError({ tool: 'exec', problems });
  return timeoutSeconds ?? longest;
}

/** For each policy the rule that allows the command; undefined where none does. */
async function rulesFor(
  { store }: ExecOptions,
  [own, ...above]: ExecPolicies,
  agentId: string,
  { argv, cwd }: { readonly argv: readonly string[]; readonly cwd: string },
): Promise<readonly (string | undefined)[]> {
  const stored = await store.select('allowRules', { where: { agentId, toolName: 'exec' } });
  // The rules of another agent were made for its own workspace, so those that speak of a folder there do not count here.
  const elsewhere = { argv, cwd: '' };
  return [
    matchAllowRule({ argv, cwd }, { configured: own.allow, stored }),
    ...above.map(({ allow }) => matchAllowRule(elsewhere, { configured: allow, stored: [] })),
  ];
}

/**
 * What "allow-always" may write down. Nothing for a program that lies in the workspace: the agent could change it under
 * the rule.
 */
async function lastingRule(
  options: ExecOptions,
  policy: ExecPolicy,
  { workspaceDir }: ToolCaller,
  { command, cwd }: { readonly command: string; readonly cwd: string },
): Promise<AllowedCommand | null> {
  const argv = parseSimpleCommand(command);
  const [program] = argv ?? [];
  if (!argv || program === undefined || policy.ask === 'always' || runsOtherPrograms(program)) return null;
  const folder = await openWorkingFolder({ workspaceDir, home: options.home }, cwd);
  try {
    const file = await findProgram(program, await searchPathFor(options, workspaceDir), folder.realPath);
    return file === undefined || (await isInWorkspace(file, workspaceDir)) ? null : { argv, cwd };
  } finally {
    await folder.close();
  }
}

async function run(options: ExecOptions, params: ExecParams, context: ToolContext): Promise<ToolOutput> {
  const { workspaceDir } = context;
  const policies = await policiesOf(options, context);
  const denying = policies.find(({ security }) => security === 'deny');
  if (denying) throw new CommandNotGrantedError({ problem: `${denying.deniedBy ?? DENIED} now` });
  const timeoutSeconds = checkedTimeLimit(policies, params);
  const folder = await openWorkingFolder({ workspaceDir, home: options.home }, params.cwd);
  try {
    const spawned = await granted(options, policies, params, context, folder);
    return params.background
      ? await startInBackground(options, params, context, folder, spawned)
      : await runInForeground(options, policies[0], params, context, folder, spawned, timeoutSeconds);
  } finally {
    await folder.close();
  }
}

/** What is started, as far as the grant goes. */
async function granted(
  options: ExecOptions,
  policies: ExecPolicies,
  { command }: ExecParams,
  { grant, agentId, workspaceDir }: ToolContext,
  folder: WorkingFolder,
): Promise<SpawnedCommand> {
  if (!grant) throw new CommandNotGrantedError({ problem: 'nothing allowed it' });
  const path = await searchPathFor(options, workspaceDir);
  const [own, ...above] = policies;
  const names = own.env.filter((name) => above.every(({ env }) => env.includes(name)));
  const env = { ...execEnvironment(options.variables, names).variables, PATH: path.join(':') };
  const { path: cwd } = folder;
  if (grant.kind === 'approval' && !folder.isDirect) {
    throw new CommandNotGrantedError({ problem: 'its folder is not the one that was approved any more' });
  }
  const words = grant.kind === 'policy' ? undefined : grant.argv;
  if (!words) return { file: '/bin/sh', args: ['-c', '--', command], argv0: 'sh', cwd, env };

  const argv = parseSimpleCommand(command);
  if (!argv || JSON.stringify(argv) !== JSON.stringify(words)) {
    throw new CommandNotGrantedError({ problem: 'the rule that allowed it names another command' });
  }
  // The rule may have been revoked, or a link may lead elsewhere by now.
  const rules = await rulesFor(options, policies, agentId, { argv, cwd: folder.cwd });
  const isListed = policies.every(({ security }, index) => security === 'full' || rules[index] !== undefined);
  if (!isListed || rules.every((rule) => rule === undefined)) {
    throw new CommandNotGrantedError({ problem: 'the rule that allowed it is gone' });
  }
  const [program = '', ...args] = argv;
  const file = await findProgram(program, path, folder.realPath);
  if (file === undefined) throw new ProgramMissingError({ program });
  return { file, args, argv0: program, cwd, env };
}

/** Where programs are looked for, and what they run in their turn: never in the workspace, even for an allowed command. */
async function searchPathFor({ variables }: ExecOptions, workspaceDir: string): Promise<readonly string[]> {
  const outside = await foldersOutside(searchPath(variables.PATH), workspaceDir);
  return searchPath(outside.join(':'));
}

async function startInBackground(
  { processes }: ExecOptions,
  { command }: ExecParams,
  { agentId, sessionKey, runId }: ToolContext,
  { cwd }: WorkingFolder,
  spawned: SpawnedCommand,
): Promise<ToolOutput> {
  const { id, pid } = await processes.start({ agentId, sessionKey, runId, command, cwd, spawned });
  return {
    content: `Runs in the background as ${id}. See what it prints with process {"action":"poll","id":"${id}"}.`,
    details: { id, pid },
  };
}

async function runInForeground(
  options: ExecOptions,
  policy: ExecPolicy,
  { command }: ExecParams,
  { agentId, sessionKey, runId, signal }: ToolContext,
  { cwd }: WorkingFolder,
  spawned: SpawnedCommand,
  timeoutSeconds: number,
): Promise<ToolOutput> {
  const { processes, now } = options;
  const id = processes.newId();
  const startedAt = now();
  const output = new CommandOutput({
    file: processes.outputFileOf(id),
    maxChars: policy.maxOutputChars,
  });
  let end: CommandEnd;
  try {
    end = await runCommand(spawned, output, { timeoutMs: timeoutSeconds * 1_000, signal });
  } catch (error) {
    await output.discard();
    throw error;
  }
  if (end.endedFor === 'stop') {
    await output.discard();
    throw signal.reason;
  }
  const collected = await output.end(
    (offset) =>
      `All of it is in ${processes.outputFileOf(id)}; read on with process {"action":"log","id":"${id}","offset":${offset}}.`,
  );
  const endedAt = now();
  if (collected.file !== undefined) {
    const { exitCode, signal: killedBy } = end;
    const status: ProcessRow['status'] = end.endedFor === undefined ? 'ended' : 'killed';
    await processes.keepOutput({
      id,
      agentId,
      sessionKey,
      runId,
      command,
      cwd,
      outputFile: collected.file,
      startedAt,
      endedAt,
      exitCode,
      signal: killedBy,
      status,
    });
  }
  return resultOf(end, collected, timeoutSeconds, endedAt - startedAt);
}

function resultOf(end: CommandEnd, { text, bytes, file }: CollectedOutput, seconds: number, ms: number): ToolOutput {
  const { exitCode, signal } = end;
  const details: JsonObject = { exitCode, signal, ms, bytes, ...(file === undefined ? {} : { outputFile: file }) };
  const printed = text === '' ? '[No output.]' : withoutLastLineEnds(text);
  const content = `${printed}\n\n[${[...endingOf(end, seconds)].join(' ')}]`;
  const isGood = exitCode === 0 && end.endedFor === undefined;
  return { content, ...(isGood ? {} : { isError: true as const }), details };
}

function* endingOf({ exitCode, signal, endedFor, leftSomething }: CommandEnd, seconds: number): Generator<string> {
  if (endedFor === 'time') yield `Ended because its ${seconds} second${seconds === 1 ? ' was' : 's were'} over.`;
  if (endedFor === 'output') yield 'Ended because it printed too much.';
  yield exitCode === null ? `Killed by ${signal}.` : `Exit code ${exitCode}.`;
  if (leftSomething && endedFor === undefined) {
    yield 'What it had started and left running was ended; use background for what should go on.';
  }
}
