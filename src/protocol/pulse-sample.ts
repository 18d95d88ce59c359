// How a gateway was at one moment, in a few numbers. A series of them is what small plots are drawn from.

export interface PulseSample {
  readonly at: number;
  /** The runs that have ended since the sample before, for each second. */
  readonly turnsPerSecond: number;
  readonly running: number;
  /** The memory of the process, in bytes. */
  readonly memoryBytes: number;
  readonly storeBytes: number;
}
