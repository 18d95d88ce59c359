// How much room the records take, and how fast they grow. Sizes are those of files, so that asking costs a few calls of
// the file system whatever was recorded. What the records inside the store take is measured only when it is asked for. Growth is known some time after the start, from samples that were taken before.

import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import { measureRecords, RECORD_TABLES, type RecordKind } from '../../recorder/record-tables.ts';
import type { Store } from '../../store/store.ts';

export interface RecordSize {
  readonly what: RecordPlace | RecordKind;
  readonly bytes: number;
  /** Set for a kind of record that is a part of the store. Its size may be a minute old. */
  readonly within?: 'store' | undefined;
  /** Undefined until the gateway has run for some minutes. */
  readonly bytesPerDay?: number | undefined;
}

export const RECORD_PLACES = ['store', 'trajectories', 'logs', 'exports'] as const;
export type RecordPlace = (typeof RECORD_PLACES)[number];
export const RECORD_KINDS = Object.keys(RECORD_TABLES) as readonly RecordKind[];

export interface RecordPlaces {
  /** Needed for samples only. */
  readonly store?: Pick<Store, 'measure'> | undefined;
  readonly stateDir: string;
  readonly trajectoryDir: string;
  readonly exportsDir: string;
  readonly now: () => number;
}

const DAY_MS = 24 * 60 * 60_000;
const LEAST_MS = 5 * 60_000;
const KINDS_MS = 60_000;
const MOST_ENTRIES = 50_000;

export class RecordSizes {
  readonly #places: RecordPlaces;
  #samples: readonly Sample[] = [];
  #kinds: { readonly at: number; readonly sizes: KindSizes } | undefined;

  constructor(places: RecordPlaces) {
    this.#places = places;
  }

  async sample(): Promise<void> {
    const at = this.#places.now();
    const sizes = await this.#measure();
    const kinds = await this.#measureKinds();
    // The last day is enough, and what is older is another habit of the operator.
    this.#samples = [...this.#samples.filter((each) => each.at >= at - DAY_MS), { at, sizes, kinds: kinds.sizes }];
  }

  /** Called when records were removed, so that nothing old is told about them. */
  forget(): void {
    this.#kinds = undefined;
  }

  /** With `kinds`, also what each kind of record takes in the store; that is measured at most once a minute. */
  async read({ kinds = false }: { readonly kinds?: boolean } = {}): Promise<readonly RecordSize[]> {
    const sizes = await this.#measure();
    const now = this.#places.now();
    const [first] = this.#samples;
    const grown = (before: number | undefined, bytes: number, at: number) => {
      const ms = first ? at - first.at : 0;
      if (before === undefined || ms < LEAST_MS) return {};
      return { bytesPerDay: Math.round(((bytes - before) / ms) * DAY_MS) };
    };
    const places = RECORD_PLACES.map((what) => ({
      what,
      bytes: sizes[what],
      ...grown(first?.sizes[what], sizes[what], now),
    }));
    if (!kinds || !this.#places.store) return places;
    const known = this.#kinds && now - this.#kinds.at < KINDS_MS ? this.#kinds : await this.#measureKinds();
    return [
      ...places,
      ...RECORD_KINDS.map((what) => {
        const bytes = known.sizes[what];
        return { what, within: 'store' as const, bytes, ...grown(first?.kinds[what], bytes, known.at) };
      }),
    ];
  }

  async #measureKinds(): Promise<{ readonly at: number; readonly sizes: KindSizes }> {
    const { store, now } = this.#places;
    const kinds: [RecordKind, number][] = [];
    for (const kind of RECORD_KINDS) kinds.push([kind, store ? await measureRecords(store, kind) : 0]);
    const measured = { at: now(), sizes: Object.fromEntries(kinds) as KindSizes };
    this.#kinds = measured;
    return measured;
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

type Sizes = Readonly<Record<RecordPlace, number>>;
type KindSizes = Readonly<Record<RecordKind, number>>;

interface Sample {
  readonly at: number;
  readonly sizes: Sizes;
  readonly kinds: KindSizes;
}

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
