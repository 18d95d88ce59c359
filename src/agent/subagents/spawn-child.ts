// Spawns a child: checks what was asked for, and stores the child's row and its first trigger in one commit. When the
// call returns "accepted", the task survives a crash, and so does what the parent is owed for it.
//
// Errors: none for what a model asked; a refusal is an output with its reason, which the model can act on. It rejects
// when the store refuses. Promise: a call that is repeated finds the child that it spawned before.

import { randomUUID } from 'node:crypto';
import { childContextOf, spawningEventOf } from '../../facts/catalog.ts';
import type { Tell } from '../../facts/facts.ts';
import { isAtriumError } from '../../protocol/errors.ts';
import { type Inbound, type Surface, surfaceId } from '../../protocol/inbound.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { listed } from '../../protocol/listed.ts';
import type { Message } from '../../protocol/message.ts';
import { newId } from '../../protocol/new-id.ts';
import { oneLine } from '../../protocol/one-line.ts';
import { isSharedSurfaceSessionKey, isSubagentSessionKey } from '../../protocol/session-key.ts';
import type { SubagentSettings } from '../../protocol/subagent-settings.ts';
import { PreconditionFailedError } from '../../store/errors.ts';
import { attachmentsOf, nameAttachments } from '../../store/name-attachments.ts';
import type { NewRow, Store } from '../../store/store.ts';
import type { ChildRow } from '../../store/tables.ts';
import type { WithheldFiles } from '../../tools/contained-path.ts';
import { ToolInputError } from '../../tools/errors.ts';
import { OneAtATime } from '../../tools/one-at-a-time.ts';
import type { SpawnPort } from '../../tools/sessions-spawn.ts';
import type { ToolCaller, ToolOutput } from '../../tools/tool.ts';
import type { RunHooks } from '../run-parts.ts';
import { attachFiles } from './attach-files.ts';
import { surfaceOfOrigin } from './end-child.ts';
import { findChild } from './find-child.ts';
import { forkHistory } from './fork-history.ts';
import { formatTask } from './format-task.ts';
import { parseSpawnRequest, type SpawnRequest } from './parse-spawn-request.ts';
import { spawningCall } from './spawning-call.ts';

export interface SpawnParts {
  readonly store: Store;
  readonly now: () => number;
  readonly agentIds: () => readonly string[];
  /** What the operator allows the agent that spawns. */
  readonly settingsOf: (agentId: string) => SubagentSettings;
  /** The models that an agent uses as a subagent; empty when it uses its own. */
  readonly modelsOf: (agentId: string) => readonly string[];
  /** Rejects with an AtriumError when there is no such model, or when the agent may not be given it. */
  readonly checkModel: (name: string, agentId: string) => Promise<void>;
  /** The names of the tools that the run of the caller is offered. */
  readonly toolNamesOf: (caller: ToolCaller) => Promise<readonly string[]>;
  readonly hooks: RunHooks;
  readonly tell: Tell;
  readonly wakeLane: (sessionKey: string) => void;
  readonly workspaceDirOf: (agentId: string) => string;
  /** What the file tools of a child will not open. */
  readonly withheldFrom: (child: NewRow<'children'>) => Promise<WithheldFiles | undefined>;
  readonly openThread: (thread: ThreadRequest) => Promise<OpenedThread>;
}

export interface ThreadRequest {
  /** The place that the thread belongs to. */
  readonly surface: Surface;
  readonly name: string;
  /** The same key opens the same thread. */
  readonly key: string;
}

export type OpenedThread =
  | { readonly kind: 'opened'; readonly surface: Surface }
  | { readonly kind: 'refused'; readonly reason: string };

export class ChildSpawner implements SpawnPort {
  readonly #parts: SpawnParts;
  /** Calls of one session are counted one after the other, so that they cannot exceed the limit together. */
  readonly #turns = new OneAtATime();

  constructor(parts: SpawnParts) {
    this.#parts = parts;
  }

