// The two commands that end a session before the run begins. `/new` and `/reset` differ in the reason that is told.

export interface ResetCommand {
  readonly name: 'new' | 'reset';
  /** What was said behind the command: the first message of the new session. */
  readonly rest: string;
}

export function parseResetCommand(text: string): ResetCommand | undefined {
  const [, name, rest = ''] = /^\s*\/(new|reset)(?:\s+([\s\S]*))?$/i.exec(text) ?? [];
  if (name === undefined) return undefined;
  return { name: name.toLowerCase() === 'new' ? 'new' : 'reset', rest: rest.trim() };
}
