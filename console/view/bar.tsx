// The bar at the top: the current place, the button for a new session, and the state of the connection.

import type { Link } from '../client/connection.ts';
import type { Place } from '../place.ts';

export interface BarProps {
  readonly places: readonly Place[];
  /** Undefined until the gateway has listed the places. */
  readonly place: Place | undefined;
  readonly link: Link;
  readonly isPanelOpen: boolean;
  onPick(place: Place): void;
  onNewSession(): void;
  onPanelToggle(): void;
}

export function Bar({ places, place, link, isPanelOpen, onPick, onNewSession, onPanelToggle }: BarProps) {
  const pick = (id: string) => {
    const picked = places.find((each) => each.id === id);
    if (picked) onPick(picked);
  };
  const sessions = places.filter(({ sessionKey }) => sessionKey !== undefined);
  const agents = places.filter((each) => !sessions.includes(each));
  return (
    <header class="bar">
      <h1 class="brand">
        <svg viewBox="0 0 16 16" width="18" height="18" aria-hidden="true">
          <path d="M2 14V7a6 6 0 0 1 12 0v7h-3V7.5a3 3 0 0 0-6 0V14z" fill="currentColor" />
        </svg>
        Atrium
      </h1>
      <label class="pick">
        <span class="hidden">Conversation</span>
        <select
          id="place"
          disabled={!place}
          value={place?.id}
          onChange={({ currentTarget }) => pick(currentTarget.value)}
        >
          {agents.length > 0 && <PlaceGroup label="Agents" places={agents} />}
          {sessions.length > 0 && <PlaceGroup label="Other sessions" places={sessions} />}
        </select>
      </label>
      <button id="fresh" class="quiet" type="button" disabled={!place} onClick={onNewSession}>
        New session
      </button>
      <span class="grow" />
      <span id="link" class="link" role="status" data-state={link.state}>
        {link.text}
      </span>
      <button
        id="panel-toggle"
        class="quiet narrow-only"
        type="button"
        aria-expanded={isPanelOpen}
        aria-controls="panel"
        onClick={onPanelToggle}
      >
        Context
      </button>
    </header>
  );
}

function PlaceGroup({ label, places }: { label: string; places: readonly Place[] }) {
  return (
    <optgroup label={label}>
      {places.map(({ id, agentId, sessionKey }) => (
        <option key={id} value={id}>
          {sessionKey ?? agentId}
        </option>
      ))}
    </optgroup>
  );
}
