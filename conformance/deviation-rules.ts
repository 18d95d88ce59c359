// Where we differ from the reference on purpose, as rules: each says for which inputs, and why. A case that differs and to
// which a rule applies deviates; one that no rule explains has failed. `deviations.json` names the recorded cases with
// the same reasons, and a test keeps the two equal. Every rule explains a case that differs, or it has to go; none applies
// to a case that agrees, or it could hide a mistake there. So rules look at what the reference answered as well.

import { decodeStandIns } from './compare.ts';
import { type ContentSpec, expandContent } from './content-spec.ts';
import type { VectorCase } from './vector-suite.ts';

export interface DeviationRule {
  readonly suite: string;
  /** The functions of the suite that it is about; all of them when none is named. */
  readonly functions?: readonly string[];
  readonly reason: string;
  readonly applies: (input: Fields, output: Fields) => boolean;
}

export function explainDeviation(suite: string, { fn, input, output }: VectorCase): DeviationRule | undefined {
  return DEVIATION_RULES.find(
    (rule) =>
      rule.suite === suite &&
      (rule.functions?.includes(fn) ?? true) &&
      rule.applies(fieldsOf(decodeStandIns(input)), fieldsOf(output)),
  );
}

type Fields = Readonly<Record<string, unknown>>;

export const DEVIATION_RULES: readonly DeviationRule[] = [
  {
    suite: 'sessions-spawn',
    functions: ['sessionsSpawnSchema'],
    reason:
      'The parameters name expectsCompletionMessage, so that a model can use it; the reference honours it and does not say so.',
    applies: () => true,
  },
  {
    suite: 'workspace-dir',
    functions: ['resolveAgentWorkspaceDir'],
    reason:
      'An agent other than the default one lives in <state>/workspace-<id>, as the design says; the sub-folder of the shared workspace is used only where it exists.',
    applies: ({ cfg }, { agentDir, defaultAgentId }) =>
      String(at(cfg, 'agents', 'defaults', 'workspace') ?? '').trim() !== '' &&
      !String(agentDir).endsWith(`/agents/${defaultAgentId}/agent`),
  },
  {
    suite: 'workspace-load',
    functions: ['loadWorkspaceBootstrapFiles'],
    reason:
      'A file memory.md is loaded, once and also beside MEMORY.md, as the design says; the reference stopped doing so.',
    applies: ({ workspace }) =>
      'memory.md' in fieldsOf(workspace) && at(workspace, 'MEMORY.md', 'symlink') !== 'memory.md',
  },
  {
    suite: 'workspace-load',
    functions: ['loadWorkspaceBootstrapFiles'],
    reason: 'A file that begins as UTF-16 is decoded, or named as no text; the reference hands it on as broken UTF-8.',
    applies: ({ workspace }) =>
      Object.values(fieldsOf(workspace)).some((entry) => IS_UTF16.test(String(at(entry, 'base64') ?? ''))),
  },
  {
    suite: 'workspace-load',
    functions: ['loadExtraBootstrapFilesWithDiagnostics'],
    reason:
      'A pattern stands for files, so a folder that it would match is none of its matches and is not complained about.',
    applies: ({ workspace, patterns }, { diagnostics }) =>
      Array.isArray(patterns) &&
      patterns.some((pattern) => /[*?{]/.test(String(pattern))) &&
      listOf(diagnostics).some(({ path }) => isFolderIn(workspace, String(path).replace('$WS/', ''))),
  },
  {
    suite: 'truncation-budget',
    reason:
      'Room that the policy digest does not need goes to the start and the end of AGENTS.md; the reference leaves it empty and loses that much text.',
    applies: ({ files, opts }, output) => {
      const most = Number(at(opts, 'maxChars') ?? 12_000);
      const unused = most - Number(listOf(output.files)[0]?.length);
      return (
        listOf(files).some((file) => isAgentsFile(file) && lengthOf(file) > most) &&
        unused > Math.max(LEAST_ROOM, most / 20)
      );
    },
  },
  {
    suite: 'truncation-budget',
    reason: 'A cut never splits a surrogate pair, so a text there may be one unit shorter.',
    applies: (_, output) => HAS_HALF_PAIR.test(JSON.stringify(output)),
  },
  {
    suite: 'truncation-budget',
    reason:
      'A file that fits into what is left is never dropped because a larger one came first, and a large one gives way a little to a small one behind it.',
    applies: ({ files, opts }, output) => {
      const total = Number(at(opts, 'totalMaxChars') ?? 60_000);
      const most = Number(at(opts, 'maxChars') ?? 12_000);
      const kept = listOf(output.files);
      const room = total - Number(output.total);
      const dropped = listOf(files).filter(
        (file) => file.content !== undefined && !kept.some(({ path }) => path === String(file.path).trim()),
      );
      return dropped.some((file) => {
        const wanted = Math.min(lengthOf(file), most);
        const givesWay = kept.some(({ path, length }) => Number(length) > wanted && !isMissingAt(files, path));
        return wanted > 0 && wanted <= LEAST_ROOM && (Math.min(wanted, total) <= room || givesWay);
      });
    },
  },
  {
    suite: 'session-filter',
    reason:
      'A handler that leaves no list of files is named in the warnings; the reference drops its change without a word.',
    applies: ({ handlers }) => listOf(handlers).some(({ replace }) => replace !== undefined && !Array.isArray(replace)),
  },
  {
    suite: 'session-filter',
    reason:
      'A handler that throws has changed nothing: its draft is dropped as a whole instead of half of it being kept.',
    applies: ({ handlers }) => listOf(handlers).some((handler) => 'throw' in handler),
  },
  {
    suite: 'session-filter',
    reason:
      'The session filter runs again after the handlers and knows the session by its id as well, so no handler can bring MEMORY.md to a subagent or a job.',
    applies: ({ params }, { files }) =>
      IS_FILTERED.test(String(at(params, 'sessionKey') ?? at(params, 'sessionId'))) &&
      listOf(files).some(({ name }) => !READ_BY_ALL.has(String(name))),
  },
  {
    suite: 'session-filter',
    reason:
      'What a session does not read is left out before the handlers as well as after them: BOOTSTRAP.md where there is no first conversation, HEARTBEAT.md where its guidance is off. The reference leaves them out later.',
    applies: ({ params, workspace, handlers }, { files, hookCalls }) => {
      const key = String(at(params, 'sessionKey') ?? at(params, 'sessionId') ?? '');
      const isNoFirst = /(?:^|:)acp:/i.test(key) || /:heartbeat$/i.test(key) || at(params, 'runKind') === 'heartbeat';
      if (isNoFirst) return JSON.stringify([files, hookCalls]).includes('BOOTSTRAP.md');
      return (
        listOf(handlers).length > 0 &&
        at(params, 'config', 'agents') !== undefined &&
        'HEARTBEAT.md' in fieldsOf(workspace)
      );
    },
  },
  {
    suite: 'session-filter',
    functions: ['getOrLoadBootstrapFiles'],
    reason:
      'Unchanged files are remembered one by one, and every load returns a list of its own, so no two runs can share one.',
    applies: () => true,
  },
  {
    suite: 'bootstrap-state',
    functions: ['ensureAgentWorkspace'],
    reason:
      'Nothing in a workspace is ever deleted: where its first run is over, BOOTSTRAP.md stays and is left out of prompts, and a first run that was recorded goes on until the file is gone.',
    applies: ({ tree, times }, { files }) => {
      const isOver = String(at(tree, '.openclaw/workspace-state.json')).includes('setupCompletedAt');
      const isDeleted = Array.isArray(files) && !files.includes('BOOTSTRAP.md');
      return 'BOOTSTRAP.md' in fieldsOf(tree) && (isOver || (isDeleted && times === 1));
    },
  },
  {
    suite: 'bootstrap-state',
    functions: ['ensureAgentWorkspace'],
    reason:
      'The beginning of a template counts as untouched, also an empty file, because another process may be writing it at this moment.',
    applies: ({ tree }) => ['SOUL.md', 'IDENTITY.md', 'USER.md'].some((name) => at(tree, name) === ''),
  },
  {
    suite: 'hook-merge',
    reason: 'Every handler has an event of its own, so changing it in place changes nothing for the next one.',
    applies: ({ handlers }) => listOf(handlers).some((handler) => 'mutateEvent' in handler),
  },
  {
    suite: 'hook-merge',
    functions: ['inbound_claim_for_plugin_outcome'],
    reason: 'What a handler threw is recorded whole, on one line; the reference keeps its first line.',
    applies: ({ handlers }, { status }) =>
      status === 'error' && listOf(handlers).some(({ throws }) => String(throws).includes('\n')),
  },
  {
    suite: 'hook-merge',
    functions: ['before_agent_run', 'before_tool_call', 'before_install'],
    reason: 'A gate that fails is closed, as the design says; there is no setting that opens it.',
    applies: (input, output) =>
      !('throws' in output) &&
      called(input, output).some(
        ({ throws, delayMs, timeoutMs }) => throws !== undefined || Number(delayMs) > Number(timeoutMs),
      ),
  },
  {
    suite: 'hook-merge',
    functions: ['message_sending'],
    reason:
      'Rewritten content goes on to the next handler, as the document of the hooks says and the reference does not do.',
    applies: (input, output) =>
      'seen' in output &&
      called(input, output)
        .slice(0, -1)
        .some(({ returns }) => isText(at(returns, 'content'))),
  },
  {
    suite: 'hook-merge',
    functions: ['before_tool_call'],
    reason:
      'Rewritten parameters go on to the next handler, as the design says, so that two rewrites add up instead of the last one losing the first.',
    applies: (input, output) => {
      const kept = at(output, 'result', 'params');
      const written = called(input, output).flatMap(({ returns }) => Object.keys(fieldsOf(at(returns, 'params'))));
      return isPlainObject(kept) && written.some((name) => !(name in fieldsOf(kept)));
    },
  },
  {
    suite: 'hook-merge',
    functions: ['before_message_write', 'tool_result_persist'],
    reason:
      "A rewritten message keeps its role: a user's message that became a tool's result is one that no provider takes.",
    applies: (input, output) => {
      const role = at(output, 'result', 'message', 'role');
      return role !== undefined && role !== at(input.event, 'message', 'role');
    },
  },
  {
    suite: 'hook-merge',
    functions: ['subagent_delivery_target'],
    reason: 'An answer without an origin says nothing, and fields that nobody reads are not passed on.',
    applies: ({ handlers }) =>
      listOf(handlers).some(({ returns }) => isPlainObject(returns) && !isPlainObject(at(returns, 'origin'))),
  },
  {
    suite: 'hook-merge',
    reason: 'What an observer throws is recorded and never reaches the run; there is no setting that lets it.',
    applies: ({ runner, handlers }) =>
      at(runner, 'catchErrors') === false && listOf(handlers).some((handler) => 'throws' in handler),
  },
  {
    suite: 'hook-merge',
    reason:
      'An answer of another form than the hook has is named as invalid and dropped, and closes a gate; the reference passes it on or over.',
    applies: (input, output) =>
      at(output, 'result', 'block') !== true &&
      called(input, output).some(({ returns }) => Object.entries(fieldsOf(returns)).some(isOfAnotherForm)),
  },
  {
    suite: 'tool-call-flow',
    reason:
      'An answer of another form than the hook has is named as invalid and dropped, and closes a gate; the reference passes it on or over.',
    applies: (input, output) =>
      calledHooks(input, output).some(({ returns }) => Object.entries(fieldsOf(returns)).some(isOfAnotherForm)),
  },
  {
    suite: 'hook-merge',
    reason: 'A field that is null says nothing, and an empty text adds nothing and takes nothing away.',
    applies: (input, { result }) =>
      Object.entries(fieldsOf(result)).some(
        ([name, value]) =>
          value === null ||
          (value === '' && JOINED.has(name) && answersOf(input).some((answer) => isText(answer[name]) && answer[name])),
      ),
  },
  {
    suite: 'tool-call-flow',
    reason: 'A reason that is only blanks says nothing, so the model reads the usual sentence.',
    applies: (input) =>
      answersOf(input).some(({ blockReason, reason }) =>
        [blockReason, reason].some((text) => isText(text) && text !== '' && text.trim() === ''),
      ),
  },
  {
    suite: 'hook-merge',
    functions: ['before_dispatch'],
    reason:
      'A handler of before_dispatch may rewrite an outbound text without handling it, as the document of the hooks says.',
    applies: (input, output) =>
      called(input, output).some(({ returns }) => !at(returns, 'handled') && isText(at(returns, 'text'))),
  },
  {
    suite: 'tool-call-flow',
    reason: 'A call whose parameters are no object cannot run, so the gate tells the model instead of letting it pass.',
    applies: ({ args }, { outcome }) => !isPlainObject(at(args, 'params')) && !isPlainObject(at(outcome, 'params')),
  },
  {
    suite: 'tool-call-flow',
    reason:
      "An approval is a row in the gateway's own store: it always has an id, waits for whoever looks at it on any surface, and there is no gateway that could be out of reach.",
    applies: (input) => answersOf(input).some(asksApproval) && !isReached(fieldsOf(input.gateway)),
  },
  {
    suite: 'tool-call-flow',
    reason:
      'Whether a person has to be asked is an outcome of the gate, with all that the person would read, so there is no mode in which the gate itself only reports it.',
    applies: (input) => at(input.args, 'approvalMode') === 'report' && answersOf(input).some(asksApproval),
  },
  {
    suite: 'tool-call-flow',
    reason:
      'An approval that a trusted policy asks for does not keep ordinary handlers from being asked: they may block what the person would allow.',
    applies: (input) =>
      listOf(input.policies).some(({ returns }) => asksApproval(fieldsOf(returns))) && listOf(input.hooks).length > 0,
  },
  {
    suite: 'tool-call-flow',
    reason: 'Everyone who asked for an approval is told its outcome; the reference tells the first one only.',
    applies: (input) => count(answersOf(input), asksApproval) > 1,
  },
  {
    suite: 'tool-call-flow',
    reason:
      'Rewritten parameters go on to the next handler, as the design says, so that two rewrites add up instead of the last one losing the first.',
    applies: (input, output) =>
      calledHooks(input, output)
        .slice(0, -1)
        .some(({ returns }) => isPlainObject(at(returns, 'params'))),
  },
  {
    suite: 'tool-call-flow',
    reason: 'Handlers are shown the paths of every file tool, not of patches alone.',
    applies: ({ args }) => ['read', 'write', 'edit'].includes(String(at(args, 'toolName')).trim().toLowerCase()),
  },
  {
    suite: 'hook-registration',
    functions: ['typedHookEventContext'],
    reason:
      "A handler finds its plugin's configuration in event.context.pluginConfig, as the document of the hooks says and the reference does not do.",
    applies: () => true,
  },
  {
    suite: 'hook-registration',
    functions: ['hookNameLists'],
    reason:
      'The catalog is in the order in which a message meets the hooks, and has reply_payload_sending, which is newer than the reference.',
    applies: () => true,
  },
];

/** The reference stops adding files when less room than this is left. */
const LEAST_ROOM = 64;
/** JSON writes half of a pair as an escape, and a whole pair as it is. */
const HAS_HALF_PAIR = /\\ud[89a-f]/i;
/** In base 64: FF FE or FE FF. */
const IS_UTF16 = /^(?:\/\/[4-7]|\/v[89+/])/;
const IS_FILTERED = /(?:^|:)subagent:|:cron:/i;
/** The bootstrap files of every session, also of subagents and jobs. */
const READ_BY_ALL: ReadonlySet<string> = new Set(['AGENTS.md', 'SOUL.md', 'TOOLS.md', 'IDENTITY.md', 'USER.md']);
/** Fields in which the answers of several handlers are joined. */
const JOINED: ReadonlySet<string> = new Set([
  'prependContext',
  'appendContext',
  'prependSystemContext',
  'appendSystemContext',
]);

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}

