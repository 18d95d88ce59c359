// Lets so many things go on at once, and the others wait in order. For what a plugin asks of the gateway: one that asks
// for a thousand things at once waits for itself, and everybody else is served in between.

export function fewAtATime(most: number): <Value>(begin: () => Promise<Value>) => Promise<Value> {
  const waiting: (() => void)[] = [];
  let going = 0;
  return async (begin) => {
    if (going >= most) await new Promise<void>((resume) => waiting.push(resume));
    else going += 1;
    try {
      return await begin();
    } finally {
      // Whoever waits takes the place over, after everything else that was ready has had its turn.
      const next = waiting.shift();
      if (next) setImmediate(next);
      else going -= 1;
    }
  };
}
