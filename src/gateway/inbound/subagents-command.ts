// `/subagents`: the subagents of a session, typed into a chat. It lists them, shows one, or stops one with all that it
// has spawned. A name that does not exist gets a sentence that says what there is.

import type { CommandPlace } from '../../commands/chat-command.ts';
import { formatChild, formatChildren } from '../../commands/format-children.ts';
import { isAtriumError } from '../../protocol/errors.ts';
import { listed } from '../../protocol/listed.ts';
import type { Children } from '../services/children.ts';

const USAGE =
  'Use /subagents, /subagents show NAME, or /subagents kill NAME. NAME is what the list shows, "last", or with kill "all".';
/** The latest ones; a chat is not the place for more. */
const MOST_LISTED = 30;

export async function subagentsCommand(
  children: Pick<Children, 'list' | 'show' | 'stop'>,
  rest: string,
  { sessionKey }: CommandPlace,
): Promise<string> {
  const [, action = 'list', name = ''] = /^\s*(\S+)?\s*(.*?)\s*$/s.exec(rest) ?? [];
  try {
    switch (action.toLowerCase()) {
      case 'list': {
        const found = await children.list({ parentKey: sessionKey, limit: MOST_LISTED });
        return found.length === 0
          ? 'This session has no subagents.'
          : ['Subagents', ...formatChildren(found)].join('\n');
      }
      case 'show':
        return name === '' ? USAGE : formatChild(await children.show(sessionKey, name));
      case 'kill': {
        if (name === '') return USAGE;
        const stopped = await children.stop(sessionKey, name);
        return stopped.length === 0 ? 'Nothing was stopped: it is over already.' : `Stopped: ${listed(stopped)}.`;
      }
      default:
        return USAGE;
    }
  } catch (error) {
    if (isAtriumError(error) && error.code === 'ATRIUM_SESSION_CHILD_UNKNOWN') return error.message;
    throw error;
  }
}
