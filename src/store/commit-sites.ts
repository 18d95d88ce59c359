// The name of every place in the product that commits. Crash tests kill a gateway before and after each of them, and
// fail when no test has visited a site on this list.

export const COMMIT_SITES = [
  /** A message, an API call or another trigger is in the inbox. */
  'accept',
  /** A control command such as /stop or /status was accepted and answered in one commit, or a plugin sent a message. */
  'control',
  /** A lane has taken a trigger and a run begins, or begins again. */
  'claim',
  /** The session was opened, the user's entry was written, injections were bound, and the request was captured. */
  'request',
  /** A later request of the same run was captured, with the results of its tool calls in the transcript. */
  'next-request',
  /**
   * A call to a model was reserved apart from its request, because it is made again or writes a summary; or it was noted
   * that the operator is told of a limit; or what embeddings or the
   * answer of another model in a replay have cost was written down.
   */
  'spend',
  /**
   * The model asked for tools: its message is kept, and the calls are about to start. A plugin's command that is about
   * to start uses this site too.
   */
  'tool-start',
  /** One tool call has ended, or a plugin's command has ended that passes the message on to the agent. */
  'tool-result',
  /** The run is over: the answer, the outbox rows and the consumed injections are stored. */
  'result',
  /** A gate blocked the run: the words of the message are removed. */
  'block',
  /** The run is over without an answer: the failure is told, and the injections are released. */
  'failure',
  /** The observers of the end of a run or of a session have been told. */
  'observed',
  /** A part was sent, or will be tried again. */
  'receipt',
  /** A client uploaded a file, or a message brings an upload; or uploads were removed because their hour is over. */
  'upload',
  /** A platform shows a draft, or does not show it any more. */
  'draft',
  /** A channel wrote down what it needs after a restart, such as how far it has read. */
  'channel-memory',
  /** Something was given up and kept for a person to decide. */
  'dead-letter',
  /** A dead letter was sent again or deleted. */
  'dead-letter-answer',
  /** A session ended, and another one may have replaced it; or it was deleted. */
  'session',
  /** A plugin queued text for the next run. */
  'injection',
  /** Hook records were written. */
  'hook-records',
  /** What the prompts of a run had was written down, so that it can be found by its words. */
  'prompt-receipt',
  /** The words of what was said were written down, so that it can be searched. */
  'word-index',
  /** A person gave a session a title, put it away or looked at it. */
  'session-mark',
  /** The versions of a bootstrap file were kept, because a person edits it; or the oldest ones were removed. */
  'file-version',
  /** A person chose the model of a session, which may begin with it. */
  'session-model',
  /** A session was branched: the new one has a copy of what was said up to there. */
  'branch',
  /** Old captures and records were removed to make room. */
  'prune',
  /**
   * A tool call needs a person, or waits for other sessions or for the client that runs it: this is stored, and the run
   * gives its slot back.
   */
  'suspend',
  /** A person answered an approval, or its time was over: the answer is stored and its run is woken. */
  'approval',
  /** What a suspended run waited for is over, or the run was stopped: it is woken. */
  'wake',
  /** An API client brought the results of its own tools: they are stored, and the run that waits for them is woken. */
  'client-result',
  /** A rule that allows a command was removed. */
  'allow-rule',
  /** Old messages were replaced by a summary. */
  'compaction',
  /** A background command began, ended or was found missing. */
  'process',
  /** A job was added, changed or removed. */
  'job',
  /** A slot of a job or of a heartbeat was taken: its trigger is in the inbox, or the slot was skipped. */
  'job-slot',
  /** The tools of a server were stored. */
  'tool-listing',
  /** A plugin or a command changed what is kept for a session, or that state was removed with the session. */
  'plugin-state',
  /** A task was accepted: the child's row and its first trigger are stored. */
  'spawn',
  /** A child is to be ended, or was ended outside of a run. */
  'child-end',
  /** A person who is not known asked to talk to the agent: the request is stored, and the person is told a code. */
  'pairing',
  /** The operator approved, refused or took back a pairing. */
  'pairing-answer',
  /** A conversation, a job or an approved person of another program was brought along. */
  'import',
] as const;

export type CommitSite = (typeof COMMIT_SITES)[number];

/** At these sites words are removed because they must not be kept; the store leaves no copy of them in its files. */
export const SCRUBBING_SITES: ReadonlySet<CommitSite> = new Set(['block', 'session', 'dead-letter-answer']);
