// Does a change of a text again on another text: what was put around it is put around the other one; a change inside is
// done where its surroundings are the same, and nowhere else. Undefined when the change has no place there, or several.

/** Two long texts with little in common are not compared longer than this. */
const COMPARE_MS = 2_000;

export async function rebaseText(before: string, after: string, now: string): Promise<string | undefined> {
  if (now === before) return after;
  if (after === before) return now;
  if (before !== '') {
    const at = after.indexOf(before);
    if (at !== -1) return after.slice(0, at) + now + after.slice(at + before.length);
  }
  const { structuredPatch, applyPatch } = await import('diff');
  const patch = structuredPatch('', '', before, after, undefined, undefined, { timeout: COMPARE_MS, context: 1 });
  if (!patch || before === '' || !patch.hunks.every(({ lines }) => hasOnePlace(lines, now))) return undefined;
  const patched = applyPatch(now, patch, { fuzzFactor: 0, autoConvertLineEndings: false });
  return patched === false ? undefined : patched;
}

/** Lines that occur several times would let a change slip to the wrong place. */
function hasOnePlace(hunk: readonly string[], now: string): boolean {
  const old = hunk.filter((line) => line.startsWith(' ') || line.startsWith('-')).map((line) => line.slice(1));
  const lines = now.split('\n');
  let places = 0;
  for (let start = 0; start + old.length <= lines.length; start++) {
    if (old.every((line, index) => lines[start + index] === line)) places += 1;
  }
  return places === 1;
}
