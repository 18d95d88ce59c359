// Answers questions about prompts for those who ask a running gateway. What has ended and is not indexed yet is indexed
// first, as far as a short time allows; what is left then is read from the captures or told as not looked at.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Store } from '../../../store/store.ts';
import { findReceipts, type ReceiptAnswer, type ReceiptQuestion } from './find-receipts.ts';
import type { ReceiptIndex } from './receipt-index.ts';

export interface ReceiptsParts {
  readonly store: Store;
  /** Undefined where nothing is indexed. */
  readonly index?: Pick<ReceiptIndex, 'catchUp'> | undefined;
}

/** An answer is wanted within a second. */
const MOST_WAIT_MS = 400;

export class Receipts {
  readonly #parts: ReceiptsParts;

  constructor(parts: ReceiptsParts) {
    this.#parts = parts;
  }

  async find(question: ReceiptQuestion): Promise<ReceiptAnswer> {
    const { store, index } = this.#parts;
    // The index itself tells when it cannot be written, and the answer does without it.
    if (index) await Promise.race([index.catchUp().catch(() => {}), sleep(MOST_WAIT_MS, undefined, { ref: false })]);
    return findReceipts(store, question);
  }
}
