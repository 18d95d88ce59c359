// What the store of several nodes knows about the node that it belongs to: which member of the cluster its commits are made for. A
// cluster is one.

export interface StoreMember {
  /** Null while this node is no member. */
  readonly memberId: string | null;
  /** Why this node cannot be a member at the moment, in the words of the server; undefined when nothing keeps it from being one. */
  readonly trouble?: string | undefined;
  /** Resolves when this node is a member, and rejects with the reason of the signal. */
  whileMember(signal?: AbortSignal): Promise<void>;
}
