// How much of a request is the same as in the one before it, and who changed the first byte that differs.

import type { CacheCall } from '../client/gateway-client.ts';
import { formatCount } from '../view/format.ts';
import type { NewPlace } from './request-view.ts';

export interface CacheNoteProps {
  readonly cache: CacheCall;
  /** The first byte that is not as in the request before; undefined when it is not known. */
  readonly place: NewPlace | undefined;
  /** Shows that place. */
  readonly onShow: (() => void) | undefined;
}

export function CacheNote({ cache, place, onShow }: CacheNoteProps) {
  const { with: before, sharedBytes, bytes, break: broken } = cache;
  if (before === null) return <p class="cache-note">The first request of its kind: there was none to share with.</p>;
  return (
    <section class={broken && !broken.isInput ? 'cache-note bad' : 'cache-note'} aria-label="Cache">
      <div class="share" role="img" aria-label={`${percent(sharedBytes, bytes)} of the bytes are shared`}>
        <i style={{ width: percent(sharedBytes, bytes) }} />
      </div>
      <p>
        {`${formatCount(sharedBytes)} of ${formatCount(bytes)} bytes (${percent(sharedBytes, bytes)}) are the same as in the request before.`}
      </p>
      {broken && (
        <p>
          {`First change: ${broken.where}, by `}
          <b>{broken.author}</b>
          {broken.line === undefined ? '' : `, line ${broken.line}`}
          {`. ${formatCount(broken.lostBytes)} bytes could not be shared.`}
          {broken.next === undefined ? '' : ` ${broken.next}`}
        </p>
      )}
      {place?.byte !== undefined && (
        <p id="new-byte">{`${broken ? 'The first byte that differs' : 'The first new byte'} is byte ${formatCount(place.byte)} of the body.`}</p>
      )}
      {onShow && (
        <button type="button" class="ghost" onClick={onShow}>
          Show where
        </button>
      )}
    </section>
  );
}

function percent(part: number, whole: number): string {
  return `${whole === 0 ? 0 : Math.floor((100 * part) / whole)} %`;
}
