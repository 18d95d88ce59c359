// What a request to a webhook asks for: a run of an agent, or an event for an agent's main session. A direct request says
// it in its body; for other requests the first mapping that matches says it, once or for each item of a list.
// Errors: WebhookRefusedError when a field has a value that it cannot have or a text is missing, WebhookUnmatchedError when
// no mapping matches. This file checks no rule about agents and sessions.

import { isPlainObject } from '../../config/plain-object.ts';
import { subpathOf, type WebhookSettings } from '../../config/webhooks.ts';
import { WebhookRefusedError, WebhookUnmatchedError } from '../errors.ts';
import { fillTemplate, type WebhookRequest } from './fill-template.ts';
import { checkFields, MAX_SECONDS } from './webhook-fields.ts';

export type WebhookAction = WakeAction | AgentAction;

export interface WakeAction {
  readonly kind: 'wake';
  readonly id: string;
  readonly text: string;
  readonly mode: 'now' | 'next-heartbeat';
  readonly agentId: string | undefined;
  readonly session: AskedSession | undefined;
}

export interface AgentAction {
  readonly kind: 'agent';
  readonly id: string;
  readonly name: string;
  readonly message: string;
  readonly agentId: string | undefined;
  readonly session: AskedSession | undefined;
  readonly isPersistent: boolean;
  /** Null when the answer stays in its session. `last` is the place where the agent was last spoken to. */
  readonly deliver: 'last' | { readonly channel: string; readonly to: string; readonly accountId?: string } | null;
  readonly model: string | undefined;
  /** Undefined is the fallbacks of the agent. */
  readonly fallbacks?: readonly string[] | undefined;
  readonly timeoutSeconds: number | undefined;
  readonly isTrusted: boolean;
}

export interface AskedSession {
  readonly key: string;
  /** True when the sender of the request has a part in it, and false when the operator wrote it. */
  readonly isFromRequest: boolean;
}

export const MAX_ITEMS = 200;

export function readWake(payload: Readonly<Record<string, unknown>>): WakeAction {
  checkFields('wake', payload);
  const text = textAt(payload, 'text');
  if (text === undefined) throw new WebhookRefusedError({ problem: '"text" is missing' });
  const mode = payload.mode === 'next-heartbeat' ? 'next-heartbeat' : 'now';
  const session = sessionAt(payload);
  if (session && mode !== 'now')
    throw new WebhookRefusedError({ problem: 'a session can be named with mode "now" only' });
  return { kind: 'wake', id: 'wake', text, mode, agentId: textAt(payload, 'agentId'), session };
}

export function readAgent(payload: Readonly<Record<string, unknown>>): AgentAction {
  checkFields('agent', payload);
  const message = textAt(payload, 'message');
  if (message === undefined) throw new WebhookRefusedError({ problem: '"message" is missing' });
  const seconds = payload.timeoutSeconds;
  return {
    kind: 'agent',
    id: 'agent',
    name: textAt(payload, 'name') ?? 'Hook',
    message,
    agentId: textAt(payload, 'agentId'),
    session: sessionAt(payload),
    isPersistent: payload.sessionMode === 'persistent',
    deliver: deliverOf({
      deliver: payload.deliver !== false,
      channel: textAt(payload, 'channel'),
      to: textAt(payload, 'to'),
      accountId: textAt(payload, 'accountId'),
    }),
    model: textAt(payload, 'model'),
    fallbacks: Array.isArray(payload.fallbacks) ? payload.fallbacks.filter((name) => name.trim() !== '') : undefined,
    timeoutSeconds: typeof seconds === 'number' ? Math.floor(seconds) : undefined,
    isTrusted: false,
  };
}

type Mapping = WebhookSettings['mappings'][number];

/** What a transform wants to be different. Null means that the request asks for nothing, undefined that it has no wish. */
export type Transform = (mapping: Mapping, request: WebhookRequest) => Promise<unknown>;

export interface MappedRequest {
  /** An empty list means that the request asks for nothing. */
  readonly actions: readonly WebhookAction[];
  /** How many items of a list were too many. */
  readonly left: number;
  /** Code has decided, which may decide otherwise about the same request the next time. */
  readonly isTransformed: boolean;
}

