// Suite session-filter: which bootstrap files a session may see, by its key and through a whole composition. Handlers
// of the cases are described in a few words, which `describedHandler` turns into real ones.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { resolveDefaultAgentId } from '../../src/config/agents.ts';
import { type Environment, readEnvironment } from '../../src/config/environment.ts';
import type { Config } from '../../src/config/schema.ts';
import type { BootstrapHandlers } from '../../src/context/bootstrap-handlers.ts';
import { emptyState } from '../../src/context/compose.ts';
import type { CompositionState, ContextPolicy } from '../../src/context/composition.ts';
import { PIPELINE } from '../../src/context/pipeline.ts';
import { ropeText } from '../../src/context/provenance/rope.ts';
import { CachedFileSource } from '../../src/context/sources/file-source.ts';
import { loadWorkspaceBootstrapFiles } from '../../src/context/sources/workspace-files.ts';
import { filterBootstrapFilesForSession } from '../../src/context/stages/filter-files.ts';
import { OPENCLAW_TAXONOMY } from '../../src/context/taxonomy.ts';
import { isSetupCompleted, loadWorkspaceState } from '../../src/context/workspace/workspace-state.ts';
import { bundledHandlers } from '../../src/gateway/composer/bundled-handlers.ts';
import { contextPolicyOf } from '../../src/gateway/composer/context-policy.ts';
import { bootstrapHandlersOf } from '../../src/gateway/composer/prepared-agents.ts';
import { HookRunner } from '../../src/hooks/runner.ts';
import {
  type AgentBootstrapHookContext,
  type InternalHookEvent,
  type InternalHookHandler,
  isAgentBootstrapEvent,
} from '../../src/protocol/bootstrap-event.ts';
import type { WorkspaceBootstrapFile } from '../../src/protocol/bootstrap-file.ts';
import { resolveAgentIdFromSessionKey } from '../../src/protocol/session-key.ts';
import { resolveSessionType } from '../../src/protocol/session-type.ts';
import type { SuiteAdapter } from '../adapter.ts';
import { type ScratchTree, type TreeSpec, withScratchTree } from '../scratch-tree.ts';

export const sessionFilter: SuiteAdapter = {
  filterBootstrapFilesForSession: (input) => {
    const { files, sessionKey } = input as FilterInput;
    const entries = files.map((file) => (typeof file === 'string' ? presentFile(file) : file));
    const kept = filterBootstrapFilesForSession(entries, sessionKey);
    return files.some((file) => typeof file === 'string') ? kept.map(({ name }) => name) : kept;
  },
  resolveBootstrapContextForRun: (input) => composeOnce(input as RunInput),
  resolveBootstrapFilesForRun: (input) => composeRepeatedly(input as TurnsInput),
  getOrLoadBootstrapFiles: () => loadRepeatedly(),
};

interface FilterInput {
  /** Names, or whole entries; the answer has the same form. */
  readonly files: readonly (string | WorkspaceBootstrapFile)[];
  readonly sessionKey?: string;
}

function presentFile(name: string): WorkspaceBootstrapFile {
  return { name, path: `/ws/${name}`, content: name, missing: false };
}

interface RunInput {
  readonly workspace: TreeSpec;
  readonly params: RunParams;
  readonly handlers: readonly (string | HandlerDescription)[];
}

interface RunParams {
  readonly sessionKey?: string;
  readonly sessionId?: string;
  readonly agentId?: string;
  readonly config?: Config;
  readonly runKind?: string;
  readonly contextMode?: 'lightweight';
}

function composeOnce(input: RunInput): Promise<unknown> {
  return inWorkspace(input.workspace, async (scratch) => {
    const { params, handlers } = scratch.toReal(input);
    const calls: unknown[] = [];
    const state = await composeUntilBudget(scratch, params, handlers, (event) => calls.push(describeCall(event)));
    return scratch.toPlaceholders({
      files: state.files.map(plainFile),
      context: state.files.flatMap((file) =>
        state.layers
          .filter((layer) => layer.file === file)
          .map(({ rope }) => ({ path: file.path, content: ropeText(rope) })),
      ),
      warnings: state.warnings,
      hookCalls: calls,
    });
  });
}