  async spawn(params: JsonObject, caller: ToolCaller): Promise<ToolOutput> {
    const parsed = parseSpawnRequest(params);
    if (parsed.kind === 'misuse') throw new ToolInputError({ tool: 'sessions_spawn', problems: [parsed.error] });
    if (parsed.kind === 'refusal') return refused('error', parsed.error, parsed.role);
    const { request } = parsed;
    const call = spawningCall(caller, params);
    return this.#turns.run(caller.sessionKey, async () => {
      const made = (await this.#find(caller.runId, call)) ?? (await this.#spawn(request, caller, call));
      return isChild(made) ? accepted(made, request) : made;
    });
  }

  async #find(parentRunId: string, call: string): Promise<ChildRow | undefined> {
    const [child] = await this.#parts.store.select('children', { where: { parentRunId, call }, limit: 1 });
    // A process that was killed may have stored the child without waking its lane.
    if (child) this.#parts.wakeLane(child.childKey);
    return child;
  }

  async #spawn(request: SpawnRequest, caller: ToolCaller, call: string): Promise<NewRow<'children'> | ToolOutput> {
    const { store, now, tell, wakeLane, settingsOf, toolNamesOf } = this.#parts;
    const settings = settingsOf(caller.agentId);
    const refusal = await this.#refusalOf(request, caller, settings);
    if (refusal) return refusal;
    const at = now();
    const agentId = request.agentId ?? caller.agentId;
    const depth = (await this.#depthOf(caller)) + 1;
    const seconds = request.runTimeoutSeconds;
    const planned: NewRow<'children'> = {
      childKey: `agent:${agentId}:subagent:${randomUUID()}`,
      parentKey: caller.sessionKey,
      parentSessionId: caller.sessionId,
      parentAgentId: caller.agentId,
      parentRunId: caller.runId,
      call,
      agentId,
      runId: newId('run', at),
      depth,
      mode: request.mode,
      context: request.context,
      task: request.task,
      taskName: request.taskName ?? null,
      label: request.label ?? null,
      models: request.model === undefined ? this.#parts.modelsOf(agentId) : [request.model],
      tools: await toolNamesOf(caller),
      origin: caller.surface,
      boundTo: null,
      boundId: null,
      // A child that stays in its thread says itself what it has to say.
      owes: request.expectsCompletionMessage ?? request.mode === 'run',
      cleanup: request.cleanup,
      runTimeoutMs: seconds === undefined ? settings.runTimeoutMs : seconds === 0 ? null : seconds * 1_000,
      createdAt: at,
      ending: null,
      endedAt: null,
      outcome: null,
      result: null,
      error: null,
      isAnswered: false,
    };
    const prepared = await this.#askPlugins(planned, request.thread);
    if (typeof prepared === 'string') return refused('error', prepared, request.agentId);
    const place = request.thread ? (prepared ?? (await this.#openThread(planned))) : undefined;
    if (place?.kind === 'refused') return refused('error', place.reason, request.agentId);
    const child = place ? { ...planned, boundTo: place.surface, boundId: surfaceId(place.surface) } : planned;
    const fork = await this.#forkOf(request, child);
    if (fork === 'private') return refused('forbidden', FORK_REFUSED, request.agentId);
    const files = await this.#attach(request, child);
    if (typeof files === 'string') return refused('error', files, request.agentId);
    const inbound: Inbound = {
      surface: child.boundTo ?? child.origin,
      sender: { id: `agent:${caller.agentId}`, name: `agent ${caller.agentId}` },
      text: formatTask({ ...child, maxSpawnDepth: settings.maxSpawnDepth, files }),
      at,
      sessionKey: child.childKey,
      agentId,
      fromAgent: { runId: caller.runId, call, path: [...(await this.#pathOf(caller.runId)), caller.sessionKey] },
    };
    try {
      await store.commit(
        [
          { insert: 'children', row: { ...child, context: fork ? 'fork' : 'isolated' } },
          {
            insert: 'inbox',
            row: {
              runId: child.runId,
              sessionKey: child.childKey,
              kind: 'spawn',
              dedupeKey: JSON.stringify(['spawn', caller.runId, call]),
              fingerprint: null,
              payload: { inbound, agentId, ...(fork ? { seed: fork } : {}) },
              acceptedAt: at,
              status: 'queued',
            },
          },
          // The images of the conversation are the child's too, also when the parent is deleted before it.
          ...nameAttachments(attachmentsOf(fork ?? []), { runId: child.runId, sessionKey: child.childKey, at }),
        ],
        { site: 'spawn' },
      );
    } catch (error) {
      // The same call was made twice at once, and the other one was committed first.
      const earlier = error instanceof PreconditionFailedError ? await this.#find(caller.runId, call) : undefined;
      if (earlier) return earlier;
      throw error;
    }
    void tell('child-spawned', { child });
    wakeLane(child.childKey);
    return child;
  }

  /** Plugins prepare the place of the child, or refuse it with a sentence. */
  async #askPlugins(child: NewRow<'children'>, threadRequested: boolean): Promise<OpenedThread | string | undefined> {
    const { hooks } = this.#parts;
    if (!hooks.has('subagent_spawning')) return undefined;
    const event = { ...spawningEventOf(child), threadRequested };
    const { result, refusal } = await hooks.run('subagent_spawning', event, childContextOf(child));
    if (result.status === 'error' || refusal) return result.error ?? refusal?.reason ?? 'A plugin refused it.';
    const surface = result.threadBindingReady ? surfaceOfOrigin(result.deliveryOrigin, child.origin) : undefined;
    return surface && { kind: 'opened', surface };
  }

  #openThread({ origin, parentRunId, call, ...child }: NewRow<'children'>): Promise<OpenedThread> {
    // A thread has no threads of its own, so from within one it is opened beside it.
    const { threadId: _, ...surface } = origin;
    const name = oneLine(child.label ?? child.taskName ?? child.task, MAX_THREAD_NAME);
    return this.#parts.openThread({ surface, name, key: JSON.stringify(['spawn', parentRunId, call]) });
  }

  /**
   * What the child knows of the conversation so far. `private` when people would read it who do not read the parent's
   * conversation; a child whose call did not ask for it then starts without it.
   */
  async #forkOf(request: SpawnRequest, child: NewRow<'children'>): Promise<readonly Message[] | 'private' | undefined> {
    // Another agent has its own files and its own people; it is told what the task says.
    if (request.context !== 'fork' || child.agentId !== child.parentAgentId) return undefined;
    const { store } = this.#parts;
    const { peer } = child.boundTo ?? child.origin;
    const parent = await findChild(store, child.parentKey);
    const isShared = parent ? parent.origin.peer.kind !== 'direct' : isSharedSurfaceSessionKey(child.parentKey);
    if (peer.kind !== 'direct' && !isShared) return request.isContextChosen ? 'private' : undefined;
    const where = { sessionId: child.parentSessionId };
    const entries = await store.select('transcript', { where, orderBy: [['position', 'asc']] });
    return forkHistory(entries, child.parentRunId);
  }

  async #attach({ attachments, mountPath }: SpawnRequest, child: NewRow<'children'>) {
    if (attachments.length === 0) return undefined;
    const { workspaceDirOf, withheldFrom } = this.#parts;
    const place = { workspaceDir: workspaceDirOf(child.agentId), withheld: await withheldFrom(child) };
    return attachFiles(place, { childKey: child.childKey, attachments, mountPath });
  }

  /** Undefined when the child may be spawned. */
  async #refusalOf(
    request: SpawnRequest,
    caller: ToolCaller,
    settings: SubagentSettings,
  ): Promise<ToolOutput | undefined> {
    const { store, agentIds, checkModel } = this.#parts;
    const { agentId: role } = request;
    const { maxSpawnDepth, maxChildren, allowAgents } = settings;
    const own = await findChild(store, caller.sessionKey);
    if (own && own.ending !== null) return refused('forbidden', 'This session is being ended.', role);
    const depth = await this.#depthOf(caller);
    if (depth >= maxSpawnDepth) {
      const why = `This session has the depth ${depth}, and agents.defaults.subagents.maxSpawnDepth is ${maxSpawnDepth}.`;
      return refused('forbidden', `No further subagent can be spawned from here. ${why} Do the work yourself.`, role);
    }
    const active = await store.count('children', { parentKey: caller.sessionKey, endedAt: null });
    if (active >= maxChildren) {
      const why = `${active} children of this session are at work, and agents.defaults.subagents.maxChildrenPerAgent is ${maxChildren}.`;
      return refused('forbidden', `${why} Wait until one of them is over.`, role);
    }
    const { taskName } = request;
    const isTaken =
      taskName !== undefined &&
      (await store.count('children', { parentKey: caller.sessionKey, taskName, endedAt: null })) > 0;
    if (isTaken) {
      const why = `A subagent of this session with the taskName "${taskName}" is still at work.`;
      return refused('error', `${why} Choose another taskName.`, role);
    }
    if (role === undefined && settings.requireAgentId) {
      return refused('forbidden', 'agents.defaults.subagents.requireAgentId is set: name the agent in agentId.');
    }
    if (role !== undefined && role !== caller.agentId) {
      const known = agentIds();
      const allowed = known.filter((id) => allowAgents.includes('*') || allowAgents.includes(id));
      const list = listed([caller.agentId, ...allowed.filter((id) => id !== caller.agentId)]);
      if (!known.includes(role)) return refused('error', `There is no agent "${role}". Allowed here: ${list}.`, role);
      if (!allowed.includes(role)) {
        return refused('forbidden', `The agent "${role}" may not be spawned from here. Allowed: ${list}.`, role);
      }
    }
    if (role !== undefined && role !== caller.agentId && request.context === 'fork' && request.isContextChosen) {
      return refused('forbidden', FORK_TO_ANOTHER_REFUSED, role);
    }
    if (request.model !== undefined) {
      try {
        await checkModel(request.model, request.agentId ?? caller.agentId);
      } catch (error) {
        if (!isAtriumError(error)) throw error;
        return refused('error', `The model "${request.model}" cannot be used. ${error.message}`, role);
      }
    }
    return undefined;
  }

  /** 0 for a session that no other session spawned. */
  async #depthOf({ sessionKey }: ToolCaller): Promise<number> {
    const child = await findChild(this.#parts.store, sessionKey);
    return child?.depth ?? (isSubagentSessionKey(sessionKey) ? 1 : 0);
  }

  /** The sessions that passed the work on to the run that spawns now. */
  async #pathOf(runId: string): Promise<readonly string[]> {
    const orderBy = [['seq', 'asc']] as const;
    const [trigger] = await this.#parts.store.select('inbox', { where: { runId }, orderBy, limit: 1 });
    return trigger?.payload?.inbound.fromAgent?.path ?? [];
  }
}

