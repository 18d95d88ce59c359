// A button below a message. Channels without buttons show the message alone, so its text says what to type.

export interface Button {
  readonly label: string;
  /** What the person would have to type instead. */
  readonly value: string;
}
