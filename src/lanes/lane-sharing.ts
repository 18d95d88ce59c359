// What the lanes of one process must know when other nodes work on the same inbox. Without it they are alone, and nothing
// of this is asked.

import type { Write } from '../store/store.ts';
import type { RunRow } from '../store/tables.ts';

export interface LaneSharing {
  /** The member that claims are made for. Null while this node is none: then it claims nothing. */
  readonly memberId: string | null;
  /** Whether others may claim the same trigger at the same moment. A run then begins only when its claim is committed. */
  readonly isContested: boolean;
  /** Whether another node has this run, and may go on with it. */
  isElsewhere(run: RunRow): boolean;
  /** Preconditions of the claim that begins a run: they fail while a caller on some node holds the key. */
  guardsOf(sessionKey: string): readonly Write[];
  /** Whether a caller on some node holds the key. It is asked after a claim has failed. */
  isHeld(sessionKey: string): Promise<boolean>;
  /** Whether a lane must give its slot to others, which this process does not see, before it begins its next run. */
  mustGiveWay(sessionKey: string): boolean;
  /** Takes a lane that has given way and has more to do. */
  handBack(sessionKey: string): void;
  /** Called when a slot is free. */
  freed(): void;
}
