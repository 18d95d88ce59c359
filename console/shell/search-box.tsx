// Searches all that was said, while a person types. Without words it shows nothing, and the conversations stand below. The
// arrows lead from the field into what was found and back, Enter opens the first, Escape leaves the search.

import { useEffect, useRef, useState } from 'preact/hooks';
import type { FoundWords } from '../client/gateway-client.ts';
import type { ConsoleState } from '../console-state.ts';
import { formatWhen } from '../view/format.ts';
import { Link } from '../view/link.tsx';
import { markWords } from './mark-words.ts';
import { titleOf } from './session-title.ts';

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
  const box = useRef<HTMLElement>(null);
  const pressKey = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    const stops = [...(box.current?.querySelectorAll<HTMLElement>('input, .found a') ?? [])];
    const at = stops.indexOf(document.activeElement as HTMLElement);
    if (step !== 0) stops[at + step]?.focus();
    else if (event.key === 'Enter' && at === 0 && stops[1]) stops[1].click();
    else if (event.key === 'Escape' && words !== '') {
      setText('');
      stops[0]?.focus();
    } else return;
    event.preventDefault();
  };
  return (
    <search ref={box} class="search" onKeyDown={pressKey}>
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
                class="session-link hit"
                // An earlier session of the key has words that the latest one has not.
                to={{
                  page: 'session',
                  session: state.sessionOf(sessionId)?.endedAt == null ? sessionKey : sessionId,
                  at: position,
                  find: words,
                }}
                onFollow={onFollow}
              >
                <span class="title" dir="auto">
                  {titleOf(state.sessionOf(sessionId) ?? state.sessionOf(sessionKey) ?? UNKNOWN)}
                </span>
                <span class="excerpt" dir="auto">
                  {markWords(excerpt, words).map(({ text: part, isFound }, index) =>
                    isFound ? <mark key={index}>{part}</mark> : part,
                  )}
                </span>
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

/** A conversation that the list does not have. */
const UNKNOWN = { title: null, firstWords: null };

/** How long a person pauses before their words are searched. */
const PAUSE_MS = 250;
