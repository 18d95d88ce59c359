// The rule for files that must not be shown where several people read, for prompts and tools alike, and the words in
// which both say so. Names are compared without regard to case, because some file systems do not regard it either.

/** Why such a file is left out, as reports and tools say it. */
export const SEVERAL_PEOPLE_READ = 'several people read this surface';

/** True when one of the withheld names is meant. */
export function isWithheldName(withheld: readonly string[], name: string): boolean {
  return withheld.some((each) => each.toLowerCase() === name.toLowerCase());
}
