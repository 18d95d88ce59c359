// Says where the time of a profile went, by area of the product. A sample belongs to the innermost frame that belongs to
// an area, so that what the runtime does for a part (native calls, streams, JSON) counts as that part's. The bundles say
// in their region marks which source each line came from.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** In the order in which they are tried; the first that fits counts. */
const AREAS = [
  ['SQLite and row codec', /^src\/store\//],
  [
    'captures',
    /^src\/recorder\/(capture|split-body|known-parts)|^src\/agent\/(request-frame|request-inputs|capture-call)|^src\/context\/replay\//,
  ],
  ['trajectory and records', /^src\/recorder\//],
  ['model stream', /^src\/models\/|node_modules\/(@ai-sdk|eventsource-parser|@standard-schema|ai)\//],
  ['compose and file looks', /^src\/(context|gateway\/composer)\//],
  ['agent steps', /^src\/(agent|sessions|commands|tools)\//],
  ['hooks and facts', /^src\/(hooks|facts|plugins)\//],
  [
    'HTTP in and out',
    /^src\/gateway\/http\/|node_modules\/(hono|@hono)\/|^node:(_http|net$|internal\/(http|stream_base|streams))/,
  ],
  ['wiring, routing, lanes', /^src\//],
  ['fetch and web streams', /^node:internal\/(deps\/undici|webstreams|event_target|abort_controller)/],
];
const OTHER = 'runtime, not told apart';
const IGNORED = 'ignored';
const COLLECTOR = 'garbage collection';

export const AREA_NAMES = [...AREAS.map(([name]) => name), COLLECTOR, OTHER];

/** Milliseconds by area. What the process waited is left out. */
export function sumProfile(profile) {
  const parents = new Map();
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  for (const node of profile.nodes) for (const child of node.children ?? []) parents.set(child, node.id);
  const sourceOf = sourceFinder();
  const areas = new Map();
  const areaOf = (id) => {
    if (!areas.has(id)) areas.set(id, findArea(id));
    return areas.get(id);
  };
  const findArea = (id) => {
    const { functionName, url, lineNumber } = nodes.get(id).callFrame;
    // Waiting is no work, and the profile's own work is none of the product's.
    if (functionName === '(idle)' || url.endsWith('profile-on-signal.mjs')) return IGNORED;
    if (functionName === '(garbage collector)') return COLLECTOR;
    const source = url.startsWith('node:') ? url : sourceOf(url, lineNumber);
    const found = source && AREAS.find(([, pattern]) => pattern.test(source))?.[0];
    // What the runtime does belongs to the part that asked for it, if there is one.
    if (found && !url.startsWith('node:')) return found;
    const parent = parents.get(id);
    const above = parent === undefined ? undefined : areaOf(parent);
    if (above === IGNORED) return IGNORED;
    return above === undefined || above === OTHER ? (found ?? OTHER) : above;
  };
  const sums = new Map();
  profile.samples.forEach((id, index) => {
    const area = areaOf(id);
    if (area !== IGNORED) sums.set(area, (sums.get(area) ?? 0) + profile.timeDeltas[index] / 1_000);
  });
  return Object.fromEntries(AREA_NAMES.map((name) => [name, sums.get(name) ?? 0]));
}

function sourceFinder() {
  const regions = new Map();
  return (url, line) => {
    if (!url.startsWith('file:')) return undefined;
    const path = fileURLToPath(url);
    const own = /(node_modules\/.*)$/.exec(path)?.[1];
    if (own) return own;
    if (!regions.has(url)) regions.set(url, readRegions(path));
    return regions.get(url).findLast(({ from }) => from <= line)?.source;
  };
}

function readRegions(path) {
  const found = [];
  readFileSync(path, 'utf8')
    .split('\n')
    .forEach((text, from) => {
      const source = /^\/\/#region (.*)$/.exec(text)?.[1];
      if (source) found.push({ from, source });
    });
  return found;
}
