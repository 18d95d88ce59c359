// What can happen to a run that waits for a person: it is answered, its time is over, or it is stopped. In each case
// the run goes on, clients that watch see it, and the place where the question was asked is told the outcome.

import type { DeliveryPort } from '../../agent/run-parts.ts';
import type { Tell } from '../../facts/facts.ts';
import type { ApprovalDecision, ApprovalResolution } from '../../protocol/approval-decision.ts';
import { describeDecision } from '../../protocol/approval-decision.ts';
import { type Surface, surfaceId } from '../../protocol/inbound.ts';
import type { LiveEvent } from '../../protocol/live-event.ts';
import { newId } from '../../protocol/new-id.ts';
import type { DueClock } from '../../store/due-clock.ts';
import { PreconditionFailedError } from '../../store/errors.ts';
import type { Store, Write } from '../../store/store.ts';
import type { ApprovalRow, InboxRow } from '../../store/tables.ts';
import { answerApproval } from '../../tools/approvals/answer-approval.ts';
import { createApprovalClock } from '../../tools/approvals/approval-clock.ts';
import { cancelApprovals } from '../../tools/approvals/cancel-approvals.ts';
import { UnknownAllowRuleError } from '../errors.ts';

export interface ApprovalsParts {
  readonly store: Store;
  readonly delivery: DeliveryPort;
  readonly wakeLane: (sessionKey: string) => void;
  readonly tell: Tell;
  readonly subscribe: (listener: (event: LiveEvent) => void) => () => void;
  /** Set where several nodes share the store: whether this one ends what has waited for too long. */
  readonly isMine?: (() => boolean) | undefined;
  readonly now: () => number;
  readonly warn: (sentence: string) => void;
}

/** The person who answers, and the place, as far as it is known. */
export interface ApprovalSource {
  /** The name in the record: `web`, `cli`, `api`, a sender, or `time`. */
  readonly by: string;
  /** Where the answer was typed; people at that place see it anyway. */
  readonly surface?: Surface | undefined;
}

export class Approvals {
  readonly #parts: ApprovalsParts;
  readonly #clock: DueClock<string>;
  #unsubscribe: () => void = () => {};

  constructor(parts: ApprovalsParts) {
    this.#parts = parts;
    const { store, isMine, now, warn } = parts;
    this.#clock = createApprovalClock({
      store,
      isMine,
      now,
      warn,
      expire: (id) => this.#resolve(id, 'timeout', { by: 'time' }),
    });
  }

  async open(): Promise<void> {
    this.#unsubscribe = this.#parts.subscribe(({ type }) => {
      if (type === 'approval-start') void this.#clock.look();
    });
    await this.#clock.open();
  }

  /** Ends what has waited for too long, where this is for this node to do. */
  look(): Promise<void> {
    return this.#clock.look();
  }

  async close(): Promise<void> {
    this.#unsubscribe();
    await this.#clock.close();
  }

  /**
   * Rejects with UnknownApprovalError, ApprovalAnsweredError or DecisionNotAllowedError, and then nothing has changed.
   */
  async answer(id: string, decision: ApprovalDecision, source: ApprovalSource): Promise<ApprovalRow> {
    // A timer does not run while the machine sleeps, and a channel may deliver answers that were sent while the gateway
    // was down. So expired approvals are ended first, and such an answer comes too late.
    await this.#clock.endNow();
    return this.#resolve(id, decision, source);
  }

  /** Stops a run that waits for a person. False when the run does not. */
  async cancel(runId: string, reason: string): Promise<boolean> {
    const { store, now } = this.#parts;
    const cancelled = await cancelApprovals(store, { runId, reason, now: now() });
    for (const approval of cancelled) this.#tell(approval);
    return cancelled.length > 0;
  }

  /** Rejects with UnknownAllowRuleError when there is no rule of this id. */
  async revokeRule(id: string): Promise<void> {
    try {
      await this.#parts.store.commit([{ remove: 'allowRules', where: { id }, expect: 1 }], {
        site: 'allow-rule',
        waits: true,
      });
    } catch (error) {
      throw error instanceof PreconditionFailedError ? new UnknownAllowRuleError({ ruleId: id.slice(0, 100) }) : error;
    }
  }

  /** The trigger that started a run. */
  async #originOf(runId: string): Promise<InboxRow | undefined> {
    const [origin] = await this.#parts.store.select('inbox', {
      where: { runId },
      orderBy: [['seq', 'asc']],
      limit: 1,
    });
    return origin;
  }

  async #resolve(id: string, decision: ApprovalResolution, source: ApprovalSource): Promise<ApprovalRow> {
    const { store, now, delivery } = this.#parts;
    const answered = await answerApproval(store, {
      id,
      decision,
      by: source.by,
      now: now(),
      also: (approval) => this.#news(approval, source),
    });
    this.#tell(answered);
    delivery.wake();
    return answered;
  }

  #tell({ id: approvalId, runId, sessionKey, decision, decidedBy }: ApprovalRow): void {
    const { tell, wakeLane } = this.#parts;
    void tell('approval-answered', {
      runId,
      sessionKey,
      approvalId,
      decision: decision ?? 'void',
      by: decidedBy ?? '',
    });
    wakeLane(sessionKey);
  }

  /** The note for the place where the question was asked, when the answer was given elsewhere. */
  async #news(approval: ApprovalRow, { by, surface: typedAt }: ApprovalSource): Promise<readonly Write[]> {
    const { delivery, now } = this.#parts;
    const { id, runId, sessionKey, agentId, title, decision } = approval;
    const surface = (await this.#originOf(runId))?.payload?.inbound.surface;
    if (!surface || !isElsewhere(surface, by, typedAt)) return [];
    const who = decision === 'timeout' ? '' : ` by ${by}`;
    const noteId = newId('note', now());
    const { rows } = await delivery.plan({
      runId: noteId,
      sessionKey,
      surface,
      text: `Approval ${id} (${title}): ${describeDecision(approval)}${who}.`,
      isLiteral: true,
      context: { agentId, sessionKey, runId: noteId },
    });
    return rows.map((row) => ({ insert: 'outbox', row }));
  }
}

/**
 * A client of the API gets its answer and reads no notes. A page shows the outcome of its button on its card; a
 * terminal shows no such thing, and `atrium approvals answer` runs in another terminal.
 */
function isElsewhere(asked: Surface, by: string, typedAt: Surface | undefined): boolean {
  if (asked.channel === 'api') return false;
  return typedAt ? surfaceId(asked) !== surfaceId(typedAt) : asked.channel !== 'web' || by !== 'web';
}
