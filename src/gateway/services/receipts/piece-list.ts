// A set of piece numbers as a short text: ascending, the first number and then the distance of each to the one before it. The
// messages of a conversation are numbered one after the other, so the distances are small.

export function packPieces(numbers: Iterable<number>): string {
  let before = 0;
  const distances = [...new Set(numbers)]
    .sort((a, b) => a - b)
    .map((number) => {
      const distance = number - before;
      before = number;
      return distance;
    });
  return distances.join(' ');
}

/** Returns the numbers for which `isWanted` holds. A question reads the lists of all runs, so nothing else is made of them. */
export function findInPieces(packed: string, isWanted: (number: number) => boolean): readonly number[] {
  const found: number[] = [];
  let number = 0;
  let distance = 0;
  for (let at = 0; at <= packed.length; at += 1) {
    const digit = packed.charCodeAt(at) - ZERO;
    if (digit >= 0 && digit <= 9) distance = distance * 10 + digit;
    else if (distance > 0) {
      number += distance;
      distance = 0;
      if (isWanted(number)) found.push(number);
    }
  }
  return found;
}

const ZERO = 0x30;
