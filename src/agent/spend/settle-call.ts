// Counts what a call has really used in place of what was reserved for it, with the next commit of the run. A provider
// that answered and did not say what it counted is charged by our own estimate, because a limit that counts nothing would
// not protect; a call that failed before a word came costs nothing.

import { estimateTokens } from '../../context/budget/estimate-tokens.ts';
import { costOf } from '../../models/cost-of.ts';
import type { Model, ModelEnd, WireRequest } from '../../models/model.ts';
import { billionthsOf } from '../../protocol/money.ts';
import { NO_USAGE, type Usage } from '../../protocol/usage.ts';
import type { OpenRun } from '../open-run.ts';
import { estimateInput, pricesOf } from './reserve-call.ts';
import { NOTHING_USED, type SettledCall } from './run-spending.ts';

export interface EndedCall {
  readonly model: Pick<Model, 'api' | 'prices'>;
  readonly wire: WireRequest;
  readonly end: Pick<ModelEnd, 'stop' | 'usage'>;
  /** Everything that the model wrote, thoughts and tool calls included. */
  readonly heard: string;
}

export interface SettlingRun {
  readonly spending: OpenRun['spending'];
  readonly ledger: Pick<OpenRun['ledger'], 'attach'>;
}

export function settleCall({ spending, ledger }: SettlingRun, call: EndedCall): void {
  if (!spending.held) return;
  for (const write of spending.settle(usedBy(call))) ledger.attach(write);
}

function usedBy({ model, wire, end: { stop, usage }, heard }: EndedCall): SettledCall {
  // A call that failed before a word came is not charged by providers; one that we broke off is.
  const isCharged = stop !== 'error' || heard !== '';
  if (!hasTokens(usage) && !isCharged) return NOTHING_USED;
  const used = hasTokens(usage) ? usage : estimated(wire, heard);
  const cost = costOf(used, pricesOf(model));
  return {
    money: cost === undefined ? 0 : billionthsOf(cost),
    tokens: used.input + used.output,
    unpriced: cost === undefined ? 1 : 0,
  };
}

function hasTokens({ input, output }: Usage): boolean {
  return input + output > 0;
}

function estimated(wire: WireRequest, heard: string): Usage {
  return { ...NO_USAGE, input: estimateInput(wire), output: estimateTokens(heard) };
}
