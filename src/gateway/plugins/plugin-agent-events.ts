// Tells plugins what happens in runs, in the contract's streams. Runs do not wait for them: each plugin has a short
// queue, and an event that does not fit is left out. Only plugins that may read conversations get the model's words.

import type { PluginRegistry, Registered } from '../../plugins/plugin-registry.ts';
import type { JsonObject, JsonValue } from '../../protocol/json.ts';
import type { LiveEvent } from '../../protocol/live-event.ts';
import type { Say } from '../../protocol/log.ts';
import { askPlugin, reasonOf } from './ask-plugin.ts';

export interface PluginAgentEventsParts {
  readonly registry: PluginRegistry;
  readonly mayReadConversations: (pluginId: string, origin: Registered<'agent-event'>['origin']) => boolean;
  readonly warn: Say;
  readonly timeoutMs?: number | undefined;
}

type AgentEventRegistration = Registered<'agent-event'>['registration'];

interface Queue {
  waiting: JsonObject[];
  isBusy: boolean;
  hasWarned: boolean;
}

const TIMEOUT_MS = 5_000;
const MAX_WAITING = 256;
const MAX_TEXT_CHARS = 8_000;
const MAX_RUNS = 1_000;

export class PluginAgentEvents {
  readonly #parts: PluginAgentEventsParts;
  readonly #queues = new WeakMap<AgentEventRegistration, Queue>();
  /** For each run in progress, the number of its last event and its text so far. */
  readonly #runs = new Map<string, { seq: number; text: string }>();

  constructor(parts: PluginAgentEventsParts) {
    this.#parts = parts;
  }

  readonly watch = (event: LiveEvent): void => {
    const listeners = this.#parts.registry.registered('agent-event');
    if (listeners.length === 0) return;
    const told = this.#read(event);
    if (!told) return;
    for (const listener of listeners) {
      const { streams } = listener.registration;
      if (streams && streams.length > 0 && !streams.includes(told.stream)) continue;
      if (told.stream === 'assistant' && !this.#parts.mayReadConversations(listener.pluginId, listener.origin))
        continue;
      this.#queue(listener, told.event);
    }
  };

  #read(event: LiveEvent): { readonly stream: string; readonly event: JsonObject } | undefined {
    const { runId, sessionKey, at } = event;
    const run = this.#runs.get(runId) ?? { seq: 0, text: '' };
    const content = contentOf(event, run);
    if (!content) return undefined;
    run.seq += 1;
    this.#runs.delete(runId);
    if (event.type !== 'run-end') this.#runs.set(runId, run);
    if (this.#runs.size > MAX_RUNS) this.#runs.delete(this.#runs.keys().next().value ?? '');
    const { stream, data } = content;
    return { stream, event: { runId, seq: run.seq, stream, ts: at, data, sessionKey } };
  }

  #queue({ pluginId, registration }: Registered<'agent-event'>, event: JsonObject): void {
    const queue = this.#queues.get(registration) ?? { waiting: [], isBusy: false, hasWarned: false };
    this.#queues.set(registration, queue);
    if (queue.waiting.length >= MAX_WAITING) {
      if (!queue.hasWarned)
        this.#parts.warn(`The plugin "${pluginId}" is too slow for agent events; some are left out.`, { pluginId });
      queue.hasWarned = true;
      return;
    }
    queue.waiting.push(event);
    if (!queue.isBusy) void this.#drain(pluginId, registration, queue);
  }

  async #drain(pluginId: string, registration: AgentEventRegistration, queue: Queue): Promise<void> {
    queue.isBusy = true;
    const { warn, timeoutMs: ms = TIMEOUT_MS } = this.#parts;
    for (let event = queue.waiting.shift(); event !== undefined; event = queue.waiting.shift()) {
      const told = event;
      const asked = { pluginId, what: 'an agent event', ms, isHeldUp: registration.isHeldUp };
      await askPlugin(asked, () => registration.handle(told)).catch((error) => {
        if (!queue.hasWarned)
          warn(`The plugin "${pluginId}" failed at an agent event: ${reasonOf(error)}`, { pluginId });
        queue.hasWarned = true;
      });
    }
    queue.isBusy = false;
  }
}

interface StreamContent {
  readonly stream: 'lifecycle' | 'assistant' | 'tool' | 'approval';
  readonly data: JsonObject;
}

function contentOf(event: LiveEvent, run: { text: string }): StreamContent | undefined {
  switch (event.type) {
    case 'run-start':
      return { stream: 'lifecycle', data: { phase: 'start', startedAt: event.at, attempt: event.attempt } };
    case 'run-end': {
      const { status, error, at } = event;
      const phase = status === 'done' ? 'end' : 'error';
      return { stream: 'lifecycle', data: { phase, endedAt: at, status, ...(error === undefined ? {} : { error }) } };
    }
    case 'text-delta':
      run.text = `${run.text}${event.text}`.slice(-MAX_TEXT_CHARS);
      return { stream: 'assistant', data: { text: run.text, delta: event.text.slice(0, MAX_TEXT_CHARS) } };
    case 'text-reset':
      run.text = '';
      return { stream: 'assistant', data: { text: '', delta: '', replace: true } };
    case 'tool-start': {
      const { name, toolCallId, params } = event;
      return { stream: 'tool', data: { phase: 'start', name, toolCallId, args: bounded(params) } };
    }
    case 'tool-end': {
      const { name, toolCallId, isError, ms, content } = event;
      const result = content.slice(0, MAX_TEXT_CHARS);
      return { stream: 'tool', data: { phase: 'result', name, toolCallId, isError, durationMs: ms, result } };
    }
    case 'approval-start': {
      const { approvalId, title, toolName } = event;
      return { stream: 'approval', data: { phase: 'requested', status: 'pending', approvalId, title, name: toolName } };
    }
    case 'approval-end': {
      const { approvalId, decision } = event;
      const status = decision.startsWith('allow') ? 'approved' : 'denied';
      return { stream: 'approval', data: { phase: 'resolved', status, approvalId, reason: decision } };
    }
    default:
      return undefined;
  }
}

function bounded(value: JsonValue): JsonValue {
  const text = JSON.stringify(value) ?? '';
  return text.length <= MAX_TEXT_CHARS ? value : `${text.slice(0, MAX_TEXT_CHARS)}…`;
}
