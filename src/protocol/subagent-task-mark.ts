/** The line of a subagent's first message behind which its task stands; before it is what the gateway tells it. */
export const SUBAGENT_TASK_MARK = '[Subagent Task]\n';