const MAX_THREAD_NAME = 80;

const FORK_TO_ANOTHER_REFUSED =
  'context="fork" is for subagents of the same agent: it would show the whole conversation, and what stands in your files, to another agent. Use context="isolated" and write down what the child needs.';

const FORK_REFUSED =
  'context="fork" would show this private conversation to the people of another place. Use context="isolated" and write down what the child needs.';

function isChild(made: NewRow<'children'> | ToolOutput): made is NewRow<'children'> {
  return 'childKey' in made;
}

function accepted(child: NewRow<'children'>, request: SpawnRequest): ToolOutput {
  const { childKey, runId, mode, boundTo, taskName, owes } = child;
  const facts = {
    status: 'accepted',
    childSessionKey: childKey,
    runId,
    mode,
    ...(boundTo?.threadId === undefined ? {} : { threadId: boundTo.threadId }),
    ...(taskName === null ? {} : { taskName }),
    ...(request.unused.length === 0 ? {} : { withoutEffect: request.unused }),
    note: owes
      ? 'It works by itself now. Its result comes later as an internal task completion event; do not wait for it by asking again and again.'
      : 'It works by itself now. You are not told of its end.',
  };
  return { content: JSON.stringify(facts), details: facts };
}

function refused(status: 'error' | 'forbidden', error: string, role?: string): ToolOutput {
  const facts = { status, error, ...(role === undefined ? {} : { role }) };
  return { content: JSON.stringify(facts), isError: true, details: facts };
}
