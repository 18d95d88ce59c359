// The sidebar: the way to a new conversation, to the pages about the gateway, and the conversations that there are. The
// list is virtual: of thousands of conversations only those in sight are drawn.

import { type Signal, useComputed, useSignal } from '@preact/signals';
import { useMemo, useRef, useState } from 'preact/hooks';
import type { ChatRoom } from '../chat-room.ts';
import type { ListedSession } from '../client/gateway-client.ts';
import type { ConsoleState } from '../console-state.ts';
import { allowNotifications, notifyState } from '../notify.ts';
import { defaultAgent } from '../place.ts';
import type { Route } from '../route.ts';
import { currentRoute } from '../router.ts';
import { formatClock, formatPlural, formatWhen } from '../view/format.ts';
import { Icon, type IconName } from '../view/icon.tsx';
import { Link } from '../view/link.tsx';
import { useVirtualRows } from '../view/use-virtual-rows.ts';
import { groupSessions, placesOf, surfaceName } from './group-sessions.ts';
import { SearchBox } from './search-box.tsx';
import { titleOf } from './session-title.ts';
import { ThemeButton } from './theme-button.tsx';

export function Sidebar({ state, room }: { state: ConsoleState; room: ChatRoom }) {
  const agentId = useSignal<string | undefined>(undefined);
  const place = useSignal<string | undefined>(undefined);
  const places = useComputed(() => placesOf(state.sessions.value));
  const agents = state.agents.value;
  const route = currentRoute.value;
  const close = () => {
    state.isSidebarOpen.value = false;
  };
  const first = agentId.value ?? defaultAgent(agents)?.agentId;
  return (
    <nav
      id="sidebar"
      class={state.isSidebarOpen.value ? 'sidebar open' : 'sidebar'}
      aria-label="Conversations and pages"
    >
      <div class="brand-row">
        <Link class="brand" to={{ page: 'home' }} onFollow={close}>
          <svg viewBox="0 0 16 16" width="20" height="20" aria-hidden="true">
            <path d="M2 14V7a6 6 0 0 1 12 0v7h-3V7.5a3 3 0 0 0-6 0V14z" fill="currentColor" />
          </svg>
          Atrium
        </Link>
        <button type="button" class="ghost round narrow-only" aria-label="Close the menu" onClick={close}>
          <Icon name="close" />
        </button>
      </div>
      <Link class="button new" to={{ page: 'new', agentId: first }} onFollow={close}>
        <Icon name="plus" />
        New conversation
      </Link>
      <SearchBox state={state} onFollow={close} />
      {(agents.length > 1 || places.value.length > 1) && (
        <div class="picks">
          {agents.length > 1 && (
            <Pick
              id="agent"
              label="Agent"
              all="All agents"
              options={agents.map((agent) => agent.agentId)}
              chosen={agentId}
            />
          )}
          {places.value.length > 1 && (
            <Pick id="place" label="Place" all="All places" options={places.value} chosen={place} />
          )}
        </div>
      )}
      <SessionList state={state} room={room} agentId={agentId.value} place={place.value} onFollow={close} />
      <ul class="pages">
        {PAGES.map(({ to, icon, label, pages }) => (
          <li key={label}>
            <Link class="page-link" to={to} isCurrent={pages.includes(route.page)} onFollow={close}>
              <Icon name={icon} />
              {label}
              {to.page === 'operations' && state.waitingApprovals.value > 0 && (
                <span class="badge" title={`${formatPlural(state.waitingApprovals.value, 'approval')} waiting for you`}>
                  {state.waitingApprovals.value}
                </span>
              )}
            </Link>
          </li>
        ))}
      </ul>
      <footer class="side-foot">
        <span class="grow" />
        {notifyState.value === 'default' && (
          <button
            type="button"
            class="ghost"
            title="Tell me of answers and approvals while I look elsewhere"
            onClick={() => void allowNotifications()}
          >
            <Icon name="bell" size={16} />
            Notify me
          </button>
        )}
        <ThemeButton />
      </footer>
    </nav>
  );
}

const PAGES: readonly { to: Route; icon: IconName; label: string; pages: readonly Route['page'][] }[] = [
  { to: { page: 'context' }, icon: 'context', label: 'Context', pages: ['context'] },
  { to: { page: 'runs' }, icon: 'runs', label: 'Runs', pages: ['runs', 'run'] },
  { to: { page: 'hooks' }, icon: 'hooks', label: 'Hooks and plugins', pages: ['hooks'] },
  { to: { page: 'operations' }, icon: 'operations', label: 'Operations', pages: ['operations'] },
];