interface TurnsInput {
  readonly workspace: TreeSpec;
  readonly turns: number;
  readonly handlers: readonly HandlerDescription[];
}

function composeRepeatedly({ workspace, turns, handlers }: TurnsInput): Promise<unknown> {
  return inWorkspace(workspace, async (scratch) => {
    const files: string[][] = [];
    for (let turn = 1; turn <= turns; turn++) {
      const state = await composeUntilBudget(scratch, { sessionKey: 'agent:main:main' }, handlers, () => {}, turn);
      files.push(state.files.map((file) => `${file.name}=${file.content ?? '<missing>'}`));
    }
    return files;
  });
}

/** The steps of the one recorded case. */
function loadRepeatedly(): Promise<unknown> {
  return inWorkspace({ 'AGENTS.md': 'a' }, async (scratch) => {
    const dir = scratch.path('$WS');
    const source = new CachedFileSource();
    const load = (from = dir) => loadWorkspaceBootstrapFiles(from, { source });
    const first = await load();
    const second = await load();
    const other = await load();
    await writeFile(join(dir, 'AGENTS.md'), 'changed');
    const edited = await load();
    const slashed = await load(`${dir}/`);
    const cleared = await load();
    return {
      sameArrayOnSecondLoad: second === first,
      differentKeySameArray: other === first,
      afterEditSameArray: edited === first,
      afterEditContent: edited.find(({ name }) => name === 'AGENTS.md')?.content,
      dirSpellingSameArray: slashed === edited,
      afterClearSameArray: cleared === edited,
    };
  });
}

function inWorkspace<T>(workspace: TreeSpec, use: (scratch: ScratchTree) => Promise<T>): Promise<T> {
  return withScratchTree({ $WS: 'ws', $HOME: 'home' }, async (scratch) => {
    await scratch.write(scratch.path('$WS'), workspace);
    return use(scratch);
  });
}

interface Place {
  readonly workspaceDir: string;
  readonly environment: Environment;
  readonly files: CachedFileSource;
}

/** The stages of composition up to the point where the reference hands its files over to whoever renders them. */
async function composeUntilBudget(
  scratch: ScratchTree,
  params: RunParams,
  handlers: readonly (string | HandlerDescription)[],
  onCall: (event: InternalHookEvent) => void,
  turn = 1,
): Promise<CompositionState> {
  const place: Place = {
    workspaceDir: scratch.path('$WS'),
    environment: readEnvironment({ HOME: scratch.path('$HOME') }),
    files: new CachedFileSource(),
  };
  const { sessionKey, sessionId, config } = params;
  const agentId = params.agentId ?? (sessionKey === undefined ? undefined : resolveAgentIdFromSessionKey(sessionKey));
  const trigger = params.runKind === 'heartbeat' ? 'heartbeat' : 'user';
  const sessionType = resolveSessionType({ sessionKey: sessionKey ?? sessionId, trigger });
  let state = emptyState({
    workspaceDir: place.workspaceDir,
    home: place.environment.home,
    situation: { agentId, sessionKey, sessionId, sessionType, trigger, at: new Date(0), timezone: 'UTC' },
    taxonomy: OPENCLAW_TAXONOMY,
    policy: referencePolicy(params, agentId, place),
    files: place.files,
    handlers: runnerOf(handlers.map((handler) => describedHandler(handler, turn, place, config)).map(noting(onCall))),
    gather: {
      skills: async () => ({ skills: [], refused: [] }),
      firstRunComplete: async () => isSetupCompleted(await loadWorkspaceState(place.workspaceDir)),
    },
    config: config as Record<string, unknown> | undefined,
  });
  for (const stage of PIPELINE) {
    state = await stage.run(state);
    if (stage.name === 'budget') return state;
  }
  throw new Error('the pipeline has no stage called budget');
}

/** What the reference cannot be told, set as the reference has it: every absence is marked, and no surface is private. */
const REFERENCE_SETTINGS = {
  missingMarkers: 'all',
  sharedSurfaces: { withhold: [] },
} as const satisfies Config['bootstrap'];

