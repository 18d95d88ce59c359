// A model by name.

export interface ModelRef {
  /** `anthropic`, or a name under `models.providers`. */
  readonly provider: string;
  readonly model: string;
}
