// The parts of a plugin's API that are about sessions and runs: state in sessions, injections, cleanup, what the agent
// does, and notes about a run. Each stands twice in the contract, in a group and flat; here both are one function.

import type { JsonObject, JsonValue } from '../../protocol/json.ts';
import type {
  LifecycleRegistration,
  SessionActionRegistration,
  SessionExtensionRegistration,
} from '../registration.ts';
import { fieldsOf, type RegistrarParts } from './create-registrars.ts';
import type { Problem } from './registration-intake.ts';

export interface SessionGroupParts extends RegistrarParts {
  /** Returns the undo. */
  readonly onAgentEvent: (
    listener: (event: JsonObject) => unknown,
    subscription: { readonly id: string; readonly streams?: readonly string[] | undefined },
  ) => () => void;
}

export function createSessionGroups(parts: SessionGroupParts) {
  const { setup, host, intake, logger, onAgentEvent } = parts;
  const notes = new RunContextNotes();

  const enqueueNextTurnInjection = async (injection: unknown) => {
    const { sessionKey, text, idempotencyKey, placement, ttlMs } = fieldsOf(injection);
    const key = String(sessionKey ?? '');
    const queued = await host.queueInjection({
      sessionKey: key,
      text: String(text ?? ''),
      idempotencyKey: typeof idempotencyKey === 'string' ? idempotencyKey : undefined,
      placement: placement === 'append_context' || placement === 'append' ? 'append' : 'prepend',
      ttlMs: typeof ttlMs === 'number' ? ttlMs : undefined,
    });
    return { ...queued, sessionKey: key };
  };

  const registerSessionExtension = (extension: unknown) =>
    void intake.take('registerSessionExtension', registeredExtension(extension));
  const registerRuntimeLifecycle = (lifecycle: unknown) =>
    void intake.take('registerRuntimeLifecycle', registeredLifecycle(lifecycle));
  const registerSessionAction = (action: unknown) =>
    void intake.take('registerSessionAction', registeredAction(action, setup.id));

  const registerSessionSchedulerJob = (job: unknown) => {
    const { id, sessionKey, kind } = fieldsOf(job);
    const isTaken = intake.take('registerSessionSchedulerJob', registeredJob(job));
    return isTaken ? { id, pluginId: setup.id, sessionKey, kind: String(kind ?? '') } : undefined;
  };

  const registerAgentEventSubscription = (subscription: unknown): void => {
    const { id, streams, handle } = fieldsOf(subscription);
    if (typeof id !== 'string' || typeof handle !== 'function') {
      intake.refuse('registerAgentEventSubscription', 'it needs an id and a handle function');
      return;
    }
    const wanted = Array.isArray(streams) ? streams.filter((stream) => typeof stream === 'string') : undefined;
    onAgentEvent((event) => handle.call(subscription, event, notesOf(event)), { id, streams: wanted });
  };

  const notesOf = (event: JsonObject) => {
    const runId = String(event.runId ?? '');
    return {
      getRunContext: (namespace: string) => notes.get(runId, namespace),
      setRunContext: (namespace: string, value: JsonValue) => void notes.set(runId, namespace, value),
      clearRunContext: (namespace?: string) => notes.clear(runId, namespace),
    };
  };

  const runContext = {
    setRunContext: (patch: unknown): boolean => {
      const { runId, namespace, value, unset } = fieldsOf(patch);
      if (unset !== true && value !== undefined) return notes.set(String(runId), String(namespace), value);
      notes.clear(String(runId), String(namespace));
      return true;
    },
    getRunContext: (place: unknown): JsonValue | undefined => {
      const { runId, namespace } = fieldsOf(place);
      return notes.get(String(runId), String(namespace));
    },
    clearRunContext: (place: unknown): void => {
      const { runId, namespace } = fieldsOf(place);
      notes.clear(String(runId), namespace === undefined ? undefined : String(namespace));
    },
  };

  const emitAgentEvent = () => ({ emitted: false, reason: 'Events of plugins are not passed on to others.' });
  const declined = (what: string) => logger.warn(`${what} is not available; the call has no effect.`);
  const workflow = {
    enqueueNextTurnInjection,
    registerSessionSchedulerJob,
    sendSessionAttachment: async () => ({ ok: false, error: 'Plugins cannot send files to sessions.' }),
    scheduleSessionTurn: async () => declined('scheduleSessionTurn'),
    unscheduleSessionTurnsByTag: async () => ({ removed: 0, failed: 0 }),
  };
  const events = { registerAgentEventSubscription, emitAgentEvent };
  const registerControlUiDescriptor = (descriptor: unknown) =>
    intake.putAside('registerControlUiDescriptor', descriptor);

  return {
    groups: {
      session: {
        state: {
          registerSessionExtension,
          readSessionState: (place: { sessionKey: string; namespace: string }) => host.readSessionState(place),
          patchSessionState: (patch: { sessionKey: string; namespace: string; value?: JsonValue; unset?: boolean }) =>
            host.patchSessionState(patch),
        },
        workflow,
        controls: { registerSessionAction, registerControlUiDescriptor },
      },
      lifecycle: { registerRuntimeLifecycle },
      agent: { events },
      runContext,
    },
    flat: {
      ...workflow,
      ...events,
      ...runContext,
      registerSessionExtension,
      registerRuntimeLifecycle,
      registerSessionAction,
      registerControlUiDescriptor,
    },
  };
}

