// What the trajectories of other nodes have about a run. A trajectory is a file of the node that recorded it, and one run may
// have records at several: it was taken up elsewhere, or its answer was sent by another node. So every member is asked, and each
// answers with the few facts that a timeline shows.
// Errors: none. A node that does not answer in time, or that is no member any more, is named.

import { randomUUID } from 'node:crypto';
import type { Cluster } from '../../cluster/cluster.ts';
import type { JsonValue } from '../../protocol/json.ts';
import type { AskedTrace, TraceLine } from '../services/read-trace.ts';
import type { FoundTraces, Traces } from './sharing.ts';

export interface SharedTracesParts {
  readonly cluster: Pick<Cluster, 'node' | 'memberId' | 'members' | 'publish' | 'subscribe'>;
  /** What this node has recorded about a run. Never rejects. */
  readonly readTrace: (asked: AskedTrace) => Promise<readonly TraceLine[]>;
  /** How long another node may take to answer. */
  readonly askMs?: number | undefined;
}

type TraceMessage =
  | (AskedTrace & { readonly kind: 'ask'; readonly id: string })
  | { readonly kind: 'answer'; readonly id: string; readonly lines: readonly TraceLine[] };

interface Question {
  /** The members that have not answered yet, by id, with the names of their nodes. */
  readonly open: Map<string, string>;
  readonly lines: TraceLine[];
  readonly answered: () => void;
}

const ASK_MS = 2_000;

export class SharedTraces implements Traces {
  readonly #parts: SharedTracesParts;
  readonly #questions = new Map<string, Question>();
  #unsubscribe: () => void = () => undefined;

  constructor(parts: SharedTracesParts) {
    this.#parts = parts;
  }

  open(): void {
    this.#unsubscribe = this.#parts.cluster.subscribe('trace', (message, from) =>
      this.#heard(message as unknown as TraceMessage, from),
    );
  }

  close(): void {
    this.#unsubscribe();
  }

  async ask({ runId, sessionId }: AskedTrace, owner: string | null): Promise<FoundTraces> {
    const { cluster } = this.#parts;
    const others = cluster.members.filter(({ id }) => id !== cluster.memberId);
    const had = nodeOf(owner);
    const isGone = had !== undefined && had !== cluster.node && !others.some(({ node }) => node === had);
    const missing = isGone
      ? [`The run was on the node "${had}", which is no member now. What only its trajectory has is missing here.`]
      : [];
    if (others.length === 0) return { lines: [], missing };
    const id = randomUUID();
    const open = new Map(others.map((member) => [member.id, member.node]));
    const lines: TraceLine[] = [];
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.#parts.askMs ?? ASK_MS);
      const answered = () => {
        clearTimeout(timer);
        resolve();
      };
      this.#questions.set(id, { open, lines, answered });
      this.#publish({ kind: 'ask', id, runId, sessionId });
    });
    this.#questions.delete(id);
    for (const node of open.values())
      missing.push(`The node "${node}" did not answer. What its trajectory has about the run is missing here.`);
    return { lines, missing };
  }

  #heard(message: TraceMessage, from: string): void {
    if (message.kind === 'ask') {
      const { id, runId, sessionId } = message;
      void this.#parts
        .readTrace({ runId, sessionId })
        .then((lines) => this.#publish({ kind: 'answer', id, lines }))
        .catch(() => undefined);
      return;
    }
    const question = this.#questions.get(message.id);
    if (!question?.open.delete(from)) return;
    question.lines.push(...message.lines);
    if (question.open.size === 0) question.answered();
  }

  #publish(message: TraceMessage): void {
    this.#parts.cluster.publish('trace', message as unknown as JsonValue);
  }
}

/** A member's id begins with the name of its node. */
function nodeOf(memberId: string | null): string | undefined {
  return memberId?.slice(0, memberId.lastIndexOf('#'));
}
