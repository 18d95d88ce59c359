// What was given up, and is never sent by itself: show it, send it again, remove it.

import { useState } from 'preact/hooks';
import type { DeadLetter } from '../client/operator-client.ts';
import { formatClock, formatPlural, shorten } from '../view/format.ts';
import { Link } from '../view/link.tsx';
import { ScrollText } from '../view/scroll-text.tsx';
import { Block } from './block.tsx';

export interface DeadLettersProps {
  readonly letters: readonly DeadLetter[];
  readonly busy: string;
  onReplay(id: string): void;
  onRemove(id: string): void;
  onRemoveAll(): void;
}

export function DeadLetters({ letters, busy, onReplay, onRemove, onRemoveAll }: DeadLettersProps) {
  const [shown, setShown] = useState(FIRST_SHOWN);
  const askAndRemoveAll = () => {
    if (confirm(`Remove ${formatPlural(letters.length, 'dead letter')} for good?`)) onRemoveAll();
  };
  return (
    <Block
      title="Dead letters"
      note={
        letters.length > 1 && (
          <button type="button" class="ghost" disabled={busy !== ''} onClick={askAndRemoveAll}>
            Remove all
          </button>
        )
      }
      empty={
        letters.length === 0 && 'Nothing was given up. What cannot be delivered or run stands here, and waits for you.'
      }
    >
      <ul class="cards">
        {letters.slice(0, shown).map(({ id, direction, reason, createdAt, payload, sessionKey }) => (
          <li key={id} class="letter">
            <header>
              <b>{`${direction === 'in' ? 'A message that no run answered' : 'An answer that did not arrive'}${wordsIn(payload)}`}</b>
              <span class="soft">{formatClock(createdAt)}</span>
            </header>
            <p class="problem" title={reason}>
              {reason}
            </p>
            <details>
              <summary>Show it</summary>
              <p class="soft">{reason}</p>
              <ScrollText label="The dead letter">{JSON.stringify(payload, null, 2)}</ScrollText>
            </details>
            <div class="choices">
              <button type="button" class="quiet small" disabled={busy !== ''} onClick={() => onReplay(id)}>
                Send it again
              </button>
              <button type="button" class="ghost" disabled={busy !== ''} onClick={() => onRemove(id)}>
                Remove
              </button>
              <Link class="ghost" to={{ page: 'session', session: sessionKey }}>
                Conversation
              </Link>
            </div>
          </li>
        ))}
      </ul>
      {letters.length > shown && (
        <button type="button" class="ghost" onClick={() => setShown(letters.length)}>
          {`Show all ${letters.length}`}
        </button>
      )}
    </Block>
  );
}

/** The first words of the message or of the answer, so that it can be told from others. */
function wordsIn(payload: DeadLetter['payload']): string {
  const { text, inbound } = (payload ?? {}) as { text?: unknown; inbound?: { text?: unknown } };
  const words = typeof inbound?.text === 'string' ? inbound.text : typeof text === 'string' ? text : '';
  return words === '' ? '' : `: ${shorten(words, 80)}`;
}

/** So many are shown until somebody wants them all. */
const FIRST_SHOWN = 4;
