// Installs a plugin, a hook pack or a skill for a page, in two steps: what was fetched is shown with its scan and with what
// the plugins say about it, and it is put into its place only when the person has read that and agrees. The checks are those
// of `atrium plugins install`.
// Rules: one review at a time; a review that is not answered in time is dropped, and nothing of it stays. What a plugin
// refuses cannot be confirmed.
// Errors: InstallManagedError, InstallNotWaitingError, and those of `install-package.ts`, such as InstallBusyError while a
// command installs something.

import { randomUUID } from 'node:crypto';
import type { Environment } from '../../config/environment.ts';
import { resolveUserPath } from '../../config/user-path.ts';
import type { BeforeInstallEvent, InstallHookContext } from '../../hooks/lifecycle-hooks.ts';
import type { Installed, StagedInstall } from '../../plugins/install/install-package.ts';
import type { PluginStatus } from '../../plugins/plugin-status.ts';
import { InstallManagedError, InstallNotWaitingError } from '../errors.ts';
import type { InstallVerdict } from './check-install.ts';
import type { PluginControl } from './plugin-control.ts';
import type { ReviewedInstall } from './review-install.ts';

export interface InstallsParts {
  readonly environment: Environment;
  readonly check: (event: BeforeInstallEvent, context: InstallHookContext) => Promise<InstallVerdict>;
  readonly plugins: Pick<PluginControl, 'list' | 'reloadAll'>;
  readonly now: () => number;
}

export interface InstallWish {
  /** A package of the npm registry, or the path of a folder or an archive on the machine of the gateway. */
  readonly source: string;
  readonly kind: 'plugin' | 'skill';
  /** Replaces what stands in its place, whatever it is. */
  readonly force?: boolean | undefined;
}

/** What a person reads before the installation is decided. */
export interface InstallReview extends ReviewedInstall {
  readonly id: string;
  readonly expiresAt: number;
}

export interface DoneInstall {
  readonly id: string;
  readonly dir: string;
  readonly version: string | null;
  /** Packages whose install scripts were not run. */
  readonly withScripts: readonly string[];
  /** The plugin as the gateway has it now; null for what is no plugin. */
  readonly plugin: PluginStatus | null;
}

interface Waiting {
  readonly review: InstallReview;
  decide(isWanted: boolean): void;
  readonly ended: Promise<Installed | undefined>;
}

/** A person reads the scan, asks somebody, and comes back. */
const PATIENCE_MS = 10 * 60_000;

export class Installs {
  readonly #parts: InstallsParts;
  #waiting: Waiting | undefined;

  constructor(parts: InstallsParts) {
    this.#parts = parts;
  }

  /** Asks the plugins whether something may be installed. */
  check(event: BeforeInstallEvent, context: InstallHookContext): Promise<InstallVerdict> {
    return this.#parts.check(event, context);
  }

  /** Fetches it, looks through it and asks the plugins. A review that waited is dropped. */
  async begin({ source: given, kind, force = false }: InstallWish): Promise<InstallReview> {
    const { environment, now } = this.#parts;
    const { home, cwd, stateDir, variables, isConfigManaged } = environment;
    if (isConfigManaged) throw new InstallManagedError({ target: given });
    await this.#drop();
    const { parseInstallSource } = await import('../../plugins/install/install-source.ts');
    const { installPackage } = await import('../../plugins/install/install-package.ts');
    const source = await parseInstallSource(given, (path) => resolveUserPath(path, home, cwd));
    return new Promise<InstallReview>((resolve, reject) => {
      const ended = installPackage({ wanted: kind, source, stateDir, force, now, variables }, async (staged) => {
        const review = await this.#review(staged);
        if (review.refusal) {
          resolve(review);
          return false;
        }
        return new Promise<boolean>((decide) => {
          const timer = setTimeout(() => decide(false), PATIENCE_MS);
          timer.unref();
          this.#waiting = {
            review,
            ended,
            decide: (isWanted) => {
              clearTimeout(timer);
              decide(isWanted);
            },
          };
          resolve(review);
        });
      }).finally(() => {
        this.#waiting = undefined;
      });
      ended.catch(reject);
    });
  }

  async confirm(id: string): Promise<DoneInstall> {
    const waiting = this.#find(id);
    waiting.decide(true);
    const installed = await waiting.ended;
    if (!installed) throw new InstallNotWaitingError({ install: id });
    const { record, dependencies } = installed;
    const plugins = record.kind === 'plugin' ? await this.#parts.plugins.reloadAll() : [];
    const isIt = (plugin: PluginStatus) => plugin.id === record.id || plugin.id.startsWith(`${record.id}/`);
    return {
      id: record.id,
      dir: record.dir,
      version: record.version,
      withScripts: dependencies.withScripts,
      plugin: plugins.find(isIt) ?? null,
    };
  }

  async cancel(id: string): Promise<void> {
    this.#find(id);
    await this.#drop();
  }

  /** A gateway that stops leaves nothing in the staging folder. */
  close(): Promise<void> {
    return this.#drop();
  }

  async #drop(): Promise<void> {
    const waiting = this.#waiting;
    waiting?.decide(false);
    await waiting?.ended.catch(() => undefined);
  }

  #find(id: string): Waiting {
    if (this.#waiting?.review.id !== id) throw new InstallNotWaitingError({ install: id.slice(0, 100) });
    return this.#waiting;
  }

  async #review(staged: StagedInstall): Promise<InstallReview> {
    const { reviewInstall } = await import('./review-install.ts');
    const review = await reviewInstall(staged, this.#parts.check);
    return { ...review, id: randomUUID(), expiresAt: this.#parts.now() + PATIENCE_MS };
  }
}
