// The bar above the content: the way to the sidebar on narrow screens, what is open, and what belongs to it.

import { useEffect } from 'preact/hooks';
import type { ChatRoom } from '../chat-room.ts';
import type { ConsoleState } from '../console-state.ts';
import type { Route } from '../route.ts';
import { Icon } from '../view/icon.tsx';
import { Link } from '../view/link.tsx';
import { surfaceName } from './group-sessions.ts';
import { SessionMenu } from './session-menu.tsx';
import { titleOf } from './session-title.ts';

export interface TopBarProps {
  readonly state: ConsoleState;
  readonly room: ChatRoom;
  readonly route: Route;
}

export function TopBar({ state, room, route }: TopBarProps) {
  const talk = room.talk.value;
  const isChat = route.page === 'home' || route.page === 'new' || route.page === 'session';
  const session = room.session.value;
  const known = state.sessionOf(session);
  const agent = state.agents.value.find(({ agentId }) => agentId === talk?.place.agentId);
  // A page without a conversation has only the socket that tells what changes.
  const link = isChat ? state.link.value : state.watch.link.value;
  void room.version.value;
  // Before the first message there is nothing to show there.
  const hasTurns = talk?.isWelcoming !== true;
  const name =
    known && isChat
      ? titleOf(known)
      : nameOf(route, agent && [agent.emoji, agent.name ?? agent.agentId].filter(Boolean).join(' '));
  useEffect(() => {
    document.title = name === 'Atrium' ? name : `${name} · Atrium`;
  }, [name]);
  return (
    <header class="bar">
      <button
        type="button"
        class="ghost round narrow-only"
        aria-label="Menu"
        aria-expanded={state.isSidebarOpen.value}
        aria-controls="sidebar"
        onClick={() => {
          state.isSidebarOpen.value = !state.isSidebarOpen.value;
        }}
      >
        <Icon name="menu" />
      </button>
      <h1 dir="auto" title={isChat ? session : undefined}>
        {name}
      </h1>
      {isChat && known && (
        <span class="key">
          {[known.agentId, surfaceName(known), ...(known.archivedAt === null ? [] : ['put away'])].join(' · ')}
        </span>
      )}
      {isChat && session !== undefined && <SessionMenu key={session} state={state} session={session} />}
      <span class="grow" />
      {isChat && session !== undefined && (
        <Link class="ghost wide-only" to={{ page: 'context', session }}>
          What it would read now
        </Link>
      )}
      <span id="link" class="link" role="status" data-state={link.state}>
        {link.text}
      </span>
      {isChat && hasTurns && (
        <button
          id="panel-toggle"
          class="ghost round"
          type="button"
          aria-label="What it was given"
          title={room.isPanelOpen.value ? 'Hide what it was given' : 'Show what it was given'}
          aria-expanded={room.isPanelOpen.value}
          aria-controls="panel"
          onClick={() => room.showPanel(!room.isPanelOpen.value)}
        >
          <Icon name="panel" />
        </button>
      )}
    </header>
  );
}

function nameOf(route: Route, agentId: string | undefined): string {
  switch (route.page) {
    case 'home':
    case 'session':
      return agentId ?? 'Atrium';
    case 'new':
      return agentId ?? 'New conversation';
    case 'context':
      return 'Context';
    case 'runs':
      return 'Runs';
    case 'run':
      return 'Run';
    case 'hooks':
      return 'Hooks and plugins';
    case 'operations':
      return 'Operations';
    case 'unknown':
      return 'Atrium';
  }
}
