// A pure function of a text that remembers its latest answers, for questions that every run asks about the same few texts.
// The caller promises that the same text always has the same answer, and that no code changes an answer.

/** A longer text is worked out each time, so that what is remembered stays small. */
const LONGEST_TEXT = 512;

/** Remembers at most `most` answers, to texts of at most `longest` characters; the oldest is forgotten first. */
export function remembered<Answer>(
  most: number,
  answerOf: (text: string) => Answer,
  longest: number = LONGEST_TEXT,
): (text: string) => Answer {
  const known = new Map<string, Answer>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const answer = answerOf(text);
    if (text.length > longest) return answer;
    const [oldest] = known.size < most ? [] : known.keys();
    if (oldest !== undefined) known.delete(oldest);
    known.set(text, answer);
    return answer;
  };
}