/** The handlers that the reference has called. Names of plugins are used once in a case. */
function called({ handlers }: Fields, { calls }: Fields): readonly Fields[] {
  return listOf(handlers).filter(({ plugin }) => Array.isArray(calls) && calls.includes(plugin));
}

/** The same for the suite in which handlers are called p1, p2 … in their order. */
function calledHooks({ hooks }: Fields, { calls }: Fields): readonly Fields[] {
  const names = new Set(listOf(calls).map(({ who }) => who));
  return listOf(hooks).filter((_, index) => names.has(`p${index + 1}`));
}

function isFolderIn(workspace: unknown, path: string): boolean {
  return Object.entries(fieldsOf(workspace)).some(
    ([name, entry]) => name.startsWith(`${path}/`) || (name === path && at(entry, 'dir') === true),
  );
}

function isMissingAt(files: unknown, path: unknown): boolean {
  return listOf(files).some((file) => file.path === path && file.missing === true);
}

function isAgentsFile({ name }: Fields): boolean {
  return isText(name) && name.toLowerCase() === 'agents.md';
}

function lengthOf({ content, path }: Fields): number {
  return content === undefined
    ? `[MISSING] Expected at: ${path}`.length
    : expandContent(content as ContentSpec).trimEnd().length;
}

/** A value deep inside, by its path. */
function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, name) => fieldsOf(inner)[name], value);
}

