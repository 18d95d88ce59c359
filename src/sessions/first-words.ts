// How a conversation is called that a person gave no title: the beginning of what was said first in it.

import { oneLine } from '../protocol/one-line.ts';
import { SUBAGENT_TASK_MARK } from '../protocol/subagent-task-mark.ts';
import type { Store } from '../store/store.ts';
import { saidIn } from './said-in.ts';

const MOST_CHARS = 80;
/** A session may begin with entries that no person wrote, such as a summary or a task. */
const ENTRIES = 10;

/** Null for a session in which a person has said nothing yet, or of which nothing is kept. */
export async function readFirstWords(store: Store, sessionId: string): Promise<string | null> {
  const read = async (limit: number) => {
    const where = { sessionId, kind: 'message' };
    const entries = await store.select('transcript', { where, orderBy: [['position', 'asc']], limit });
    const first = entries.find((entry) => entry.message.role === 'user' && oneLine(saidIn(entry)) !== '');
    // A subagent is called by its task, not by what the gateway tells every subagent first.
    return first ? oneLine(saidIn(first).split(SUBAGENT_TASK_MARK).at(-1) ?? '', MOST_CHARS) : null;
  };
  // Most sessions begin with what a person said, and a list asks this for each of its sessions.
  return (await read(1)) ?? read(ENTRIES);
}
