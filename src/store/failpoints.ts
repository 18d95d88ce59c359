// Places where a crash test ends the process: just before a commit is requested, or when it is made but its caller does
// not know yet; and then with everything that no sync has made safe lost too, as in a power cut. A store without
// failpoints is not wrapped at all.

import { COMMIT_SITES, type CommitSite } from './commit-sites.ts';
import { delegateStore } from './delegate-store.ts';
import { InvalidFailpointError } from './errors.ts';
import type { Store } from './store.ts';

export interface Failpoint {
  readonly site: CommitSite;
  /** `power` is a moment after the commit, and what is not synced is lost. */
  readonly when: 'before' | 'after' | 'power';
  /** The first commit of the site is 1. */
  readonly hit: number;
}

export interface Death {
  kill(): void;
  /** Ends the process too, and loses what was committed since the last call of `synced`. */
  cutPower(): void;
  /** Called after each commit that is safe from power cuts, before its caller knows. */
  synced(): void;
}

/** Counts the commits of each site as they are requested, and ends the process where a point says so. */
export function withFailpoints(store: Store, points: readonly Failpoint[], death: Death): Store {
  const hits = new Map<CommitSite, number>();
  const reach = (site: CommitSite, when: Failpoint['when'], hit: number) => {
    if (!points.some((point) => point.site === site && point.when === when && point.hit === hit)) return;
    if (when === 'power') death.cutPower();
    else death.kill();
  };
  return delegateStore(store, {
    async commit(writes, options) {
      const { site } = options;
      const hit = (hits.get(site) ?? 0) + 1;
      hits.set(site, hit);
      reach(site, 'before', hit);
      const result = await store.commit(writes, options);
      if (!options.lazy) death.synced();
      reach(site, 'after', hit);
      reach(site, 'power', hit);
      return result;
    },
  });
}

/** Reads `request:before`, `request:power`, or `tool-result:after@2` for the second commit of the site. */
export function parseFailpoint(text: string): Failpoint {
  const [, site, when, hit = '1'] = /^([^:@]+):(before|after|power)(?:@([1-9]\d{0,5}))?$/.exec(text.trim()) ?? [];
  if (!site || !when) throw new InvalidFailpointError({ text, problem: 'it must name a commit site and a moment' });
  const known = COMMIT_SITES.find((name) => name === site);
  if (!known) throw new InvalidFailpointError({ text, problem: `there is no commit site "${site}"` });
  return { site: known, when: when as Failpoint['when'], hit: Number(hit) };
}