/** What the handlers and policies of a case return. */
function answersOf({ handlers, hooks, policies }: Fields): readonly Fields[] {
  return [...listOf(policies), ...listOf(handlers), ...listOf(hooks)].map(({ returns }) => fieldsOf(returns));
}

function asksApproval({ requireApproval }: Fields): boolean {
  return typeof requireApproval === 'object' && requireApproval !== null;
}

/** The reference's gateway took the question and somebody answered, or nobody did in time. */
function isReached(gateway: Fields): boolean {
  const request = gateway['plugin.approval.request'];
  if (!at(request, 'id') || at(request, 'decision') === null) return false;
  return at(request, 'decision') !== undefined || gateway['plugin.approval.waitDecision'] !== undefined;
}

/** Fields whose type the hook's own types fix. */
function isOfAnotherForm([name, value]: readonly [string, unknown]): boolean {
  if (value === null || value === undefined) return false;
  if (name === 'action') return !['continue', 'revise', 'finalize'].includes(value as string);
  if (TEXT_FIELDS.has(name)) return !isText(value);
  if (name === 'block' || name === 'cancel') return typeof value !== 'boolean';
  if (name === 'retry') return !isPlainObject(value);
  if (name === 'params' || name === 'requireApproval') return !isPlainObject(value);
  return false;
}

const TEXT_FIELDS: ReadonlySet<string> = new Set([
  'systemPrompt',
  'prependContext',
  'appendContext',
  'prependSystemContext',
  'appendSystemContext',
  'modelOverride',
  'providerOverride',
  'content',
  'reason',
  'blockReason',
  'cancelReason',
  'text',
]);

function count<Item>(items: readonly Item[], holds: (item: Item) => boolean): number {
  return items.filter(holds).length;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isPlainObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
