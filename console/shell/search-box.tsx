// Searches all that was said, while a person types. Without words it shows nothing, and the conversations stand below.

import { useEffect, useState } from 'preact/hooks';
import type { FoundWords } from '../client/gateway-client.ts';
import type { ConsoleState } from '../console-state.ts';
import { formatWhen } from '../view/format.ts';
import { Link } from '../view/link.tsx';

export interface SearchBoxProps {
  readonly state: ConsoleState;
  onFollow(): void;
}

export function SearchBox({ state, onFollow }: SearchBoxProps) {
  const client = state.entered.value?.client;
  const [text, setText] = useState('');
  const [found, setFound] = useState<readonly FoundWords[] | undefined>(undefined);
  const words = text.trim();
  useEffect(() => {
    setFound(undefined);
    if (!client || words === '') return;
    let isOld = false;
    const timer = setTimeout(() => {
      client.search(words).then(
        (all) => isOld || setFound(all),
        () => isOld || setFound([]),
      );
    }, PAUSE_MS);
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [client, words]);
  return (
    <search class="search">
      <label class="hidden" for="search">
        Search all that was said
      </label>
      <input
        id="search"
        type="search"
        placeholder="Search"
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      {found && (
        <ul class="found" aria-label="Found">
          {found.length === 0 && <li class="none">Nothing was found.</li>}
          {found.map(({ sessionKey, sessionId, position, at, role, excerpt }) => (
            <li key={`${sessionId} ${position}`}>
              <Link
                class="session-link"
                // An earlier session of the key has words that the latest one has not.
                to={{
                  page: 'session',
                  session: state.sessionOf(sessionId)?.endedAt == null ? sessionKey : sessionId,
                  at: position,
                }}
                onFollow={onFollow}
              >
                <span class="title">{excerpt}</span>
                <span class="meta">
                  <span>{role === 'user' ? 'said' : 'answered'}</span>
                  <time>{formatWhen(at)}</time>
                </span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </search>
  );
}

/** How long a person pauses before their words are searched. */
const PAUSE_MS = 250;
