// What a script learns from how a run ended: an answer, a gate that said no, or none.

import { EXIT, type ExitCode } from './exit-code.ts';

/** Undefined for a message that was not accepted, or whose end nobody saw. */
export function exitCodeOfRun(status: string | undefined): ExitCode {
  if (status === 'done') return EXIT.ok;
  return status === 'blocked' ? EXIT.finding : EXIT.failure;
}
