// Ctrl-C while a command waits for the answer of one run. The first one stops the run, because otherwise the model would
// write on for nobody; its end is waited for. A second one ends the command.

import type { CliIo } from '../cli-io.ts';
import { clientAt, path } from '../gateway/gateway-client.ts';
import type { ReachedGateway } from '../gateway/reach-gateway.ts';

export class RunInterrupt {
  readonly #io: CliIo;
  #isWanted = false;
  #stop: (() => void) | undefined;

  constructor(io: CliIo) {
    this.#io = io;
    process.once('SIGINT', this.#interrupted);
  }

  /** From here on there is something to stop. When that fails, the run is waited for as before. */
  accepted(reached: ReachedGateway, runId: string): void {
    this.#stop = () =>
      void clientAt(reached)
        .post(path`/api/runs/${runId}/stop`, {})
        .catch(() => undefined);
    if (this.#isWanted) this.#stop();
  }

  release(): void {
    process.off('SIGINT', this.#interrupted);
  }

  readonly #interrupted = () => {
    this.#io.err('Stopping the run. Once more leaves at once.\n');
    this.#isWanted = true;
    this.#stop?.();
  };
}
