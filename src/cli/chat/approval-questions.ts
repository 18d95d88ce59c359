// The approvals that wait while a person is in a chat, asked one after the other, each answered with one key. An answer
// is sent as the command that could be typed instead.

import type { ServerFrame } from '../../channels/server-frame.ts';
import { oneLine } from '../output/text.ts';
import type { KeyQuestion } from './chat-prompt.ts';
import type { WaitingApproval } from './waiting-approvals.ts';

export interface ApprovalQuestionsPorts {
  readonly ask: (question: KeyQuestion | undefined) => void;
  /** Sends the command. */
  readonly answer: (command: string) => void;
}

const KEYS = { y: 'allow-once', a: 'allow-always', n: 'deny' } as const;
const WORDS = { y: 'once', a: 'always', n: 'deny' } as const;
const LONGEST_TITLE = 40;

export class ApprovalQuestions {
  readonly #ports: ApprovalQuestionsPorts;
  readonly #waiting = new Map<string, WaitingApproval>();
  #asked: string | undefined;

  constructor(ports: ApprovalQuestionsPorts) {
    this.#ports = ports;
  }

  /** The ids, the oldest first. */
  get ids(): readonly string[] {
    return [...this.#waiting.keys()];
  }

  see(frame: ServerFrame): void {
    if (frame.type === 'approval-start') this.add({ ...frame, id: frame.approvalId });
    if (frame.type === 'approval-end') this.#remove(frame.approvalId);
  }

  add(approval: WaitingApproval): void {
    this.#waiting.set(approval.id, approval);
    this.#askNext();
  }

  /** Asks again, for a prompt that was not there before. */
  repeat(): void {
    this.#asked = undefined;
    this.#askNext();
  }

  #remove(id: string): void {
    this.#waiting.delete(id);
    this.#askNext();
  }

  #askNext(): void {
    const [next] = this.#waiting.values();
    if (next?.id === this.#asked) return;
    this.#asked = next?.id;
    this.#ports.ask(next && this.#questionOf(next));
  }

  #questionOf({ id, title, allowedDecisions }: WaitingApproval): KeyQuestion {
    const possible = (Object.keys(KEYS) as (keyof typeof KEYS)[]).filter((key) => allowedDecisions.includes(KEYS[key]));
    const choices = possible.map((key) => `${key} ${WORDS[key]}`).join(', ');
    return {
      text: `${[...oneLine(title)].slice(0, LONGEST_TITLE).join('')} (${choices}) > `,
      keys: Object.fromEntries(
        possible.map((key) => [
          key,
          () => {
            this.#remove(id);
            this.#ports.answer(`/approve ${id} ${KEYS[key]}`);
          },
        ]),
      ),
    };
  }
}
