// The services of plugins. They are started in the order of registration when everything else is open, and stopped in
// reverse. A service that throws or never starts is a warning and a state, and the gateway goes on. The services of one
// plugin share one time limit, and plugins start and stop side by side. When a plugin is loaded again, its services are
// stopped first and started again.

import type { LoadedPlugin } from '../../plugins/loaded-plugin.ts';
import type { PluginRegistry } from '../../plugins/plugin-registry.ts';
import type { MayBeHeldUp, ServiceRegistration } from '../../plugins/registration.ts';
import type { Say } from '../../protocol/log.ts';
import { PluginTimeoutError } from '../errors.ts';
import { askPlugin, reasonOf } from './ask-plugin.ts';

export interface PluginServicesParts {
  readonly registry: PluginRegistry;
  readonly warn: Say;
  readonly startMs?: number | undefined;
  readonly stopMs?: number | undefined;
}

export interface ServiceStatus {
  readonly pluginId: string;
  readonly id: string;
  /** `slow`: its start has not ended yet. */
  readonly state: 'running' | 'slow' | 'failed';
  readonly error?: string | undefined;
}

/** The time in which all services of one plugin must start. */
const START_MS = 5_000;
const STOP_MS = 3_000;

interface StartedService {
  readonly pluginId: string;
  readonly service: ServiceRegistration & MayBeHeldUp;
  state: ServiceStatus['state'];
  error?: string | undefined;
}

export class PluginServices {
  readonly #parts: PluginServicesParts;
  /** In the order in which they were started. */
  #started: readonly StartedService[] = [];
  #isOpen = false;
  #unsubscribe = () => {};

  constructor(parts: PluginServicesParts) {
    this.#parts = parts;
  }

  async open(): Promise<void> {
    this.#isOpen = true;
    this.#unsubscribe = this.#parts.registry.subscribe({
      loaded: (plugin) => this.#startAll(plugin.id, servicesOf(plugin)),
      unloading: (plugin) => this.#stopAll(this.#started.filter(({ pluginId }) => pluginId === plugin.id)),
    });
    const byPlugin = new Map<string, ServiceRegistration[]>();
    for (const { pluginId, registration } of this.#parts.registry.registered('service')) {
      byPlugin.set(pluginId, [...(byPlugin.get(pluginId) ?? []), registration]);
    }
    // Services start in order within a plugin; a slow plugin does not delay the services of another.
    await Promise.all([...byPlugin].map(([pluginId, services]) => this.#startAll(pluginId, services)));
  }

  statuses(): readonly ServiceStatus[] {
    return this.#started.map(({ pluginId, service, state, error }) => ({
      pluginId,
      id: service.id,
      state,
      ...(error === undefined ? {} : { error }),
    }));
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    this.#unsubscribe();
    await this.#stopAll(this.#started);
  }

  async #startAll(pluginId: string, services: readonly ServiceRegistration[]): Promise<void> {
    await inTurn(services, this.#parts.startMs ?? START_MS, async (service) => {
      if (this.#isOpen) await this.#start({ pluginId, service, state: 'slow' });
    });
  }

  async #start(started: StartedService): Promise<void> {
    const { pluginId, service } = started;
    const { warn, startMs = START_MS } = this.#parts;
    const name = `service ${service.id}`;
    this.#started = [...this.#started, started];
    const running = (async () => service.start())().then(
      () => {
        started.state = 'running';
      },
      (error: unknown) => {
        started.state = 'failed';
        started.error = reasonOf(error);
        warn(`The ${name} of the plugin "${pluginId}" did not start: ${started.error}`, { pluginId });
      },
    );
    await askPlugin(
      { pluginId, what: `the start of its ${name}`, ms: startMs, isHeldUp: service.isHeldUp },
      () => running,
    ).catch((error) => {
      if (error instanceof PluginTimeoutError) warn(`${error.message} Everything else goes on without it.`);
    });
  }

  /** The last first, and all plugins at once. */
  async #stopAll(services: readonly StartedService[]): Promise<void> {
    this.#started = this.#started.filter((each) => !services.includes(each));
    const ids = [...new Set(services.map(({ pluginId }) => pluginId))];
    await Promise.all(ids.map((id) => this.#stop(services.filter(({ pluginId }) => pluginId === id))));
  }

  async #stop(services: readonly StartedService[]): Promise<void> {
    const { warn, stopMs: ms = STOP_MS } = this.#parts;
    await inTurn(services.toReversed(), ms, async ({ pluginId, service: { id, stop, isHeldUp } }) => {
      if (!stop) return;
      const asked = { pluginId, what: `the stop of its service ${id}`, ms, isHeldUp };
      await askPlugin(asked, () => stop()).catch((error: unknown) =>
        warn(`The service ${id} of the plugin "${pluginId}" did not stop well: ${reasonOf(error)}`),
      );
    });
  }
}

/** Works through the list in order. When the time for all is over, the rest is begun too, without waiting for it. */
async function inTurn<Each>(all: readonly Each[], ms: number, work: (each: Each) => Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    // This is a little longer than the limit of each, so that a service that is stuck is named first.
    timer = setTimeout(resolve, ms + 50);
  });
  for (const each of all) await Promise.race([work(each), over]);
  clearTimeout(timer);
}

function servicesOf({ registrations }: LoadedPlugin): readonly ServiceRegistration[] {
  return registrations.filter((registration) => registration.kind === 'service');
}
