// Reads the log of a gateway as somebody does who looks for what went wrong: which sentences are in it, and how often.
// Sentences that differ only in names, numbers and ids are the same one.

export interface LoggedSentence {
  readonly sentence: string;
  readonly count: number;
}

/** The most frequent first. */
export function readLog(text: string): readonly LoggedSentence[] {
  const counts = new Map<string, number>();
  for (const line of text.split('\n')) {
    const [, sentence] = /^\d{4}-\S+Z (?:warning|info): (.*)$/.exec(line) ?? [];
    if (sentence === undefined) continue;
    const plain = sentence
      .replace(/\b(?:run|dead|call|appr|sess)_\w+/g, '<id>')
      .replace(/person-\d+(?:\.\d+)?/g, '<person>')
      .replace(/\d[\d.,]*/g, '<n>');
    counts.set(plain, (counts.get(plain) ?? 0) + 1);
  }
  return [...counts].map(([sentence, count]) => ({ sentence, count })).sort((a, b) => b.count - a.count);
}
