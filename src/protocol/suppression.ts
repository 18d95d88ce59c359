// Which handler stopped an answer on its way out, and why.

export interface Suppression {
  readonly hook: string;
  /** The owner of the handler. */
  readonly by: string;
  /** The word of the plugin contract for a cancelled delivery, for programs; otherwise a sentence. */
  readonly reason: string;
  /** The handler's own words. */
  readonly cancelReason?: string | undefined;
}
