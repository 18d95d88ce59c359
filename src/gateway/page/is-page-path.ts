/** The paths at which the page itself is served. What they mean is decided in console/route.ts. */
export function isPagePath(path: string): boolean {
  return path === '/' || /^\/(?:new|sessions|runs|context|hooks|operations)(?:\/|$)/.test(path);
}
