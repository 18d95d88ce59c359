// What can be done with a conversation as a whole: another title, putting it away, deleting it.

import type { SessionMarks } from '../client/gateway-client.ts';
import type { ConsoleState } from '../console-state.ts';
import { navigate } from '../router.ts';
import { Icon } from '../view/icon.tsx';

export function SessionMenu({ state, session }: { state: ConsoleState; session: string }) {
  const client = state.entered.value?.client;
  const known = state.sessions.value.find(({ sessionKey }) => sessionKey === session);
  if (!client || !known) return null;
  const act = async (action: () => Promise<void>) => {
    try {
      await action();
      await state.readSessions();
    } catch (error) {
      state.tellError(error);
    }
  };
  const mark = (marks: SessionMarks) => act(() => client.markSession(session, marks));
  const rename = () => {
    const title = prompt('The title of this conversation', known.title ?? '');
    if (title !== null) void mark({ title });
  };
  const remove = () => {
    if (!confirm('Delete this conversation and everything that was said in it? It cannot be brought back.')) return;
    void act(async () => {
      await client.deleteSession(session);
      navigate({ page: 'new' });
    });
  };
  return (
    <details class="session-menu">
      <summary aria-label="This conversation" title="This conversation">
        <Icon name="more" />
      </summary>
      <div>
        <button type="button" class="ghost" onClick={rename}>
          Rename
        </button>
        <button type="button" class="ghost" onClick={() => void mark({ isArchived: true })}>
          Put away
        </button>
        <button type="button" class="ghost danger" onClick={remove}>
          Delete
        </button>
      </div>
    </details>
  );
}
