// Places where a crash test ends the process: just before a commit is requested, or when it is durable but its caller
// does not know yet. A store without failpoints is not wrapped at all.

import { COMMIT_SITES, type CommitSite } from './commit-sites.ts';
import { InvalidFailpointError } from './errors.ts';
import type { Store } from './store.ts';

export interface Failpoint {
  readonly site: CommitSite;
  readonly when: 'before' | 'after';
  /** The first commit of the site is 1. */
  readonly hit: number;
}

/** Counts the commits of each site as they are requested, and calls `kill` where a point says so. */
export function withFailpoints(store: Store, points: readonly Failpoint[], kill: () => void): Store {
  const hits = new Map<CommitSite, number>();
  const reach = (site: CommitSite, when: Failpoint['when'], hit: number) => {
    if (points.some((point) => point.site === site && point.when === when && point.hit === hit)) kill();
  };
  return {
    async commit(writes, options) {
      const { site } = options;
      const hit = (hits.get(site) ?? 0) + 1;
      hits.set(site, hit);
      reach(site, 'before', hit);
      const result = await store.commit(writes, options);
      reach(site, 'after', hit);
      return result;
    },
    select: (table, query) => store.select(table, query),
    count: (table, where) => store.count(table, where),
    probe: () => store.probe(),
    close: () => store.close(),
    get commits() {
      return store.commits;
    },
    get waits() {
      return store.waits;
    },
    get description() {
      return store.description;
    },
  };
}

/** Reads `request:before`, or `tool-result:after@2` for the second commit of the site. */
export function parseFailpoint(text: string): Failpoint {
  const [, site, when, hit = '1'] = /^([^:@]+):(before|after)(?:@([1-9]\d{0,5}))?$/.exec(text.trim()) ?? [];
  if (!site || !when) throw new InvalidFailpointError({ text, problem: 'it must name a commit site and a moment' });
  const known = COMMIT_SITES.find((name) => name === site);
  if (!known) throw new InvalidFailpointError({ text, problem: `there is no commit site "${site}"` });
  return { site: known, when: when as Failpoint['when'], hit: Number(hit) };
}
