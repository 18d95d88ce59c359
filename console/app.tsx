// The page as a whole: the sidebar, the bar, the part that the address names, and the gate that asks for the token. Parts
// that are opened less often are loaded when they are.

import { untracked, useSignalEffect } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { SessionNews } from '../src/channels/server-frame.ts';
import { ChatPage } from './chat-page.tsx';
import { type ChatRoom, isWide } from './chat-room.ts';
import type { ConsoleState } from './console-state.ts';
import { notify } from './notify.ts';
import type { Route } from './route.ts';
import { addressedRoute, currentRoute, navigate } from './router.ts';
import { AskDialog } from './shell/ask.tsx';
import { titleOf } from './shell/session-title.ts';
import { Sidebar } from './shell/sidebar.tsx';
import { TopBar } from './shell/top-bar.tsx';
import { EmptyState } from './view/empty-state.tsx';
import { Gate } from './view/gate.tsx';
import { lazyPage } from './view/lazy-page.tsx';
import { Link } from './view/link.tsx';

export interface AppProps {
  readonly state: ConsoleState;
  readonly room: ChatRoom;
}

export function App({ state, room }: AppProps) {
  useSignalEffect(() => {
    void currentRoute.value;
    // The address is newer where a conversation has begun since. Opening one reads much that changes later, and must not
    // open it again.
    if (state.entered.value) untracked(() => void room.show(addressedRoute()));
  });
  useSignalEffect(() => {
    const news = state.lastNews.value;
    if (news) untracked(() => tellNews(news, { state, room }));
  });
  useEffect(() => {
    const press = (event: KeyboardEvent) => pressKey(event, { state, room });
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
  return (
    <div class="shell">
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <Sidebar state={state} room={room} />
      {state.isSidebarOpen.value && (
        // biome-ignore lint/a11y/noStaticElementInteractions: the sidebar has a button of its own that closes it.
        // biome-ignore lint/a11y/useKeyWithClickEvents: the Escape key closes it too.
        <div
          class="shade"
          onClick={() => {
            state.isSidebarOpen.value = false;
          }}
        />
      )}
      <div class="stage">
        <TopBar state={state} room={room} route={currentRoute.value} />
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: without a mouse, only an element that has the focus is scrolled. */}
        <main id="content" class="content" tabIndex={0}>
          <Part state={state} room={room} route={currentRoute.value} />
        </main>
      </div>
      <AskDialog />
      <Gate
        isOpen={state.isGateOpen.value}
        problem={state.gateProblem.value}
        onToken={(token) => void state.enter(token)}
      />
    </div>
  );
}

const ContextPage = lazyPage(() => import('./context/context-page.tsx'));
const RunsPage = lazyPage(() => import('./runs/runs-page.tsx'));
const RunPage = lazyPage(() => import('./runs/run-page.tsx'));
const HooksPage = lazyPage(() => import('./hooks/hooks-page.tsx'));
const OperationsPage = lazyPage(() => import('./operations/operations-page.tsx'));

function Part({ state, room, route }: AppProps & { route: Route }) {
  switch (route.page) {
    case 'home':
    case 'new':
    case 'session':
      return <ChatPage state={state} room={room} />;
    case 'context':
      return <ContextPage state={state} route={route} />;
    case 'runs':
      return <RunsPage state={state} session={route.session} />;
    case 'run':
      return <RunPage state={state} route={route} />;
    case 'hooks':
      return <HooksPage state={state} />;
    case 'operations':
      return <OperationsPage key={route.part} state={state} part={route.part} />;
    case 'unknown':
      return (
        <EmptyState title="There is nothing at this address" text="The link may be old, or was cut short.">
          <Link class="button" to={{ page: 'home' }}>
            To the conversations
          </Link>
        </EmptyState>
      );
  }
}

/** What happens in the open conversation is told by itself, with its words. */
function tellNews({ sessionKey, because }: SessionNews, { state, room }: AppProps): void {
  const session = state.sessionOf(sessionKey);
  const title = session ? titleOf(session) : sessionKey;
  if (because === 'approval-start') notify('An approval waits for you', title, sessionKey);
  if (because === 'session-change' && room.session.value === sessionKey) void room.readModel();
  const isTalk = session?.type === 'interactive' && session.surface?.channel !== 'api';
  if (because === 'run-end' && isTalk && room.session.value !== sessionKey) notify('Answer', title, sessionKey);
}

/** Keys that work everywhere on the page. */
function pressKey(event: KeyboardEvent, { state, room }: AppProps): void {
  if (event.key === 'Escape' && !event.defaultPrevented) {
    if (state.isGateOpen.value) return;
    if (state.isSidebarOpen.value) state.isSidebarOpen.value = false;
    else if (room.isPanelOpen.value && !isWide()) room.showPanel(false);
    else room.talk.value?.stop();
  }
  if (event.altKey && !event.ctrlKey && !event.metaKey && event.code === 'KeyN') {
    event.preventDefault();
    navigate({ page: 'new' });
  }
}
