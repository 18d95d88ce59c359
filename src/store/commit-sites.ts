// Every place in the product that commits, by name. Crash tests kill a gateway before and after each of them, and fail
// when a site is on this list that no test has visited.

export const COMMIT_SITES = [
  /** A message, an API call or another trigger is in the inbox. */
  'accept',
  /** A control command such as /stop or /status was taken and answered in one go, or a plugin said something. */
  'control',
  /** A lane has taken a trigger and a run begins, or begins again. */
  'claim',
  /** The session was opened, the user's entry written, injections bound, the request captured. */
  'request',
  /** A later request of the same run was captured, with the results of its tool calls in the transcript. */
  'next-request',
  /** The model asked for tools: its message is kept, and the calls are about to start. Or a plugin's command is. */
  'tool-start',
  /** One tool call has ended, or a plugin's command that lets the message go on to the agent. */
  'tool-result',
  /** The run is over: the answer, the outbox, the consumed injections. */
  'result',
  /** A gate blocked the run: what was said is scrubbed. */
  'block',
  /** The run is over without an answer: the failure is told, injections are released. */
  'failure',
  /** The observers of the end of a run or of a session have been told. */
  'observed',
  /** A part was handed over, or will be tried again. */
  'receipt',
  /** Something was given up and kept for a person. */
  'dead-letter',
  /** A dead letter was sent again or thrown away. */
  'dead-letter-answer',
  /** A session ended, and another one may have taken its place; or it was deleted. */
  'session',
  /** A plugin queued text for the next run. */
  'injection',
  /** Hook records were written down. */
  'hook-records',
  /** Old captures and records made room. */
  'prune',
  /** A tool call needs a person: it is asked for, and the run lets go of its slot. */
  'suspend',
  /** A person answered an approval, or its time was over: the answer is kept and its run is woken. */
  'approval',
  /** A rule that lets a command pass was removed. */
  'allow-rule',
  /** What was said long ago became a summary. */
  'compaction',
  /** A command began, ended or was found gone in the background. */
  'process',
  /** A job was added, changed or removed. */
  'job',
  /** A slot of a job or of a heartbeat was taken: its trigger is in the inbox, or it was skipped. */
  'job-slot',
  /** A server's tools were written down. */
  'tool-listing',
  /** A plugin changed what it keeps for a session, or what it kept was removed with it. */
  'plugin-state',
] as const;

export type CommitSite = (typeof COMMIT_SITES)[number];

/** Here somebody's words are removed because they must not be kept; the store leaves none of them behind. */
export const SCRUBBING_SITES: ReadonlySet<CommitSite> = new Set(['block', 'session', 'dead-letter-answer']);