function registeredExtension(extension: unknown): SessionExtensionRegistration | Problem {
  const { namespace, description, project, cleanup } = fieldsOf(extension);
  if (typeof namespace !== 'string' || namespace === '') return { problem: 'it has no namespace' };
  return {
    kind: 'session-extension',
    namespace,
    description: String(description ?? ''),
    ...(typeof project === 'function' && { project: (context: object) => project.call(extension, context) }),
    ...(typeof cleanup === 'function' && { cleanup: (context: object) => cleanup.call(extension, context) }),
  };
}

function registeredLifecycle(lifecycle: unknown): LifecycleRegistration | Problem {
  const { id, cleanup } = fieldsOf(lifecycle);
  if (typeof id !== 'string' || id === '') return { problem: 'it has no id' };
  return {
    kind: 'lifecycle',
    id,
    ...(typeof cleanup === 'function' && { cleanup: (context: object) => cleanup.call(lifecycle, context) }),
  };
}

/** A job that the plugin keeps itself. Only its cleanup is registered. */
function registeredJob(job: unknown): LifecycleRegistration | Problem {
  const { id, sessionKey, cleanup } = fieldsOf(job);
  if (typeof id !== 'string' || typeof sessionKey !== 'string') return { problem: 'it needs an id and a sessionKey' };
  return {
    kind: 'lifecycle',
    id: `job:${id}`,
    // A cleanup for another session does not concern this job.
    cleanup: (context) =>
      typeof cleanup === 'function' && (context.sessionKey ?? sessionKey) === sessionKey
        ? cleanup.call(job, { reason: context.reason, sessionKey, jobId: id })
        : undefined,
  };
}

function registeredAction(action: unknown, pluginId: string): SessionActionRegistration | Problem {
  const { id, description, handler } = fieldsOf(action);
  if (typeof id !== 'string' || id === '') return { problem: 'it has no id' };
  if (typeof handler !== 'function') return { problem: `"${id}" has no handler function` };
  return {
    kind: 'session-action',
    id,
    description: typeof description === 'string' ? description : undefined,
    handler: (context) => handler.call(action, { ...context, pluginId, actionId: id }),
  };
}

class RunContextNotes {
  /** The runs in the order of their last write. */
  readonly #runs = new Map<string, Map<string, string>>();

  /** False when the value cannot be kept. */
  set(runId: string, namespace: string, value: unknown): boolean {
    const text = jsonTextOf(value);
    if (!isName(runId) || !isName(namespace) || text === undefined) return false;
    const notes = this.#runs.get(runId) ?? new Map<string, string>();
    if (!notes.has(namespace) && notes.size >= MAX_NAMESPACES) return false;
    notes.set(namespace, text);
    this.#runs.delete(runId);
    this.#runs.set(runId, notes);
    for (const oldest of this.#runs.keys()) {
      if (this.#runs.size <= MAX_RUNS) break;
      this.#runs.delete(oldest);
    }
    return true;
  }

  /** A copy, so that changing it changes nothing here. */
  get(runId: string, namespace: string): JsonValue | undefined {
    const text = this.#runs.get(runId)?.get(namespace);
    return text === undefined ? undefined : (JSON.parse(text) as JsonValue);
  }

  clear(runId: string, namespace?: string): void {
    if (namespace === undefined) this.#runs.delete(runId);
    else this.#runs.get(runId)?.delete(namespace);
  }
}

const MAX_RUNS = 200;
const MAX_NAMESPACES = 32;
const MAX_VALUE_LENGTH = 64 * 1024;

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= 200;
}

function jsonTextOf(value: unknown): string | undefined {
  try {
    const text = JSON.stringify(value);
    return text !== undefined && text.length <= MAX_VALUE_LENGTH ? text : undefined;
  } catch {
    return undefined;
  }
}
