// Money as a whole number of billionths, in the currency of the configured prices. Whole numbers can be added up and
// taken away in any order without a rest, which fractions cannot.

export const BILLIONTHS = 1_000_000_000;

/** What a call may cost is rounded up, so that the sum of many is never too small. */
export function billionthsAbove(money: number): number {
  return Math.ceil(Number((money * BILLIONTHS).toPrecision(15)));
}

export function billionthsOf(money: number): number {
  return Math.round(money * BILLIONTHS);
}

/** `4.10`, or `0.0123` for less than one. */
export function formatMoney(billionths: number): string {
  const money = billionths / BILLIONTHS;
  return money === 0 ? '0' : money.toFixed(Math.abs(money) < 1 ? 4 : 2);
}
