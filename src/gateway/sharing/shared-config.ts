// Brings a change of the configuration or of plugins to the other nodes. The settings themselves are in files: nodes with a
// shared folder read the same ones, and are told to read them again at once. Where the files of a node say something else, the
// status of every node names it, because the same message would then be answered in different ways.
// Errors: none. A node that was not told looks at its files by itself all the time.

import { createHash } from 'node:crypto';
import type { Cluster } from '../../cluster/cluster.ts';
import { formatDuration } from '../../protocol/duration.ts';
import type { JsonValue } from '../../protocol/json.ts';
import type { Say } from '../../protocol/log.ts';
import { errorText } from '../../protocol/one-line.ts';
import type { PluginControl } from '../services/plugin-control.ts';
import type { ConfigWatch } from '../settings/config-watch.ts';

export interface SharedConfigParts {
  readonly cluster: Pick<
    Cluster,
    'node' | 'members' | 'memberId' | 'clockAheadMs' | 'publish' | 'subscribe' | 'watchMembers'
  >;
  readonly configWatch: Pick<ConfigWatch, 'current' | 'state'>;
  readonly plugins: Pick<PluginControl, 'follow'>;
  readonly warn: Say;
}

/** Settings that each node has for itself. */
const OF_A_NODE: ReadonlySet<string> = new Set([
  '$schema',
  'meta',
  'wizard',
  'store.node',
  'store.url',
  'gateway.port',
  'gateway.bind',
  'gateway.host',
]);

const TELL_EVERY_MS = 10_000;
/** Clocks that differ by less are as good as the same. */
const MOST_SKEW_MS = 2_000;

export class SharedConfig {
  readonly #parts: SharedConfigParts;
  /** What the settings of the other members are, by member. */
  readonly #hashes = new Map<string, string>();
  #own = '';
  #undo: readonly (() => void)[] = [];

  constructor(parts: SharedConfigParts) {
    this.#parts = parts;
  }

  open(): void {
    const { cluster } = this.#parts;
    // What was told may have been lost, so it is told again from time to time.
    const timer = setInterval(() => this.#tell(), TELL_EVERY_MS);
    timer.unref();
    this.#undo = [
      () => clearInterval(timer),
      cluster.subscribe('config', (message, from) => this.#heard((message as { hash: string }).hash, from)),
      cluster.subscribe('plugin', (message) => void this.#follow((message as { id: string | null }).id ?? undefined)),
      cluster.watchMembers(({ change, member }) => {
        if (change === 'left' || change === 'expelled') this.#hashes.delete(member.id);
        // As a new member this node is not known to the others.
        else if (change === 'joined' && member.id === cluster.memberId) this.#tell();
      }),
    ];
    this.#own = hashOf(this.#parts.configWatch.current.written);
    this.#tell();
  }

  close(): void {
    for (const undo of this.#undo) undo();
  }

  /** The configuration was read again. */
  readonly wasRead = (): void => {
    const before = this.#own;
    this.#own = hashOf(this.#parts.configWatch.current.written);
    if (before !== '' && before !== this.#own) this.#tell();
  };

  /** An operator has loaded a plugin again at this node, or all of them. */
  readonly pluginReloaded = (id: string | undefined): void => {
    this.#parts.cluster.publish('plugin', { id: id ?? null });
  };

  /** One sentence when other nodes have other settings, and one when the clock of this node is wrong. */
  get warnings(): readonly string[] {
    return [...this.#differences(), ...this.#clockWarning()];
  }

  #clockWarning(): readonly string[] {
    const { clockAheadMs } = this.#parts.cluster;
    if (Math.abs(clockAheadMs) < MOST_SKEW_MS) return [];
    const much = formatDuration(Math.round(Math.abs(clockAheadMs) / 1_000) * 1_000);
    const how = clockAheadMs > 0 ? 'ahead of' : 'behind';
    return [
      `The clock of this node is ${much} ${how} the clock of the database, so its jobs and limits of time come at other times than those of the other nodes. Set the clocks by a time server (NTP).`,
    ];
  }

  #differences(): readonly string[] {
    const { members, memberId } = this.#parts.cluster;
    const others = members
      .filter(({ id }) => id !== memberId && this.#hashes.has(id) && this.#hashes.get(id) !== this.#own)
      .map(({ node }) => node);
    if (others.length === 0) return [];
    const names = others.length === 1 ? `the node ${others[0]} has` : `the nodes ${others.sort().join(', ')} have`;
    return [
      `This node and ${names} different settings. Give all nodes the same configuration files, for example in a shared folder.`,
    ];
  }

  #tell(): void {
    this.#parts.cluster.publish('config', { hash: this.#own });
  }

  #heard(hash: string, from: string): void {
    const known = this.#hashes.get(from);
    const isNews = known !== hash;
    this.#hashes.set(from, hash);
    // A node that was not heard before has just opened, and does not know the settings of this one.
    if (known === undefined) this.#tell();
    // The files may be the same ones, and then they have changed here too.
    if (isNews && hash !== this.#own) void this.#parts.configWatch.state().catch(() => undefined);
  }

  async #follow(id: string | undefined): Promise<void> {
    try {
      await this.#parts.plugins.follow(id);
    } catch (error) {
      const what = id === undefined ? 'The plugins were' : `The plugin ${id} was`;
      this.#parts.warn(`${what} loaded again at another node, and could not be here: ${errorText(error)}`);
    }
  }
}

function hashOf(config: object): string {
  return createHash('sha256')
    .update(textOf(config as JsonValue, ''))
    .digest('hex')
    .slice(0, 16);
}

/** The same settings give the same text, in whatever order they are written. */
function textOf(value: JsonValue | undefined, path: string): string {
  if (Array.isArray(value)) return `[${value.map((each) => textOf(each, `${path}[]`)).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const keys = Object.keys(value).sort();
  const entries = keys.flatMap((key) => {
    const below = path === '' ? key : `${path}.${key}`;
    const each = (value as Record<string, JsonValue | undefined>)[key];
    return OF_A_NODE.has(below) || each === undefined ? [] : [`${JSON.stringify(key)}:${textOf(each, below)}`];
  });
  return `{${entries.join()}}`;
}