interface PickProps {
  readonly id: string;
  readonly label: string;
  /** What stands for no choice. */
  readonly all: string;
  readonly options: readonly string[];
  readonly chosen: Signal<string | undefined>;
}

/** Shows only the conversations of one agent, or of one place. */
function Pick({ id, label, all, options, chosen }: PickProps) {
  return (
    <label>
      <span class="hidden">{label}</span>
      <select
        id={id}
        value={chosen.value ?? ''}
        onChange={({ currentTarget }) => {
          chosen.value = currentTarget.value || undefined;
        }}
      >
        <option value="">{all}</option>
        {options.map((option) => (
          <option key={option} value={option}>
            {option}
          </option>
        ))}
      </select>
    </label>
  );
}

type Row =
  | { readonly kind: 'title'; readonly title: string; readonly isFolded: boolean; readonly count: number }
  | { readonly kind: 'session'; readonly session: ListedSession };

interface SessionListProps {
  readonly state: ConsoleState;
  readonly room: ChatRoom;
  readonly agentId: string | undefined;
  readonly place: string | undefined;
  onFollow(): void;
}

function SessionList({ state, room, agentId, place, onFollow }: SessionListProps) {
  const box = useRef<HTMLDivElement>(null);
  /** The folded groups that the person has opened. */
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set());
  const sessions = useComputed(() => state.sessions.value);
  const rows = useMemo(
    () =>
      groupSessions(sessions.value, { agentId, place, now: Date.now() }).flatMap(
        ({ title, isFolded, sessions: members }): Row[] => {
          const isShut = isFolded && !unfolded.has(title);
          const head: Row = { kind: 'title', title, isFolded, count: members.length };
          return [head, ...(isShut ? [] : members.map((session): Row => ({ kind: 'session', session })))];
        },
      ),
    [sessions.value, agentId, place, unfolded],
  );
  const { items, total } = useVirtualRows({
    box,
    count: rows.length,
    sizeOf: (index) => (rows[index]?.kind === 'title' ? TITLE_HEIGHT : ROW_HEIGHT),
  });
  const toggle = (title: string) => {
    const next = new Set(unfolded);
    if (!next.delete(title)) next.add(title);
    setUnfolded(next);
  };
  return (
    <div ref={box} class="session-list">
      {rows.length === 0 && <p class="none">What you say will stand here. Write a message to begin.</p>}
      <ul style={{ height: `${total}px` }}>
        {items.map(({ index, start, size }) => {
          const row = rows[index];
          if (!row) return null;
          const style = { transform: `translateY(${start}px)`, height: `${size}px` };
          if (row.kind === 'title')
            return (
              <li key={row.title} class="group" style={style}>
                {row.isFolded ? (
                  <button
                    type="button"
                    class="ghost"
                    aria-expanded={unfolded.has(row.title)}
                    onClick={() => toggle(row.title)}
                  >
                    <Icon name="chevron" size={14} />
                    {`${row.title} (${row.count})`}
                  </button>
                ) : (
                  <h2>{row.title}</h2>
                )}
              </li>
            );
          const { session } = row;
          const isCurrent = room.session.value === session.sessionKey;
          const isNew = isUnread(session) && !isCurrent;
          return (
            <li key={session.sessionId} style={style}>
              <Link
                class={isNew ? 'session-link unread' : 'session-link'}
                to={{ page: 'session', session: session.sessionKey }}
                isCurrent={isCurrent}
                title={`${session.sessionKey}\nLast active ${formatClock(session.activeAt)}`}
                onFollow={onFollow}
              >
                <span class="title" dir="auto">
                  {titleOf(session)}
                </span>
                <span class="meta">
                  <span>{`${session.agentId} · ${surfaceName(session)}`}</span>
                  <time>{formatWhen(session.activeAt)}</time>
                  {isNew && <span class="hidden">unread</span>}
                </span>
              </Link>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

/** Something was said since a person last looked at it. */
function isUnread({ seenAt, activeAt }: ListedSession): boolean {
  return typeof seenAt === 'number' && activeAt > seenAt;
}

const ROW_HEIGHT = 52;
const TITLE_HEIGHT = 34;
