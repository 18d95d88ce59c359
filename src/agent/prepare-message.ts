// Collects what plugins add to this message: texts that they queued, and what they add now. Queued texts are only read
// here; the commit of the request binds them, and the commit of the result consumes them.

import type { QueuedInjection } from '../hooks/agent-hooks.ts';
import type { InjectionRow } from '../store/tables.ts';
import { askingIn, type DraftMode, type RunSubject } from './draft-request.ts';
import type { DraftParts } from './run-parts.ts';
import { toldHistory } from './told-history.ts';

export interface PreparedMessage {
  readonly injections: readonly InjectionRow[];
  /** In the order in which they stand before and after the message. */
  readonly prepend: readonly Contribution[];
  readonly append: readonly Contribution[];
  readonly placeholders: readonly string[];
}

export interface Contribution {
  readonly origin: string;
  readonly text: string;
  /**
   * How long requests show this piece: in its own run only, or until a compaction makes room. Without it, the piece is
   * always shown.
   */
  readonly told?: 'once' | 'until-compaction' | undefined;
}

export async function prepareMessage(parts: DraftParts, run: RunSubject, mode: DraftMode): Promise<PreparedMessage> {
  const { hooks } = parts;
  const options = { signal: run.signal, ...askingIn(mode) };
  const injections = await queuedInjections(parts, run);
  const prepared = await hooks.run(
    'agent_turn_prepare',
    {
      prompt: run.text,
      messages: toldHistory(parts.hooks, 'agent_turn_prepare', run),
      queuedInjections: injections.map(queuedInjectionOf),
    },
    run.context,
    options,
  );
  const heartbeat =
    run.trigger === 'heartbeat'
      ? await hooks.run(
          'heartbeat_prompt_contribution',
          { sessionKey: run.sessionKey, agentId: run.agentId, heartbeatName: run.inbound.sender.id },
          run.context,
          options,
        )
      : undefined;
  const queued = (placement: InjectionRow['placement']) =>
    injections
      .filter((each) => each.placement === placement)
      .map(({ owner, text }) => ({ origin: injectionAuthor(owner), text }));
  return {
    injections,
    prepend: [
      ...queued('prepend'),
      ...contributionsOf(prepared, 'agent_turn_prepare', 'prependContext'),
      ...(heartbeat ? contributionsOf(heartbeat, 'heartbeat_prompt_contribution', 'prependContext') : []),
    ],
    append: [
      ...queued('append'),
      ...contributionsOf(prepared, 'agent_turn_prepare', 'appendContext'),
      ...(heartbeat ? contributionsOf(heartbeat, 'heartbeat_prompt_contribution', 'appendContext') : []),
    ],
    placeholders: [...prepared.skipped, ...(heartbeat?.skipped ?? [])],
  };
}

/** The author name of a queued text. */
export function injectionAuthor(owner: string): string {
  return `injection of ${owner}`;
}

/** What each handler added, in order; empty texts are left out. */
export function contributionsOf(
  answer: {
    readonly contributions: readonly {
      readonly field: string;
      readonly owner: string;
      readonly value: unknown;
      readonly ephemeral: boolean;
    }[];
  },
  hook: string,
  field: string,
): Contribution[] {
  return answer.contributions
    .filter((each) => each.field === field && typeof each.value === 'string' && each.value !== '')
    .map(({ owner, value, ephemeral }) => ({
      origin: `${hook} of ${owner}`,
      text: String(value),
      told: ephemeral ? 'once' : 'until-compaction',
    }));
}

function queuedInjectionOf(row: InjectionRow): QueuedInjection {
  const { id, owner, text, placement, idempotencyKey, createdAt, expiresAt } = row;
  return {
    id,
    pluginId: owner,
    text,
    placement: placement === 'prepend' ? 'prepend_context' : 'append_context',
    createdAt,
    ...(idempotencyKey === null ? {} : { idempotencyKey }),
    ...(expiresAt === null ? {} : { expiresAt }),
  };
}

async function queuedInjections(
  parts: DraftParts,
  { sessionKey, startedAt, wouldStartOver }: RunSubject,
): Promise<readonly InjectionRow[]> {
  const rows = await parts.store.select('injections', {
    where: { sessionKey, status: 'queued' },
    orderBy: [['seq', 'asc']],
  });
  const isForThis = ({ createdAt }: InjectionRow) => !wouldStartOver || createdAt >= startedAt;
  return rows.filter((row) => (row.expiresAt === null || row.expiresAt > startedAt) && isForThis(row));
}
