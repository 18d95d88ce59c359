import { describe, expect, it } from 'vitest';
import { formatRoute, parseRoute, type Route } from './route.ts';

const ROUTES: readonly Route[] = [
  { page: 'home' },
  { page: 'new', agentId: 'coder' },
  { page: 'session', session: 'agent:main:web:direct:a/b c%' },
  { page: 'session', session: 'agent:main:main', at: 7, find: 'two words' },
  { page: 'context' },
  { page: 'context', session: 'agent:main:main', file: 'AGENTS.md' },
  { page: 'context', session: 'agent:main:main', runId: 'run_1', call: 2 },
  { page: 'runs', session: 'agent:main:main' },
  { page: 'run', runId: 'run_1', beside: 'run_2' },
  { page: 'hooks' },
  { page: 'operations' },
  { page: 'operations', part: 'schedule' },
  { page: 'operations', part: 'settings', setting: 'limits.spend' },
];

describe('the addresses of the page', () => {
  it.each(ROUTES)('lead back to what they name: $page', (route) => {
    const [path = '', search] = formatRoute(route).split('?');
    expect(parseRoute(path, search)).toEqual(route);
  });

  it.each(['/nowhere', '/sessions', '/runs/x/y', '/hooks/x', '/operations/x'])('are not %s', (path) => {
    expect(parseRoute(path)).toEqual({ page: 'unknown' });
  });

  it.each([
    ['/sessions/x/runs/y', { page: 'run', runId: 'y' }],
    ['/sessions/x/runs', { page: 'runs', session: 'x' }],
  ])('name something where that of a context was cut short: %s', (path, route) => {
    expect(parseRoute(path)).toEqual(route);
  });

  it('take an address that no browser would write as it is', () => {
    expect(parseRoute('/sessions/%E0%A4%A')).toEqual({ page: 'session', session: '%E0%A4%A' });
  });
});
