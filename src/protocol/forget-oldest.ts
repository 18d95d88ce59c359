// Keeps a map from growing without end: the entries that were added longest ago go first.

/**
 * Removes a quarter of the entries when there are more than `most`. They are removed together, because a map steps over
 * the places of all entries that were removed from its beginning each time somebody asks for its first one.
 */
export function forgetOldest(map: Map<unknown, unknown>, most: number): void {
  if (map.size <= most) return;
  const rest = Math.ceil(most * 0.75);
  for (const oldest of map.keys()) {
    if (map.size <= rest) return;
    map.delete(oldest);
  }
}
