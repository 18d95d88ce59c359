// The signals that stop a gateway or start it again. One listener is there from before the first gateway of a process
// until the last one has ended, because other programs reach a gateway a moment before its start is complete.
//
// Promise: a first signal never ends the process in the middle of a start. It is kept, and heeded once the gateway is up.
// A second one that asks to stop ends the process at once.

import type { StopReason } from '../../gateway/gateway-part.ts';

export interface StopSignalsOptions {
  readonly say: (line: string) => void;
  /** Ends the process without waiting for anything. */
  readonly exit: () => void;
}

export interface StoppableGateway {
  stop(reason: StopReason): Promise<void>;
  /** A gateway that stopped for a configuration with a typing mistake would leave everybody without an answer. */
  canRestart(): Promise<boolean>;
}

type Phase = 'starting' | 'up' | 'stopping';

const ANSWERS: Readonly<Record<Phase, string>> = {
  starting: 'Stopping as soon as the gateway has started.',
  up: 'Stopping: finishing what is running.',
  stopping: 'Stopping: the gateway does not start again.',
};

export class StopSignals {
  readonly #options: StopSignalsOptions;
  #phase: Phase = 'starting';
  #isShutdownWanted = false;
  #isRestartWanted = false;
  /** Looks again at what is wanted. */
  #look: () => void = () => undefined;

  constructor(options: StopSignalsOptions) {
    this.#options = options;
    process.on('SIGTERM', this.#onStop);
    process.on('SIGINT', this.#onStop);
    // Without this handler, Node would open its debugger on this signal.
    process.on('SIGUSR1', this.#onRestart);
  }

  /** Says why the gateway has stopped; rejects with what its stop rejects with. */
  async untilStopped({ stop, canRestart }: StoppableGateway): Promise<StopReason> {
    this.#phase = 'up';
    const reason = await this.#wanted(canRestart);
    this.#phase = 'stopping';
    if (reason === 'restart') this.#say(ANSWERS.up);
    await stop(reason);
    this.#phase = 'starting';
    return this.#isShutdownWanted ? 'shutdown' : reason;
  }

  release(): void {
    process.off('SIGTERM', this.#onStop).off('SIGINT', this.#onStop).off('SIGUSR1', this.#onRestart);
  }

  async #wanted(canRestart: () => Promise<boolean>): Promise<StopReason> {
    for (;;) {
      if (this.#isShutdownWanted) return 'shutdown';
      if (this.#isRestartWanted) {
        this.#isRestartWanted = false;
        if ((await canRestart()) && !this.#isShutdownWanted) return 'restart';
      } else {
        await new Promise<void>((resolve) => {
          this.#look = resolve;
        });
      }
    }
  }

  readonly #onStop = () => {
    const { say, exit } = this.#options;
    if (this.#isShutdownWanted) {
      say('Stopping at once. What was not finished goes on at the next start.\n');
      exit();
      return;
    }
    this.#isShutdownWanted = true;
    this.#say(ANSWERS[this.#phase]);
    this.#look();
  };

  readonly #onRestart = () => {
    // A gateway that stops already reads its configuration after this signal: it is started again, or is to end.
    if (this.#phase === 'stopping') return;
    this.#isRestartWanted = true;
    this.#look();
  };

  #say(answer: string): void {
    this.#options.say(`${answer} Once more stops at once.\n`);
  }
}
