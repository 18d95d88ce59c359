// The titles of conversations. The gateway's own title counts; without one it is the beginning of what was said first,
// which is read once for each conversation that is really shown.

import { signal } from '@preact/signals';
import type { GatewayClient, ListedSession } from '../client/gateway-client.ts';

export class SessionTitles {
  /** By the id of the session. An empty one means that nothing was said that could be a title. */
  readonly #made = signal<ReadonlyMap<string, string>>(new Map());
  readonly #asked = new Set<string>();

  titleOf({ sessionId, title }: ListedSession): string {
    return title || this.#made.value.get(sessionId) || 'Conversation';
  }

  /** Reads the titles that are missing, a few at a time. */
  async read(client: GatewayClient, sessions: readonly ListedSession[]): Promise<void> {
    const missing = sessions.filter(({ sessionId, title }) => !title && !this.#asked.has(sessionId));
    for (const { sessionId } of missing) this.#asked.add(sessionId);
    for (const { sessionId } of missing) {
      try {
        const entries = await client.firstEntries(sessionId);
        const said = entries.find(({ kind, message }) => kind === 'message' && message.role === 'user');
        const words = said?.shown || (typeof said?.message.content === 'string' ? said.message.content : '');
        const line = words.trim().split('\n')[0]?.slice(0, LONGEST) ?? '';
        // A conversation that has not begun gets its title when it has.
        if (line === '') this.#asked.delete(sessionId);
        else this.#made.value = new Map(this.#made.value).set(sessionId, line);
      } catch {
        this.#asked.delete(sessionId);
      }
    }
  }
}

const LONGEST = 80;
