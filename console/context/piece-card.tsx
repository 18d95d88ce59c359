// What is known about one piece of a request: who wrote it, where it stands, how long it stays the same, how large it is,
// and whether a cache could have it.

import { formatCount } from '../view/format.ts';
import { KIND_LABELS } from './author.ts';
import type { RequestPiece } from './request-view.ts';

export interface PieceCardProps {
  readonly piece: RequestPiece | undefined;
  /** Whether this is a bootstrap file, by its path. */
  isEditable(path: string): boolean;
  onEdit(file: string): void;
}

export function PieceCard({ piece, isEditable, onEdit }: PieceCardProps) {
  if (!piece)
    return (
      <p class="empty">Point at a piece of the request, or move to it with the arrow keys, to see who wrote it.</p>
    );
  const { author, span, tokens, stability, isShared } = piece;
  return (
    <dl id="piece-card" class="piece-card" aria-live="polite">
      <div>
        <dt>{KIND_LABELS[author.kind]}</dt>
        <dd class={`name ${author.kind}`}>{author.name}</dd>
      </div>
      <div>
        <dt>What it is</dt>
        <dd>{author.role}</dd>
      </div>
      {author.lines !== undefined && (
        <div>
          <dt>Lines</dt>
          <dd>{author.lines}</dd>
        </div>
      )}
      <div>
        <dt>Size</dt>
        <dd>{`${formatCount(span.chars)} characters, about ${formatCount(tokens)} tokens`}</dd>
      </div>
      {stability !== undefined && (
        <div>
          <dt>Changes</dt>
          <dd>{STABILITY[stability] ?? stability}</dd>
        </div>
      )}
      <div>
        <dt>Cache</dt>
        <dd>
          {isShared === undefined
            ? 'not compared'
            : isShared
              ? 'as in the request before, so it can be cached'
              : 'not cached: new, or behind the first change'}
        </dd>
      </div>
      {span.runId !== undefined && (
        <div>
          <dt>Said in</dt>
          <dd>
            <code>{span.runId}</code>
          </dd>
        </div>
      )}
      {author.kind === 'file' && isEditable(author.name) && (
        <div>
          <dt>Mend it</dt>
          <dd>
            <button type="button" class="ghost" onClick={() => onEdit(author.name.split('/').at(-1) ?? '')}>
              Edit this file
            </button>
          </dd>
        </div>
      )}
    </dl>
  );
}

const STABILITY: Readonly<Record<string, string>> = {
  static: 'the same every time',
  session: 'with the session',
  run: 'with every run',
};
