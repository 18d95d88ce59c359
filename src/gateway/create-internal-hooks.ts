// The events of hook packs, with what the bundled packs may use and a way to say what they want said.

import type { Environment } from '../config/environment.ts';
import type { Config } from '../config/schema.ts';
import type { Store } from '../store/store.ts';
import type { ContextEngine } from './context-engine.ts';
import type { Delivery } from './create-delivery.ts';
import { createPackDeps } from './create-pack-deps.ts';
import type { Records } from './create-records.ts';
import { InternalHooks } from './internal-hooks.ts';
import { sayLine } from './say-line.ts';

export interface InternalHooksOptions {
  readonly engine: ContextEngine;
  readonly config: Config;
  readonly environment: Environment;
  readonly store: Store;
  readonly records: Pick<Records, 'teller'>;
  readonly delivery: () => Pick<Delivery, 'plan' | 'outbox'>;
  readonly wakeLane: (sessionKey: string) => void;
  readonly now: () => number;
  readonly warn: (sentence: string) => void;
}

export function createInternalHooks(options: InternalHooksOptions): InternalHooks {
  const { engine, config, store, records, delivery, now, warn } = options;
  return new InternalHooks({
    engine,
    config,
    depsOf: createPackDeps(options),
    say: (sessionKey, text) => {
      const { plan, outbox } = delivery();
      return sayLine({ store, planDelivery: plan, wakeOutbox: () => outbox.wake(), now }, sessionKey, text);
    },
    record: (call) => void records.teller.tell('handler-called', call),
    now,
    warn,
  });
}
