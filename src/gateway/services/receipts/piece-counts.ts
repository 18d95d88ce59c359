// Counts the runs that had a piece. What a file was at the time of a run stands in the sources of the run, so pieces with words of
// files are counted for each of them; all others once. A question over many runs counts millions of times, so a count is
// no more than a look into a map.

export interface PieceCount {
  readonly piece: number;
  /** Undefined when the words are those of no file. */
  readonly sources: number | undefined;
  readonly runs: number;
}

export class PieceCounts {
  readonly #isOfFile: (piece: number) => boolean;
  readonly #plain = new Map<number, number>();
  /** By piece, then by sources. */
  readonly #ofFiles = new Map<number, Map<number, number>>();

  constructor(isOfFile: (piece: number) => boolean) {
    this.#isOfFile = isOfFile;
  }

  add(piece: number, sources: number): void {
    const plain = this.#plain.get(piece);
    if (plain !== undefined) this.#plain.set(piece, plain + 1);
    else if (!this.#isOfFile(piece)) this.#plain.set(piece, 1);
    else {
      const bySources = this.#ofFiles.get(piece) ?? new Map<number, number>();
      this.#ofFiles.set(piece, bySources.set(sources, (bySources.get(sources) ?? 0) + 1));
    }
  }

  /** All sources that a count depends on. */
  get sources(): readonly number[] {
    return [...this.#ofFiles.values()].flatMap((bySources) => [...bySources.keys()]);
  }

  list(): readonly PieceCount[] {
    const plain = [...this.#plain].map(([piece, runs]) => ({ piece, sources: undefined, runs }));
    const ofFiles = [...this.#ofFiles].flatMap(([piece, bySources]) =>
      [...bySources].map(([sources, runs]) => ({ piece, sources, runs })),
    );
    return [...plain, ...ofFiles];
  }
}
