import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forAll } from '../../testkit/for-all.ts';
import { type MachineFolder, pathNormaliser } from './path-normaliser.ts';

const FOLDERS = [
  { path: '/home/ana/.openclaw/workspace', name: '<workspace>' },
  { path: '/home/ana/.openclaw', name: '<state>' },
  { path: '/home/ana', name: '<home>' },
];

const normalisePaths = (text: string, folders: readonly MachineFolder[]) => pathNormaliser(folders)(text);

describe('the path normaliser', () => {
  it('names the innermost folder', () => {
    expect(normalisePaths('/home/ana/.openclaw/workspace/AGENTS.md', FOLDERS)).toBe('<workspace>/AGENTS.md');
    expect(normalisePaths('/home/ana/.openclaw/skills', FOLDERS)).toBe('<state>/skills');
    expect(normalisePaths('cd /home/ana && ls', FOLDERS)).toBe('cd <home> && ls');
  });

  it('knows the end of a sentence from a longer name', () => {
    expect(normalisePaths('It is /home/ana/.openclaw/workspace.', FOLDERS)).toBe('It is <workspace>.');
    expect(normalisePaths('`/home/ana`, "/home/ana"', FOLDERS)).toBe('`<home>`, "<home>"');
    for (const other of ['/home/anabel', '/home/ana-2', '/home/ana.bak', '/home/anaé', '/srv/home/ana', '~/home/ana']) {
      expect(normalisePaths(other, FOLDERS)).toBe(other);
    }
  });

  it('never names the root, nor a folder that is none', () => {
    expect(normalisePaths('/etc/passwd', [{ path: '/', name: '<home>' }])).toBe('/etc/passwd');
    expect(normalisePaths('/etc', [{ path: '', name: '<home>' }])).toBe('/etc');
  });

  it('uses the first of two names for one folder, with or without a slash at its end', () => {
    const folders = [
      { path: '/srv/w/', name: '<workspace>' },
      { path: '/srv/w', name: '<home>' },
    ];
    expect(normalisePaths('/srv/w/x', folders)).toBe('<workspace>/x');
  });

  it('takes folders literally, with any characters', () => {
    const path = '/srv/a+b (c)[d]$';
    expect(normalisePaths(`see ${path}/x`, [{ path, name: '<workspace>' }])).toBe('see <workspace>/x');
  });

  it('gives two checkouts of one text the same result', () => {
    const folder = fc.stringMatching(/^\/[a-z]{1,8}(\/[a-z0-9]{1,8}){1,3}$/);
    forAll([folder, folder, fc.constantFrom('', '/a.md', '.', ', then')], (one, other, rest) => {
      const text = (path: string) => normalisePaths(`In ${path}${rest}`, [{ path, name: '<workspace>' }]);
      expect(text(one)).toBe(text(other));
    });
  });
});
