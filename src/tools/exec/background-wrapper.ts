// The small shell program around a command in the background. It begins only when it is told to, so that nothing runs
// which the gateway has not written down; it bounds the output file and leaves the exit code in a file, so that both
// hold while no gateway is there.

import { OUTPUT_GOES_ON } from './command-output.ts';
import type { SpawnedCommand } from './run-command.ts';

/** The wrapper waits for this word on its standard input. When the input ends without it, the gateway has died. */
export const BEGIN = 'begin\n';

export interface WrappedCommand extends SpawnedCommand {
  readonly exitFile: string;
  readonly maxOutputBytes: number;
}

/** What is started in place of the command. Its words are handed over as arguments and never become shell text. */
export function wrapCommand({ file, args, exitFile, maxOutputBytes, cwd, env }: WrappedCommand): SpawnedCommand {
  return {
    file: '/bin/sh',
    args: [
      '-c',
      SCRIPT,
      'atrium-exec',
      exitFile,
      String(Math.ceil(maxOutputBytes / BLOCK_BYTES)),
      OUTPUT_GOES_ON,
      file,
      ...args,
    ],
    argv0: 'sh',
    cwd,
    env,
  };
}

/** As `ulimit -f` counts. */
const BLOCK_BYTES = 512;

/**
 * A trap with an action is not inherited by the command, which ends at SIGTERM as usual; the wrapper stays to write down
 * how. The reader of the output ignores the signal, so that last words are kept. It alone has a limit on the size of its
 * file; behind that it reads on and keeps nothing, so that the command is not held up. Its own programs are the system's,
 * whatever the search path says.
 */
const SCRIPT = `
IFS= read -r _atrium_word || exit 125
[ "$_atrium_word" = begin ] || exit 125
exec </dev/null
_atrium_exit=$1 _atrium_blocks=$2 _atrium_note=$3
shift 3
trap : TERM INT HUP
{
  trap : TERM INT HUP
  "$@"
  _atrium_code=$?
  (
    umask 077
    PATH=/usr/bin:/bin:$PATH
    printf '%s\\n' "$_atrium_code" >"$_atrium_exit.part" && mv -f "$_atrium_exit.part" "$_atrium_exit"
  )
} 2>&1 | {
  trap '' TERM INT HUP XFSZ
  PATH=/usr/bin:/bin:$PATH
  (ulimit -f "$_atrium_blocks"; exec cat 2>/dev/null) || { printf '%s' "$_atrium_note"; cat >/dev/null; }
}
`;
