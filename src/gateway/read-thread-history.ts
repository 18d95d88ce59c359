// Reads what was written in a thread, on channels that declare history, for a session that begins there.

import type { ThreadHistory, ThreadHistoryRequest } from '../agent/thread-history.ts';
import type { Channel } from '../channels/channel.ts';
import { oneLine } from '../protocol/one-line.ts';
import { timeLimit } from '../protocol/time-limit.ts';

/** The default of OpenClaw's `thread.initialHistoryLimit`. */
const DEFAULT_LIMIT = 100;
const READ_LIMIT_MS = 10_000;

export async function readThreadHistory(
  channel: Channel | undefined,
  { surface, before, at }: ThreadHistoryRequest,
): Promise<ThreadHistory | undefined> {
  const { history } = channel ?? {};
  const limit = history?.initialLimit ?? DEFAULT_LIMIT;
  if (!history || limit <= 0) return undefined;
  const time = timeLimit(READ_LIMIT_MS, () => new Error('the platform did not answer in time'));
  const late = new Promise<never>((_, reject) => {
    time.signal.addEventListener('abort', () => reject(time.signal.reason), { once: true });
  });
  try {
    const read = await Promise.race([history.readHistory({ surface, limit, before }, time.signal), late]);
    if (read.outcome !== 'done') return { problem: read.reason };
    // Where the message has no id, the time says what came before it.
    const earlier = before === undefined ? read.value.filter((each) => each.at < at) : read.value;
    return {
      messages: earlier.slice(-limit).map(({ sender, text, isOwn, at: writtenAt }) => ({
        from: sender.name ?? sender.id,
        at: writtenAt,
        text,
        isOwn,
      })),
    };
  } catch (error) {
    return { problem: oneLine(error) };
  } finally {
    time.clear();
  }
}
