// What a script learns from a command without reading its output.

export const EXIT = {
  ok: 0,
  /** The command worked and its answer is negative: a check that differs, a workspace that is not valid. */
  finding: 1,
  /** The command could not do its work: bad input, a broken configuration, no workspace. */
  failure: 2,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/**
 * The exit code for an answer, a blocked run, or no answer. Undefined for a message that was not accepted, or whose end
 * was not seen.
 */
export function exitCodeOfRun(status: string | undefined): ExitCode {
  if (status === 'done') return EXIT.ok;
  return status === 'blocked' ? EXIT.finding : EXIT.failure;
}
