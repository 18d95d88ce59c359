// What others know besides the agent's own notes, for the memory tools. Their words are as little to be trusted as any
// other tool's answer, so each stands under its owner's name.

export interface MemorySupplements {
  /** Best first. Never rejects. */
  search(request: {
    readonly query: string;
    readonly maxResults: number;
    readonly sessionKey: string;
  }): Promise<readonly MemorySupplementHit[]>;
  /** What stands at a place that `search` named; undefined when it is no such place. */
  get(place: string): Promise<string | undefined>;
}

export interface MemorySupplementHit {
  readonly owner: string;
  /** `owner:place`, which `get` understands. */
  readonly place: string;
  readonly title: string;
  readonly text: string;
  readonly score: number;
}

export const NO_SUPPLEMENTS: MemorySupplements = { search: async () => [], get: async () => undefined };
