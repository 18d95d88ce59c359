// Takes the place of a bootstrap handler that is set to abort and cannot be used, because its file is missing, broken or
// exports no function. It fails with that reason each time, so nothing is composed without the handler.

import type { BootstrapRegistration } from './bootstrap-registry.ts';

/** Its owner is the product, so that the inventory still shows the real handler as failed. */
export function closedHandler(id: string, reason: string): BootstrapRegistration {
  return {
    id,
    owner: 'atrium',
    description: `Stands for "${id}", which cannot be used and is set to abort.`,
    priority: 0,
    onError: 'abort',
    handler: () => {
      throw new Error(reason);
    },
  };
}
