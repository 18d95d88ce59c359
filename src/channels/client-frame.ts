// What a page or a terminal may send over its socket. These are types only, so that the code of a browser can share
// them.

import type { JsonObject } from '../protocol/json.ts';

export type ClientFrame =
  | {
      readonly type: 'hello';
      /** The key of the session that messages go to. Without it the surface decides. */
      readonly session?: string | undefined;
      readonly agent?: string | undefined;
      /** The client's own name for the place where it shows the conversation. The client keeps it across reconnects. */
      readonly surface?: string | undefined;
      /** The last part that the client has shown. Without it, no earlier parts are sent. */
      readonly after?: number | undefined;
    }
  | {
      readonly type: 'message';
      readonly id: string;
      readonly text: string;
      /** Uploads, each by the id that only who made it knows. With files, the text may be empty. */
      readonly attachments?: readonly { readonly id: string }[] | undefined;
      /** The model that should answer, as `/model` takes it. */
      readonly model?: string | undefined;
      /** What the client knows about it besides, for plugins. */
      readonly metadata?: JsonObject | undefined;
    }
  | { readonly type: 'ack'; readonly seq: number }
  | { readonly type: 'stop' }
  /** Calls a method by name. The answer is a `result` with the same id. */
  | { readonly type: 'call'; readonly id: string; readonly method: string; readonly params: JsonObject }
  /** Wants to be told what changes in the gateway. Needs no `hello`. */
  | { readonly type: 'watch' }
  | { readonly type: 'ping' };
