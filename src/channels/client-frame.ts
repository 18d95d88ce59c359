// What a page or a terminal may say over its socket, as data only, so that a browser's code can share it.

import type { JsonObject } from '../protocol/json.ts';

export type ClientFrame =
  | {
      readonly type: 'hello';
      /** The session that messages shall go to, by key; without it the surface decides. */
      readonly session?: string | undefined;
      readonly agent?: string | undefined;
      /** The client's own name for the place where it shows the talk; it keeps it across reconnects. */
      readonly surface?: string | undefined;
      /** The last part that the client has shown; without it, nothing of the past is told. */
      readonly after?: number | undefined;
    }
  | { readonly type: 'message'; readonly id: string; readonly text: string }
  | { readonly type: 'ack'; readonly seq: number }
  | { readonly type: 'stop' }
  /** A method by name; the answer is a `result` with the same id. */
  | { readonly type: 'call'; readonly id: string; readonly method: string; readonly params: JsonObject }
  | { readonly type: 'ping' };
