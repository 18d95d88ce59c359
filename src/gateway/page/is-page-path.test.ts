import { describe, expect, it } from 'vitest';
import { isPagePath } from './is-page-path.ts';

describe('the document of the page', () => {
  it.each([
    '/',
    '/new',
    '/sessions/agent:main:main',
    '/sessions/agent:main:main/runs/run_1/context',
    '/context',
    '/runs',
    '/runs/run_1',
    '/hooks',
    '/operations',
  ])('is served at %s', (path) => {
    expect(isPagePath(path)).toBe(true);
  });

  it.each([
    '/api/sessions',
    '/ws',
    '/healthz',
    '/v1/models',
    '/hooksx',
    '/assets/x.js',
    '/openapi.json',
  ])('leaves %s to others', (path) => {
    expect(isPagePath(path)).toBe(false);
  });
});