function referencePolicy(params: RunParams, agentId: string | undefined, place: Place): ContextPolicy {
  const config = { ...params.config, bootstrap: REFERENCE_SETTINGS };
  const agent = agentId ?? resolveDefaultAgentId(config);
  return {
    ...contextPolicyOf(config, agent, OPENCLAW_TAXONOMY, place.environment),
    ...(params.contextMode && { contextMode: params.contextMode }),
  };
}

function runnerOf(handlers: readonly InternalHookHandler[]): BootstrapHandlers {
  const runner = new HookRunner<InternalHookHandler>();
  handlers.forEach((handler, index) => {
    runner.register({ hook: 'agent:bootstrap', id: `handler-${index}`, owner: 'conformance', handler });
  });
  return bootstrapHandlersOf(runner);
}

interface HandlerDescription {
  readonly push?: Partial<WorkspaceBootstrapFile>;
  readonly replace?: unknown;
  readonly sliceTo?: number;
  readonly setContent?: readonly [number, string];
  readonly appendContent?: readonly [number, string];
  readonly throw?: string;
}

function describedHandler(
  description: string | HandlerDescription,
  turn: number,
  place: Place,
  config: Config | undefined,
): InternalHookHandler {
  if (typeof description === 'string') return bundledHandler(description.replace(/^bundled /, ''), place, config);
  return (event) => {
    if (!isAgentBootstrapEvent(event)) return;
    edit(event.context, description, turn);
    if (description.throw !== undefined) throw new Error(description.throw);
  };
}

function edit(context: AgentBootstrapHookContext, description: HandlerDescription, turn: number): void {
  const { push, replace, sliceTo, setContent, appendContent } = description;
  const { bootstrapFiles } = context;
  if (push) bootstrapFiles.push(pushedFile(push, turn));
  if (replace !== undefined) context.bootstrapFiles = replace as WorkspaceBootstrapFile[];
  if (sliceTo !== undefined) bootstrapFiles.length = sliceTo;
  const [at, text] = setContent ?? appendContent ?? [];
  const file = at === undefined ? undefined : bootstrapFiles[at];
  if (file) file.content = setContent ? text : `${file.content ?? ''}${text}`;
}

/** A description that says nothing of the content means any; `<n>` in a path is the turn. */
function pushedFile(push: NonNullable<HandlerDescription['push']>, turn: number): WorkspaceBootstrapFile {
  const file = { content: 'x', missing: false, ...push };
  if (typeof file.path === 'string') file.path = file.path.replace('<n>', String(turn));
  return file as WorkspaceBootstrapFile;
}

/** One that is switched off is registered in the reference as well, and does nothing. */
function bundledHandler(id: string, place: Place, config: Config = {}): InternalHookHandler {
  const found = bundledHandlers({ config, environment: place.environment, ci: false }).find(
    ({ registration }) => registration.id === id,
  );
  if (found === undefined) throw new Error(`there is no bundled handler called ${id}`);
  return found.enabled ? found.registration.handler : () => {};
}

function noting(onCall: (event: InternalHookEvent) => void): (handler: InternalHookHandler) => InternalHookHandler {
  return (handler) => (event) => {
    onCall(event);
    return handler(event);
  };
}

/** What our handlers are told beyond what the reference tells them. */
const ADDED_CONTEXT = new Set(['sessionType', 'timeContext', 'channelContext']);

function describeCall(event: InternalHookEvent): unknown {
  const { type, action, sessionKey } = event;
  const context = event.context as unknown as AgentBootstrapHookContext;
  return {
    type,
    action,
    sessionKey,
    contextKeys: Object.keys(context)
      .filter((key) => !ADDED_CONTEXT.has(key))
      .sort(),
    agentId: context.agentId ?? null,
    files: context.bootstrapFiles.map(({ name }) => name),
  };
}

function plainFile({ name, path, content, missing }: CompositionState['files'][number]): WorkspaceBootstrapFile {
  return content === undefined ? { name, path, missing } : { name, path, missing, content };
}