export async function mapRequest(
  mappings: WebhookSettings['mappings'],
  request: WebhookRequest,
  transform: Transform,
): Promise<MappedRequest> {
  const mapping = mappings.find(({ match }) => {
    const path = subpathOf(match?.path);
    const source = match?.source?.trim() || undefined;
    return (path === undefined || path === request.path) && (source === undefined || source === request.payload.source);
  });
  if (!mapping) throw new WebhookUnmatchedError({ path: request.path.slice(0, 200) });
  const actionsOf = async (each: WebhookRequest): Promise<readonly WebhookAction[]> => {
    const wanted = mapping.transform ? await transform(mapping, each) : undefined;
    return wanted === null ? [] : [actionOf(mapping, each, isPlainObject(wanted) ? wanted : {})];
  };
  const { forEach } = mapping;
  const isTransformed = mapping.transform !== undefined;
  if (forEach === undefined) return { actions: await actionsOf(request), left: 0, isTransformed };
  const list = Object.hasOwn(request.payload, forEach) ? request.payload[forEach] : undefined;
  const items: readonly unknown[] = Array.isArray(list) ? list : [];
  const actions: WebhookAction[] = [];
  for (const item of items.slice(0, MAX_ITEMS))
    actions.push(...(await actionsOf({ ...request, payload: { ...request.payload, [forEach]: [item] } })));
  return { actions, left: Math.max(0, items.length - MAX_ITEMS), isTransformed };
}

/** `wanted` is what a transform has said. Its texts are no templates. */
function actionOf(mapping: Mapping, request: WebhookRequest, wanted: Readonly<Record<string, unknown>>): WebhookAction {
  const fill = (template: string | undefined) =>
    template === undefined ? undefined : fillTemplate(template, request).trim() || undefined;
  const said = (name: string, template: string | undefined) =>
    typeof wanted[name] === 'string' ? wanted[name].trim() || undefined : fill(template);
  const { id, wakeMode = 'now' } = mapping;
  const agentId = typeof wanted.agentId === 'string' ? wanted.agentId : mapping.agentId;
  const about = `of the mapping "${id}"`;
  const kind = wanted.kind === 'wake' || wanted.kind === 'agent' ? wanted.kind : mapping.action;
  if (kind === 'wake') {
    const text = said('text', mapping.textTemplate);
    if (text === undefined) throw new WebhookRefusedError({ problem: `the text ${about} is empty` });
    const mode = wanted.mode === 'next-heartbeat' ? 'next-heartbeat' : wakeMode;
    return { kind: 'wake', id, text, mode, agentId, session: undefined };
  }
  const message = said('message', mapping.messageTemplate);
  if (message === undefined) throw new WebhookRefusedError({ problem: `the message ${about} is empty` });
  const key = said('sessionKey', mapping.sessionKey);
  if (mapping.sessionKey?.trim() && key === undefined) {
    throw new WebhookRefusedError({ problem: `the sessionKey ${about} is empty` });
  }
  // A key that a transform made counts as chosen by the request, unless its author says that it is not.
  const isFromRequest =
    typeof wanted.sessionKey === 'string'
      ? wanted.sessionKeySource !== 'static'
      : mapping.sessionKey?.includes('{{') === true;
  const deliver = typeof wanted.deliver === 'boolean' ? wanted.deliver : mapping.deliver !== false;
  const isTrusted =
    typeof wanted.allowUnsafeExternalContent === 'boolean'
      ? wanted.allowUnsafeExternalContent
      : mapping.allowUnsafeExternalContent === true;
  return {
    kind: 'agent',
    id,
    name: said('name', mapping.name) ?? 'Hook',
    message,
    agentId,
    session: key === undefined ? undefined : { key, isFromRequest },
    isPersistent: mapping.sessionMode === 'persistent',
    deliver: deliverOf({ deliver, channel: said('channel', mapping.channel), to: said('to', mapping.to) }),
    model: said('model', mapping.model),
    timeoutSeconds: isSeconds(wanted.timeoutSeconds) ? Math.floor(wanted.timeoutSeconds) : mapping.timeoutSeconds,
    isTrusted,
  };
}

function isSeconds(value: unknown): value is number {
  return typeof value === 'number' && value >= 1 && value <= MAX_SECONDS;
}

function deliverOf(asked: {
  readonly deliver: boolean;
  readonly channel: string | undefined;
  readonly to: string | undefined;
  readonly accountId?: string | undefined;
}): AgentAction['deliver'] {
  const { deliver, channel = 'last', to, accountId } = asked;
  if (!deliver) return null;
  if (channel === 'last' && to === undefined && accountId === undefined) return 'last';
  if (channel === 'last' || to === undefined) {
    throw new WebhookRefusedError({ problem: 'an answer needs both "channel" and "to", or neither' });
  }
  return { channel, to, ...(accountId !== undefined && { accountId }) };
}

function sessionAt(payload: Readonly<Record<string, unknown>>): AskedSession | undefined {
  const key = textAt(payload, 'sessionKey');
  return key === undefined ? undefined : { key, isFromRequest: true };
}

function textAt(payload: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = payload[name];
  return typeof value === 'string' ? value.trim() || undefined : undefined;
}
