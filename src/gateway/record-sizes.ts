// How much room the records take, and how fast they grow. Sizes are those of files, so that asking costs a few calls of
// the file system whatever was recorded. Growth is known some time after the start, from sizes that were taken before.

import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';

export interface RecordSize {
  readonly what: 'store' | 'trajectories' | 'logs' | 'exports';
  readonly bytes: number;
  /** Undefined until the gateway has run for some minutes. */
  readonly bytesPerDay?: number | undefined;
}

export interface RecordPlaces {
  readonly stateDir: string;
  readonly trajectoryDir: string;
  readonly exportsDir: string;
  readonly now: () => number;
}

const DAY_MS = 24 * 60 * 60_000;
const LEAST_MS = 5 * 60_000;
const MOST_ENTRIES = 50_000;

export class RecordSizes {
  readonly #places: RecordPlaces;
  #samples: readonly { readonly at: number; readonly sizes: Sizes }[] = [];

  constructor(places: RecordPlaces) {
    this.#places = places;
  }

  async sample(): Promise<void> {
    const at = this.#places.now();
    const sizes = await this.#measure();
    // The last day is enough, and what is older is another habit of the operator.
    this.#samples = [...this.#samples.filter((each) => each.at >= at - DAY_MS), { at, sizes }];
  }

  async read(): Promise<readonly RecordSize[]> {
    const sizes = await this.#measure();
    const [first] = this.#samples;
    const ms = first ? this.#places.now() - first.at : 0;
    return Object.entries(sizes).map(([name, bytes]) => {
      const what = name as RecordSize['what'];
      if (!first || ms < LEAST_MS) return { what, bytes };
      return { what, bytes, bytesPerDay: Math.round(((bytes - first.sizes[what]) / ms) * DAY_MS) };
    });
  }

  async #measure(): Promise<Sizes> {
    const { stateDir, trajectoryDir, exportsDir } = this.#places;
    const logs = path.join(stateDir, 'logs');
    const [store, trajectories, logFiles, exports] = await Promise.all([
      sizeOf(path.join(stateDir, 'atrium'), (name) => name.startsWith('atrium.db')),
      sizeOf(trajectoryDir, (name) => name.endsWith('.jsonl')),
      sizeOf(logs, (name) => name.endsWith('.jsonl') || name.startsWith('atrium.log')),
      sizeOf(exportsDir, () => true, 4),
    ]);
    return { store, trajectories, logs: logFiles, exports };
  }
}

type Sizes = Readonly<Record<RecordSize['what'], number>>;

/** The size of the files in a folder, and in folders below it down to `depth`. Links are not followed. */
async function sizeOf(dir: string, isMeant: (name: string) => boolean, depth = 1): Promise<number> {
  const entries = await readdir(dir, { withFileTypes: true }).catch(() => []);
  let bytes = 0;
  for (const entry of entries.slice(0, MOST_ENTRIES)) {
    const file = path.join(dir, entry.name);
    if (entry.isDirectory() && depth > 1) bytes += await sizeOf(file, isMeant, depth - 1);
    else if (entry.isFile() && isMeant(entry.name)) bytes += (await lstat(file).catch(() => undefined))?.size ?? 0;
  }
  return bytes;
}
