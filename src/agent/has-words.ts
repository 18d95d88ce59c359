// Says whether a text says anything: spaces and characters that have no width are nothing to a reader.

export function hasWords(text: string): boolean {
  return /[^\s\p{Cc}\p{Cf}\p{Cs}\u115f\u1160\u3164\uffa0]/u.test(text);
}
