// What can be done with a conversation as a whole: another title, putting it away or taking it out, a branch, deleting it.

import type { SessionMarks } from '../client/gateway-client.ts';
import type { ConsoleState } from '../console-state.ts';
import { navigate } from '../router.ts';
import { Menu } from '../view/menu.tsx';
import { ask } from './ask.tsx';
import { titleOf } from './session-title.ts';

export function SessionMenu({ state, session }: { state: ConsoleState; session: string }) {
  const client = state.entered.value?.client;
  const known = state.sessionOf(session);
  if (!client || !known) return null;
  const act = async (action: () => Promise<void>) => {
    try {
      await action();
      await state.readSession(session);
    } catch (error) {
      state.tellError(error);
    }
  };
  const mark = (marks: SessionMarks) => act(() => client.markSession(session, marks));
  const rename = async () => {
    const field = { label: 'Title', value: known.title ?? titleOf(known) };
    const title = await ask({ title: 'Rename this conversation', field, action: 'Rename' });
    if (title !== undefined) await mark({ title: title.trim() === '' ? null : title });
  };
  const remove = async () => {
    const text = 'Everything that was said in it is removed, and cannot be brought back. Branches of it stay.';
    const answer = await ask({ title: `Delete "${titleOf(known)}"?`, text, action: 'Delete', isDanger: true });
    if (answer === undefined) return;
    await act(async () => {
      await client.deleteSession(session);
      navigate({ page: 'new' });
    });
  };
  const isAway = known.archivedAt !== null;
  return (
    <Menu
      label="This conversation"
      icon="more"
      items={[
        { label: 'Rename', act: () => void rename() },
        { label: isAway ? 'Take out again' : 'Put away', act: () => void mark({ isArchived: !isAway }) },
        { label: 'Delete', isDanger: true, act: () => void remove() },
      ]}
    />
  );
}
