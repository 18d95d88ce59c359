// Decides when a chat may ask for the next message: when the whole answer to the last one has been shown. Frames only
// say when to check; the gateway is asked how the run went and which parts belong to it, so that neither a lost
// connection nor an answer in many parts makes a difference. A chat has one turn at a time.

import type { ServerFrame } from '../../channels/server-frame.ts';

/** What the gateway says about a run. */
export interface TurnState {
  readonly isOver: boolean;
  /** `done`, `failed`, `blocked`, `stopped`. */
  readonly status: string;
  /** The number of the last part of its answer; 0 when there is none. */
  readonly lastPart: number;
  /** The run waits for a person, or behind a run that does. */
  readonly isHeld?: boolean | undefined;
}

export interface ChatTurnsPorts {
  /** Undefined when the gateway cannot be asked right now; it is asked again when the connection is back. */
  readonly look: (runId: string) => Promise<TurnState | undefined>;
  /** The last part that was shown. */
  readonly shown: () => number;
  /** True when the person here may answer what the run waits for; then the chat asks for the next message. */
  readonly leavesHeld?: boolean | undefined;
}

export class ChatTurns {
  readonly #ports: ChatTurnsPorts;
  /** How many messages wait to be accepted: one with a turn, and commands that are sent at once. */
  #asking = 0;
  #turn: Turn | undefined;
  #giveUp: () => void = () => {};
  readonly #given = new Promise<undefined>((resolve) => {
    this.#giveUp = () => resolve(undefined);
  });

  constructor(ports: ChatTurnsPorts) {
    this.#ports = ports;
  }

  /** True from the moment a message is sent until its answer is shown. */
  get isWaiting(): boolean {
    return this.#asking > 0 || this.#turn !== undefined;
  }

  see(frame: ServerFrame): void {
    const turn = this.#turn;
    if (!turn) return;
    const isOfTurn = (frame.type === 'part' || frame.type === 'run-end') && frame.runId === turn.runId;
    if (isOfTurn || frame.type === 'ready' || frame.type === 'approval-start') void this.#check(turn);
  }

  /** Waits for the acceptance of the message, unless the connection is given up first. */
  async until<Accepted>(accepted: Promise<Accepted>): Promise<Accepted | undefined> {
    this.#asking++;
    try {
      return await Promise.race([accepted, this.#given]);
    } finally {
      this.#asking--;
    }
  }

  /** Resolves with the run's status when its answer was shown or it is held, and with undefined when it is given up. */
  async answered(runId: string): Promise<string | undefined> {
    let settle: (status: string) => void = () => {};
    const shown = new Promise<string>((resolve) => {
      settle = resolve;
    });
    const turn: Turn = { runId, settle, isLooking: false, mustLookAgain: false, end: undefined };
    this.#turn = turn;
    // The run may be over already.
    void this.#check(turn);
    try {
      return await Promise.race([shown, this.#given]);
    } finally {
      this.#turn = undefined;
    }
  }

  giveUp(): void {
    this.#giveUp();
  }

  async #check(turn: Turn): Promise<void> {
    if (turn.isLooking) {
      turn.mustLookAgain = true;
      return;
    }
    turn.isLooking = true;
    try {
      do {
        turn.mustLookAgain = false;
        if (!turn.end) {
          const state = await this.#ports.look(turn.runId);
          if (state?.isOver) turn.end = state;
          else if (state?.isHeld && this.#ports.leavesHeld) return turn.settle(state.status);
        }
      } while (turn.mustLookAgain && !turn.end);
    } finally {
      turn.isLooking = false;
    }
    if (turn.end && this.#ports.shown() >= turn.end.lastPart) turn.settle(turn.end.status);
  }
}

interface Turn {
  readonly runId: string;
  readonly settle: (status: string) => void;
  isLooking: boolean;
  /** An event arrived while the gateway was being asked. */
  mustLookAgain: boolean;
  /** How the run ended, once it has. */
  end: TurnState | undefined;
}
